import { Button, Group, Kbd, Stack, Table, Text } from '@mantine/core'
import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, memo, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ClassDetails, Gradebook, GradebookAverages } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Clock, Keyboard, Users } from '../../parts/icons.tsx'
import { notify } from '../../parts/notify.tsx'
import { onDemand } from '../../parts/on-demand.ts'
import { Panel } from '../../parts/panel.tsx'
import { directionOf, SortButton } from '../../parts/rows.tsx'
import type { Sort } from '../../parts/sorted.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { sayDuration, sayMoment } from '../../parts/time.tsx'
import { RESULT_LOOKS } from '../progress/result-badge.tsx'
import { dashboardWords } from '../words.ts'
import { cellsOf, type GradebookCell } from './gradebook-cells.ts'
import classes from './gradebook-grid.module.css'
import { type GradebookView, gradebookPage, ROWS_PER_PAGE } from './gradebook-page-query.ts'
import { gradebookWords as words } from './gradebook-words.ts'

/** Loaded when the first cell is opened. */
const GradebookPanel = onDemand(async () => (await import('./gradebook-panel.tsx')).GradebookPanel)

const { gradebook: say } = dashboardWords
const ROW_PX = 60
const HEAD_PX = 60
const SCROLLBAR_PX = 16
const OVERSCAN = 6
const JUMP = 10

type Row = Gradebook['docs'][number]
type Column = Gradebook['lessons'][number]
interface CellPosition {
  /** Row -1 contains the heads of the columns; the students follow. */
  readonly row: number
  /** Column 0 is the student's name; the lessons follow. */
  readonly column: number
}

interface GradebookGridProps {
  readonly classDetails: ClassDetails
  /** Averages of the lessons over the whole class; undefined until they are loaded. */
  readonly averages: GradebookAverages | undefined
  readonly view: GradebookView
  readonly onSort: (order: Pick<GradebookView, 'sort' | 'lesson'>) => void
}

export function GradebookGrid({ view, ...props }: GradebookGridProps) {
  const { search, state, in: inLesson } = view
  const isFiltered = search !== undefined || state !== undefined
  // In another order the grid stays where it is, so that the head that was clicked keeps the focus.
  const first = useQuery({ ...gradebookPage(props.classDetails.classId, view, 1), placeholderData: keepPreviousData })
  return (
    <Loaded query={first} lines={10}>
      {({ lessons, total }) =>
        total === 0 ? (
          <Card>
            <Empty icon={Users} title={isFiltered ? say.nobodyFound : dashboardWords.overview.empty}>
              {isFiltered
                ? search === undefined
                  ? undefined
                  : say.nobodyFoundText
                : dashboardWords.overview.emptyText}
            </Empty>
          </Card>
        ) : (
          <Grid key={`${search} ${state} ${inLesson}`} view={view} lessons={lessons} total={total} {...props} />
        )
      }
    </Loaded>
  )
}

interface GridProps extends GradebookGridProps {
  readonly lessons: Column[]
  readonly total: number
}

