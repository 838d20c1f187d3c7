import { ActionIcon, Anchor, Button, Code, Group, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { type ReactNode, useMemo, useState } from 'react'
import type { ReportedProgress, Results } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { ChevronLeft, ChevronRight, History, Maximize2, ZoomIn, ZoomOut } from '../../parts/icons.tsx'
import { ScrollBox } from '../../parts/scroll-box.tsx'
import { Empty } from '../../parts/states.tsx'
import { Moment, sayDuration } from '../../parts/time.tsx'
import { words } from '../../parts/words.ts'
import { dashboardWords } from '../words.ts'
import { sayReported } from './reported.ts'
import classes from './timeline.module.css'
import {
  type Band,
  dataOf,
  pan,
  type Span,
  scaleOf,
  spanOf,
  type TimelineEntry,
  toBands,
  widen,
  withPauses,
  zoom,
} from './timeline-model.ts'
import { TimelinePicture } from './timeline-picture.tsx'

const { timeline: say } = dashboardWords
const ROWS = 25

interface TimelineProps {
  /** Entries of the timeline, newest first. */
  readonly entries: readonly TimelineEntry[]
  readonly lessons: Results['lessons']
  /** The part of the timeline that is visible; undefined shows everything. */
  readonly span: Span | undefined
  readonly onSpan: (span: Span | undefined) => void
  /** Loads older entries; undefined if there are no older ones. */
  readonly onMore?: (() => void) | undefined
  readonly isMoreComing: boolean
  /** Content between the picture and the table. */
  readonly children?: ReactNode
}

/** Shows the timeline of one student, as a picture and as a table. */
export function StudentTimeline({ entries, lessons, span, onSpan, onMore, isMoreComing, children }: TimelineProps) {
  const [opened, setOpened] = useState<TimelineEntry>()
  const bands = useMemo(() => toBands(entries, lessons, say.wholeClass, Date.now()), [entries, lessons])
  if (bands.length === 0)
    return (
      <>
        <Card>
          <Empty icon={History} title={say.empty}>
            {say.emptyText}
          </Empty>
        </Card>
        {children}
      </>
    )
  const shown = span ?? spanOf(bands)
  // The middle of the picture, which is never in a break. The width does not matter for this.
  const middle = scaleOf(bands, shown, 1000).timeAt(0.5)
  const tools = [
    [say.earlier, ChevronLeft, () => onSpan(pan(shown, -0.5))],
    [say.later, ChevronRight, () => onSpan(pan(shown, 0.5))],
    [say.zoomIn, ZoomIn, () => onSpan(zoom(shown, 0.5, middle))],
    [say.zoomOut, ZoomOut, () => onSpan(zoom(shown, 2, middle))],
    [say.all, Maximize2, () => onSpan(undefined)],
  ] as const
  const attempts = bands.flatMap(({ name, attempts: own }) => own.map((one) => ({ name, ...one })))
  return (
    <>
      <Card
        title={say.title}
        action={
          <Group gap={4}>
            {tools.map(([label, Icon, run]) => (
              <ActionIcon key={label} variant="default" size="lg" aria-label={label} title={label} onClick={run}>
                <Icon size={16} aria-hidden />
              </ActionIcon>
            ))}
          </Group>
        }
        isFlush
      >
        <Text size="sm" c="dimmed" px={20} pb="xs">
          {say.text}
        </Text>
        <Group gap={6} px={20} pb="sm">
          {attempts.map(({ id, name, number, from, to }) => (
            <Button key={id} size="compact-xs" variant="default" onClick={() => onSpan(widen({ from, to }))}>
              {name} {number}
            </Button>
          ))}
        </Group>
        <TimelinePicture bands={bands} span={shown} onSpan={onSpan} onOpen={setOpened} />
        <ul className={classes.legend}>
          {Object.entries(say.legend).map(([kind, label]) => (
            <li key={kind}>
              <span className={classes.sample} data-kind={kind} aria-hidden />
              {label}
            </li>
          ))}
        </ul>
      </Card>
      {children}
      <InWords
        entries={withPauses(entries, bands)}
        bands={bands}
        onOpen={setOpened}
        onMore={onMore}
        isMoreComing={isMoreComing}
      />
      <Dialog
        isOpen={opened !== undefined}
        onClose={() => setOpened(undefined)}
        title={opened ? sayEntry(opened, bands) : ''}
      >
        {opened && <Details entry={opened} bands={bands} />}
      </Dialog>
    </>
  )
}

const nameOf = (bands: readonly Band[], lessonId: string | null): string =>
  bands.find((one) => one.lessonId === lessonId)?.name ?? lessonId ?? say.wholeClass

/** Describes an entry in a sentence. An unknown kind of entry is shown by the name of the kind. */
function sayEntry(entry: TimelineEntry, bands: readonly Band[]): string {
  const number = bands.flatMap(({ attempts }) => attempts).find(({ id }) => id === entry.lessonResultId)?.number
  const attempt = number === undefined ? '' : say.attempt(number)
  const data = dataOf<{
    end?: string | null
    result?: keyof typeof dashboardWords.results
    score?: number | null
    after?: { result?: keyof typeof dashboardWords.results; score?: number | null }
    verb?: string
    verbName?: string | null
    name?: string
  }>(entry)
  const lasted = data?.end ? sayDuration((Date.parse(data.end) - Date.parse(entry.at)) / 1000) : say.since
  const { entries: all } = say
  switch (entry.kind) {
    case 'started':
      return all.started(attempt)
    case 'completed':
      return all.completed(attempt, dashboardWords.results[data.result ?? 'INCOMPLETE'], data.score ?? null)
    case 'progress':
      return all.progress(lasted)
    case 'idle':
      return all.idle(lasted)
    case 'pause':
      return all.pause(lasted)
    case 'grade':
      return all.grade(dashboardWords.results[data.after?.result ?? 'INCOMPLETE'], data.after?.score ?? null)
    case 'objective':
      return all.objective(data.name ?? '', data.score ?? 0)
    case 'statement':
      return all.statement(data.verbName ?? data.verb ?? '')
    case 'note':
    case 'reset':
    case 'extra attempt':
      return all[entry.kind]
    default:
      return entry.kind
  }
}

interface InWordsProps {
  readonly entries: readonly TimelineEntry[]
  readonly bands: readonly Band[]
  readonly onOpen: (entry: TimelineEntry) => void
  readonly onMore: (() => void) | undefined
  readonly isMoreComing: boolean
}

function InWords({ entries, bands, onOpen, onMore, isMoreComing }: InWordsProps) {
  const [count, setCount] = useState(ROWS)
  return (
    <Card title={say.table} isFlush>
      <Text size="sm" c="dimmed" px={20} pb="sm">
        {say.tableText}
      </Text>
      <ScrollBox minWidth={560}>
        <Table aria-label={say.table} horizontalSpacing={20}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{say.when}</Table.Th>
              <Table.Th>{say.lesson}</Table.Th>
              <Table.Th>{say.what}</Table.Th>
              <Table.Th>{say.who}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {entries.slice(0, count).map((entry, i) => {
              const text = sayEntry(entry, bands)
              const detail = detailOf(entry)
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: several may be of one moment and kind
                <Table.Tr key={`${entry.at}-${i}`}>
                  <Table.Td className={classes.when}>
                    <Moment at={entry.at} />
                  </Table.Td>
                  <Table.Td>{nameOf(bands, entry.lessonId)}</Table.Td>
                  <Table.Td>
                    {entry.kind === 'statement' ? (
                      <Anchor component="button" type="button" size="sm" onClick={() => onOpen(entry)}>
                        <VisuallyHidden>{`${say.open} `}</VisuallyHidden>
                        {text}
                      </Anchor>
                    ) : (
                      text
                    )}
                    {detail !== undefined && (
                      <Text size="sm" c="dimmed" className={classes.detail}>
                        {detail}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>{entry.byName ?? words.time.none}</Table.Td>
                </Table.Tr>
              )
            })}
          </Table.Tbody>
        </Table>
      </ScrollBox>
      {(entries.length > count || onMore) && (
        <Group p={20} pt="sm">
          {entries.length > count ? (
            <Button variant="default" size="sm" onClick={() => setCount(count + 4 * ROWS)}>
              {say.moreRows(Math.min(4 * ROWS, entries.length - count))}
            </Button>
          ) : (
            <Button variant="default" size="sm" onClick={onMore} loading={isMoreComing}>
              {say.more}
            </Button>
          )}
        </Group>
      )}
    </Card>
  )
}

const detailOf = (entry: TimelineEntry): string | undefined => {
  const { text, reason, reported } =
    dataOf<{ text?: string; reason?: string; reported?: ReportedProgress['reported'] }>(entry) ?? {}
  return text || reason || (reported && sayReported({ ...reported, byName: entry.byName }))
}

function Details({ entry, bands }: { readonly entry: TimelineEntry; readonly bands: readonly Band[] }) {
  const data = dataOf<{ statementId?: string; verb?: string; result?: unknown; extensions?: object; score?: unknown }>(
    entry,
  )
  const detail = detailOf(entry)
  return (
    <Stack>
      {detail !== undefined && <Text className={classes.detail}>{detail}</Text>}
      <Facts>
        <Fact name={say.detail.when}>
          <Moment at={entry.at} />
        </Fact>
        <Fact name={say.detail.lesson}>{nameOf(bands, entry.lessonId)}</Fact>
        {entry.byName !== null && (
          <Fact name={entry.kind === 'statement' ? say.detail.by : say.who}>{entry.byName}</Fact>
        )}
        {entry.kind === 'statement' && (
          <>
            <Fact name={say.detail.verb}>{data.verb}</Fact>
            <Fact name={say.detail.id}>{data.statementId}</Fact>
          </>
        )}
      </Facts>
      {entry.kind === 'statement' && data.result != null && (
        <Code block tabIndex={0}>
          {JSON.stringify(data.result, null, 2)}
        </Code>
      )}
      {entry.kind === 'statement' && Object.keys(data.extensions ?? {}).length > 0 && (
        <Code block tabIndex={0}>
          {JSON.stringify(data.extensions, null, 2)}
        </Code>
      )}
    </Stack>
  )
}
