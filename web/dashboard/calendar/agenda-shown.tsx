import { Badge, Button, Group, Progress, SimpleGrid, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import type { Agenda } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { Item, Items } from '../../parts/items.tsx'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { Time } from '../../parts/time.tsx'
import classes from './agenda.module.css'
import { EntryLink } from './entry-link.tsx'
import { WhenShown } from './when-shown.tsx'
import { calendarWords } from './words.ts'

const { agenda: say } = calendarWords
/** Number of cards that are shown at first. */
const SHOWN = 3
const LISTED = 5

type NextLesson = Agenda['next'][number]
type Entry = Agenda['overdue'][number]

/** Shows what to do next, what is overdue and what is coming up. Shows nothing if there is nothing to do. */
export function AgendaShown({ agenda }: { readonly agenda: Agenda }) {
  const { next, overdue, upcoming, waiting, finished, teaching } = agenda
  const isEmpty = [next, overdue, upcoming, waiting, finished, teaching].every(({ length }) => length === 0)
  if (isEmpty) return null
  const isCalm = next.length > 0 && overdue.length === 0 && upcoming.length === 0
  return (
    <Stack gap="lg">
      {next.length > 0 && <NextLessons next={next} />}
      {isCalm && (
        <Text size="sm" c="dimmed">
          {say.calm}
        </Text>
      )}
      {[overdue, upcoming, waiting, finished, teaching].some(({ length }) => length > 0) && (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md" className={classes.lists}>
          {overdue.length > 0 && <Entries title={say.overdue} entries={overdue} total={agenda.overdueTotal} />}
          {upcoming.length > 0 && <Entries title={say.upcoming} entries={upcoming} total={agenda.upcomingTotal} />}
          {waiting.length > 0 && <Waiting waiting={waiting} />}
          {finished.length > 0 && <Finished finished={finished} />}
          {teaching.length > 0 && <Teaching teaching={teaching} />}
        </SimpleGrid>
      )}
    </Stack>
  )
}

function NextLessons({ next }: { readonly next: readonly NextLesson[] }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? next : next.slice(0, SHOWN)
  return (
    <section aria-label={say.next}>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
        {shown.map((one, index) => (
          <NextCard key={one.classId} lesson={one} isFirst={index === 0} />
        ))}
      </SimpleGrid>
      {next.length > shown.length && (
        <Button variant="subtle" size="compact-sm" mt="xs" onClick={() => setWhole(true)}>
          {say.showAll(next.length - shown.length)}
        </Button>
      )}
    </section>
  )
}

function NextCard({ lesson, isFirst }: { readonly lesson: NextLesson; readonly isFirst: boolean }) {
  const { classId, className, lessonId, lessonName, passed, total, due } = lesson
  const [label, whole] = actionOf(lesson)
  return (
    <article className={classes.next} data-first={isFirst || undefined}>
      <div>
        <Text size="sm" c="dimmed">
          {className}
        </Text>
        <Title order={2} className={classes.name}>
          {lessonName}
        </Title>
        <Text size="sm" mt={4} component="div">
          {say.progress(passed, total)}
          {due !== null && (
            <>
              {' · '}
              <WhenShown event="due" at={due} />
            </>
          )}
        </Text>
      </div>
      <div>
        <Progress
          value={(100 * passed) / total}
          size="sm"
          color="green"
          mb="sm"
          aria-label={say.progress(passed, total)}
        />
        <ButtonLink
          fullWidth
          variant={isFirst ? 'filled' : 'default'}
          to="/dashboard/classes/$classId/lessons/$lessonId"
          params={{ classId, lessonId }}
        >
          <span aria-hidden>{label}</span>
          <VisuallyHidden>{whole}</VisuallyHidden>
        </ButtonLink>
      </div>
    </article>
  )
}

function actionOf({ inProgress, kind, lessonName }: NextLesson): [label: string, whole: string] {
  if (kind === 'instructor-led') return [say.look, say.open(lessonName)]
  return inProgress ? [say.goOn, say.continue(lessonName)] : [say.begin, say.start(lessonName)]
}

interface EntriesProps {
  readonly title: string
  readonly entries: readonly Entry[]
  readonly total: number
}

const Entries = ({ title, entries, total }: EntriesProps) => {
  const shown = entries.slice(0, LISTED)
  return (
    <Card title={title} isFlush action={<Badge color={title === say.overdue ? 'red' : 'gray'}>{total}</Badge>}>
      <Items label={title}>
        {shown.map((one) => (
          <Item
            key={`${one.classId} ${one.lessonId} ${one.event}`}
            title={<EntryLink entry={one}>{one.lessonName ?? say.wholeClass(one.className)}</EntryLink>}
            sub={
              one.lessonName === null || one.remaining > 1
                ? `${one.className} · ${say.remaining(one.remaining)}`
                : one.className
            }
            action={
              <Text size="sm" component="div" className={classes.when}>
                <WhenShown event={one.event} at={one.at} />
              </Text>
            }
          />
        ))}
      </Items>
      {total > shown.length && (
        <Text size="sm" px={20} pb="sm" component="div">
          <TextLink to="/dashboard/calendar">{say.more(total - shown.length)}</TextLink>
        </Text>
      )}
    </Card>
  )
}

const Waiting = ({ waiting }: { readonly waiting: Agenda['waiting'] }) => (
  <Card title={say.waiting} isFlush>
    <Items label={say.waiting}>
      {waiting.slice(0, LISTED).map((one) => (
        <Item
          key={`${one.classId} ${one.lessonId}`}
          title={<EntryLink entry={one}>{one.lessonName}</EntryLink>}
          sub={one.className}
          action={
            <Text size="sm" component="div" className={classes.when}>
              {say.completed} <Time at={one.completed} />
            </Text>
          }
        />
      ))}
    </Items>
  </Card>
)

const Finished = ({ finished }: { readonly finished: Agenda['finished'] }) => (
  <Card title={say.finished} isFlush>
    <Items label={say.finished}>
      {finished.slice(0, LISTED).map(({ classId, className, total }) => (
        <Item
          key={classId}
          title={
            <TextLink to="/dashboard/classes/$classId" params={{ classId }}>
              {className}
            </TextLink>
          }
          action={<Text size="sm">{say.finishedText(total)}</Text>}
        />
      ))}
    </Items>
  </Card>
)

const Teaching = ({ teaching }: { readonly teaching: Agenda['teaching'] }) => (
  <Card title={say.teaching} isFlush>
    <Items label={say.teaching}>
      {teaching.map(({ classId, className, toGrade, overdue }) => (
        <Item
          key={classId}
          title={className}
          action={
            <Group gap="md">
              {toGrade > 0 && (
                <TextLink to="/dashboard/classes/$classId/grading" params={{ classId }}>
                  {say.toGrade(toGrade)}
                </TextLink>
              )}
              {overdue > 0 && (
                <TextLink to="/dashboard/classes/$classId/gradebook" params={{ classId }}>
                  {say.studentsOverdue(overdue)}
                </TextLink>
              )}
            </Group>
          }
        />
      ))}
    </Items>
  </Card>
)