/** Renders only the visible rows, so that a class of thousands scrolls smoothly. */
function Grid({ classDetails, averages, view, onSort, lessons, total }: GridProps) {
  const { classId } = classDetails
  const navigate = useNavigate()
  const client = useQueryClient()
  const columns = lessons.length + TOTALS
  const box = useRef<HTMLDivElement>(null)
  const keysButton = useRef<HTMLButtonElement>(null)
  const [seen, setSeen] = useState({ from: 0, to: 20 })
  const [place, setPlace] = useState<CellPosition>({ row: 0, column: 0 })
  const [areKeysShown, showKeys] = useState(false)
  /** The cell that is open in the panel. */
  const [opened, setOpened] = useState<CellPosition & { readonly studentId: string }>()
  /** Whether to focus the chosen cell after the next render, because the person chose it with the keyboard. */
  const isMoved = useRef(false)

  const measure = () => {
    const { scrollTop, clientHeight } = box.current!
    const from = Math.max(0, Math.floor(scrollTop / ROW_PX) - OVERSCAN)
    const to = Math.min(total, Math.ceil((scrollTop + clientHeight) / ROW_PX) + OVERSCAN)
    setSeen((before) => (before.from === from && before.to === to ? before : { from, to }))
  }
  useEffect(measure, [total])
  useLayoutEffect(() => {
    // While the panel is open, the focus stays in it.
    if (!isMoved.current || opened) return
    const cell = box.current!.querySelector<HTMLElement>(`[data-place="${place.row}-${place.column}"]`)
    if (!cell) return
    cell.focus({ preventScroll: true })
    isMoved.current = false
  })

  const rows = Array.from({ length: seen.to - seen.from }, (_, i) => seen.from + i)
  // Keep the chosen row rendered even if it is not visible, because the Tab key enters the grid at its cell.
  if (place.row >= 0 && !rows.includes(place.row)) rows.push(place.row)
  const pages = [...new Set(rows.map((row) => Math.floor(row / ROWS_PER_PAGE) + 1))]
  const answers = useQueries({ queries: pages.map((page) => gradebookPage(classId, view, page)) })
  const rowAt = (row: number): Row | undefined =>
    answers[pages.indexOf(Math.floor(row / ROWS_PER_PAGE) + 1)]?.data?.docs[row % ROWS_PER_PAGE]

  const go = (row: number, column: number) => {
    const to = { row: clamp(row, -1, total - 1), column: clamp(column, 0, columns) }
    isMoved.current = true
    setPlace(to)
    bringIntoView(box.current!, to)
    measure()
  }
  const open = ({ row, column }: CellPosition) => {
    const student = rowAt(row)
    if (student && isLesson(column)) setOpened({ row, column, studentId: student.studentId })
    else if (student)
      void navigate({
        to: '/dashboard/classes/$classId/students/$studentId',
        params: { classId, studentId: student.studentId },
      })
  }
  const isLesson = (column: number) => column > 0 && column <= lessons.length
  const [choose] = useState(() => (to: CellPosition) => setPlace(to))
  const latestOpen = useRef(open)
  latestOpen.current = open
  const [openCell] = useState(() => (at: CellPosition) => latestOpen.current(at))

  /** Opens the next cell that waits for a grade; closes the panel if there is none. */
  const openNext = async () => {
    const from = opened!
    const found = await findNext(from, { lessons, total, readRow })
    setOpened(found)
    go((found ?? from).row, (found ?? from).column)
    if (!found) notify(words.noMore)
  }
  const readRow = async (row: number): Promise<Row | undefined> =>
    (await client.fetchQuery(gradebookPage(classId, view, Math.floor(row / ROWS_PER_PAGE) + 1))).docs[
      row % ROWS_PER_PAGE
    ]
  const openRow = opened && rowAt(opened.row)
  const openLesson = opened && lessons[opened.column - 1]

  const onKeyDown = (event: KeyboardEvent) => {
    const { row, column } = place
    const isFar = event.ctrlKey || event.metaKey
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(isFar ? total - 1 : row + 1, column),
      ArrowUp: () => go(isFar ? 0 : row - 1, column),
      ArrowRight: () => go(row, isFar ? columns : column + 1),
      ArrowLeft: () => go(row, isFar ? 0 : column - 1),
      Home: () => go(isFar ? 0 : row, 0),
      End: () => go(isFar ? total - 1 : row, columns),
      PageDown: () => go(row + JUMP, column),
      PageUp: () => go(Math.max(0, row - JUMP), column),
      Enter: () => open(place),
      Escape: () => keysButton.current!.focus(),
      '?': () => showKeys(true),
    }
    const move = moves[event.key]
    // Enter on the head of a column presses its button.
    if (!move || (row < 0 && event.key === 'Enter')) return
    event.preventDefault()
    move()
  }

  const sortBy = (name: 'name' | 'result' | 'passed' | 'mean', lesson?: string): Sort => ({
    by: view.lesson === lesson ? (view.sort ?? 'name') : '',
    onChange: (by) => onSort({ sort: by as typeof name, ...(lesson !== undefined && { lesson }) }),
  })
  const heads = [
    { id: '', title: say.student, sort: 'name', order: sortBy('name') },
    ...lessons.map(({ lessonId: id, name: title, parentId, due }) => ({
      id,
      title,
      sort: 'result',
      order: sortBy('result', id),
      isStep: parentId !== null,
      about: [due === null ? undefined : words.dueOn(sayMoment(due)), averageOf(averages, id)]
        .filter((text) => text !== undefined)
        .join(' · '),
    })),
    { id: 'passed', title: words.passed, sort: 'passed', order: sortBy('passed') },
    { id: 'mean', title: words.mean, sort: 'mean', order: sortBy('mean') },
  ]
  return (
    <>
      <Card isFlush>
        {/* biome-ignore lint/a11y/useSemanticElements: a table cannot leave out the rows that nobody sees */}
        <div
          ref={box}
          role="grid"
          tabIndex={-1}
          aria-label={dashboardWords.class.gradebook}
          aria-rowcount={total + 1}
          aria-colcount={columns + 1}
          className={`${classes.box} gs-scroll`}
          style={{ height: HEAD_PX + total * ROW_PX + SCROLLBAR_PX }}
          onScroll={measure}
          onKeyDown={onKeyDown}
        >
          {/* biome-ignore lint/a11y/useSemanticElements: as above */}
          {/* biome-ignore lint/a11y/useFocusableInteractive: its cells are */}
          <div role="row" aria-rowindex={1} className={classes.head} data-columns>
            {heads.map(({ id, ...head }, column) => (
              <ColumnHead
                key={id}
                {...head}
                column={column}
                isChosen={place.row < 0 && place.column === column}
                onChoose={choose}
              />
            ))}
          </div>
          <div role="presentation" className={classes.body} style={{ height: total * ROW_PX }}>
            {rows.map((row) => (
              <StudentRow
                key={row}
                index={row}
                classId={classId}
                student={rowAt(row)}
                lessons={lessons}
                chosen={place.row === row ? place.column : undefined}
                onChoose={choose}
                onOpen={openCell}
              />
            ))}
          </div>
        </div>
      </Card>
      <Group justify="space-between" mt="sm">
        <Text size="sm" c="dimmed">
          {dashboardWords.overview.students(total)}. {say.hint}
        </Text>
        <Button
          ref={keysButton}
          size="xs"
          variant="subtle"
          color="gray"
          leftSection={<Keyboard size={16} aria-hidden />}
          onClick={() => showKeys(true)}
        >
          {say.keys}
        </Button>
      </Group>
      <Panel
        isOpen={opened !== undefined}
        title={openRow && openLesson ? words.panelTitle(openRow.name || openRow.handle, openLesson.name) : ''}
        onClose={() => {
          setOpened(undefined)
          // The focus returns to the cell that is chosen, which the panel may have changed.
          isMoved.current = true
        }}
      >
        {openRow && openLesson && (
          <GradebookPanel
            key={`${openRow.studentId} ${openLesson.lessonId}`}
            classDetails={classDetails}
            student={openRow}
            lesson={openLesson}
            cell={cellsOf(openRow, lessons)[opened.column - 1]!}
            onClose={() => setOpened(undefined)}
            onNext={() => void openNext()}
          />
        )}
      </Panel>
      <Dialog isOpen={areKeysShown} onClose={() => showKeys(false)} title={say.keysTitle}>
        <Table>
          <Table.Tbody>
            {say.keyList.map(([key, text]) => (
              <Table.Tr key={key}>
                <Table.Th scope="row">
                  <Kbd>{key}</Kbd>
                </Table.Th>
                <Table.Td>{text}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Dialog>
    </>
  )
}

/** Columns after the lessons: lessons passed, and the mean score. */
const TOTALS = 2

interface Rows {
  readonly lessons: Column[]
  readonly total: number
  readonly readRow: (row: number) => Promise<Row | undefined>
}

/**
 * Finds the next cell that waits for a grade, row by row. From an instructor-led lesson it looks only at that lesson,
 * and stops at students who were not evaluated yet.
 */
async function findNext(
  { row, column, studentId }: CellPosition & { readonly studentId: string },
  { lessons, total, readRow }: Rows,
) {
  const isLed = lessons[column - 1]!.kind === 'instructor-led'
  for (let at = row; at < total; at++) {
    const student = await readRow(at)
    const cells = student ? cellsOf(student, lessons) : []
    // A student who no longer matches the filter leaves the list, and the next one moves up.
    const isSame = student?.studentId === studentId
    const found = cells.findIndex(({ isWaiting, result }, i) =>
      isLed
        ? !isSame && i === column - 1 && (isWaiting || result === 'NOT STARTED')
        : isWaiting && (!isSame || i > column - 1),
    )
    if (student && found >= 0) return { row: at, column: found + 1, studentId: student.studentId }
  }
  return undefined
}

function averageOf(averages: GradebookAverages | undefined, id: string): string | undefined {
  const found = averages?.lessons.find(({ lessonId }) => lessonId === id)
  if (!averages || !found || averages.students === 0) return undefined
  return words.average(found.meanScore, Math.round((100 * found.passed) / averages.students))
}

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value))

function bringIntoView(box: HTMLElement, { row, column }: CellPosition): void {
  const top = row * ROW_PX
  const room = box.clientHeight - HEAD_PX - ROW_PX
  if (top < box.scrollTop) box.scrollTop = top
  else if (top > box.scrollTop + room) box.scrollTop = top - room
  if (column === 0) return
  const [name, lesson] = [...box.querySelectorAll<HTMLElement>('[data-columns] > *')].flatMap((one, i) =>
    i === 0 || i === column ? [one] : [],
  )
  const [left, width] = [lesson!.offsetLeft, lesson!.offsetWidth]
  if (left - name!.offsetWidth < box.scrollLeft) box.scrollLeft = left - name!.offsetWidth
  else if (left + width > box.scrollLeft + box.clientWidth) box.scrollLeft = left + width - box.clientWidth
}

interface ColumnHeadProps {
  readonly title: string
  readonly sort: string
  readonly order: Sort
  readonly column: number
  readonly isStep?: boolean
  /** The averages of the lesson. */
  readonly about?: string | undefined
  readonly isChosen: boolean
  readonly onChoose: (place: CellPosition) => void
}
const ColumnHead = ({ title, sort, order, column, isStep = false, about, isChosen, onChoose }: ColumnHeadProps) => (
  // biome-ignore lint/a11y/useSemanticElements: as above
  // biome-ignore lint/a11y/useFocusableInteractive: its button is
  <div
    role="columnheader"
    aria-colindex={column + 1}
    aria-sort={directionOf(sort, order.by)}
    className={column === 0 ? classes.name : classes.cell}
    {...(isStep && { 'data-step': true })}
  >
    <SortButton
      column={{ title, sort }}
      sort={order}
      title={title}
      tabIndex={isChosen ? 0 : -1}
      data-place={`-1-${column}`}
      onFocus={() => onChoose({ row: -1, column })}
    />
    {about && (
      <span className={classes.small} title={about}>
        {about}
      </span>
    )}
  </div>
)

interface StudentRowProps {
  readonly index: number
  readonly classId: string
  readonly student: Row | undefined
  readonly lessons: Column[]
  readonly chosen: number | undefined
  readonly onChoose: (place: CellPosition) => void
  readonly onOpen: (place: CellPosition) => void
}

const StudentRow = memo(function StudentRow({
  index,
  classId,
  student,
  lessons,
  chosen,
  onChoose,
  onOpen,
}: StudentRowProps) {
  const cell = (column: number) => ({
    'data-place': `${index}-${column}`,
    'aria-colindex': column + 1,
    onFocus: () => onChoose({ row: index, column }),
  })
  const cells = student && cellsOf(student, lessons)
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above
    // biome-ignore lint/a11y/useFocusableInteractive: its cells are
    <div role="row" aria-rowindex={index + 2} className={classes.row} style={{ top: index * ROW_PX }}>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="rowheader" className={classes.name} tabIndex={chosen === 0 ? 0 : -1} {...cell(0)}>
        {student ? (
          <Stack gap={0}>
            <Link
              to="/dashboard/classes/$classId/students/$studentId"
              params={{ classId, studentId: student.studentId }}
              tabIndex={-1}
              className={classes.link}
              title={student.name || student.handle}
            >
              {student.name || student.handle}
            </Link>
            <span className={classes.small}>
              {student.status === 'suspended' ? `${student.handle} · ${say.suspended}` : student.handle}
            </span>
          </Stack>
        ) : (
          <span className={classes.small}>{say.loading}</span>
        )}
      </div>
      {lessons.map(({ lessonId }, i) => (
        // biome-ignore lint/a11y/useSemanticElements: as above
        // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
        <div
          role="gridcell"
          key={lessonId}
          className={classes.cell}
          data-opens
          tabIndex={chosen === i + 1 ? 0 : -1}
          onClick={() => onOpen({ row: index, column: i + 1 })}
          {...cell(i + 1)}
        >
          {cells && <ResultCell {...cells[i]!} />}
        </div>
      ))}
      {student &&
        [
          words.passedOf(student.passed, lessons.length),
          student.meanScore === null ? words.noScore : String(student.meanScore),
        ].map((text, i) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          <div
            role="gridcell"
            // biome-ignore lint/suspicious/noArrayIndexKey: there are two, always in this order
            key={i}
            className={classes.cell}
            tabIndex={chosen === lessons.length + 1 + i ? 0 : -1}
            {...cell(lessons.length + 1 + i)}
          >
            {text}
          </div>
        ))}
    </div>
  )
})

function ResultCell({ result, score, attempts, timeOnTask, isWaiting, isLate, isOverdue }: GradebookCell) {
  const Icon = RESULT_LOOKS[result].icon
  const lateness = isOverdue ? words.states.overdue : isLate ? words.states.late : undefined
  return (
    <>
      <span className={classes.result} data-result={result}>
        <Icon size={15} aria-hidden />
        {isWaiting ? words.waits : dashboardWords.results[result]}
        {score !== null && <b>{score}</b>}
      </span>
      {(attempts > 0 || lateness) && (
        <span className={classes.small}>
          {lateness && (
            <b className={classes.late}>
              <Clock size={12} aria-hidden /> {lateness}
            </b>
          )}
          {lateness && attempts > 0 && ' · '}
          {attempts > 0 && `${say.attempts(attempts)} · ${sayDuration(timeOnTask)}`}
        </span>
      )}
    </>
  )
}
