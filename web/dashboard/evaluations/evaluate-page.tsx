import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQueries, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type Evaluation,
  type LessonDetails,
  listEvaluations,
  listStudents,
  readClass,
  readHere,
} from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { ClipboardCheck, Clock } from '../../parts/icons.tsx'
import { ButtonLink } from '../../parts/link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { dashboardWords } from '../words.ts'
import classes from './evaluation.module.css'
import { EvaluationFields } from './evaluation-fields.tsx'
import { type EvaluationValues, emptyValues, findMistakes, toInput } from './evaluation-model.ts'
import { makeEvaluationId, type Waiting } from './outbox.ts'
import { useOutbox } from './use-outbox.ts'
import { evaluationWords as say } from './words.ts'

const route = getRouteApi('/signed-in/dashboard/classes/$classId/lessons/$lessonId/evaluate')

interface Candidate {
  readonly studentId: string
  readonly name: string
}

/** Lets an instructor record evaluations of an instructor-led lesson, also without a connection. */
export function EvaluatePage() {
  const { classId, lessonId } = route.useParams()
  // The frame of the class has loaded it already.
  const { may } = useSuspenseQuery(query(readClass, { classId })).data
  const loaded = route.useLoaderData()
  const lesson = useQuery(loaded.lesson)
  const here = useQuery(query(readHere, {}))
  return (
    <Loaded query={lesson} lines={8}>
      {(found) => (
        <>
          <PageHead title={say.title(found.name)} lead={say.lead} />
          {found.kind !== 'instructor-led' || !may.evaluate ? (
            <Card>
              <Empty
                icon={ClipboardCheck}
                title={may.evaluate ? say.notLed : say.mayNot}
                action={
                  <ButtonLink to="/dashboard/classes/$classId/gradebook" params={{ classId }} variant="default">
                    {dashboardWords.class.gradebook}
                  </ButtonLink>
                }
              >
                {may.evaluate && say.notLedText}
              </Empty>
            </Card>
          ) : (
            here.data?.person && (
              <Evaluate key={lessonId} person={here.data.person.handle} classId={classId} lesson={found} />
            )
          )}
        </>
      )}
    </Loaded>
  )
}

/** Returns the students that the URL names, or else those of the class that match the search. */
function useCandidates(classId: string, ids: readonly string[] | undefined, search: string | undefined) {
  const list = useQuery(query(listStudents, { classId, limit: 100, sort: 'name', ...(search && { search }) }))
  const listed = list.data?.docs ?? []
  // Only students beyond the first hundred have to be read one by one.
  const missing = list.data ? (ids ?? []).filter((id) => !listed.some(({ studentId }) => studentId === id)) : []
  const others = useQueries({
    queries: missing.map((studentId) => query(listStudents, { classId, studentId })),
    combine: (answers) => answers.flatMap(({ data }) => data?.docs ?? []),
  })
  const candidates = [...listed, ...others]
    .filter(({ studentId, status }) => (ids ? ids.includes(studentId) : status !== 'dropped'))
    .map(({ studentId, name, handle }): Candidate => ({ studentId, name: name || handle }))
  return { list, candidates }
}

const TOGETHER = '*'

interface EvaluateProps {
  readonly person: string
  readonly classId: string
  readonly lesson: LessonDetails
}

function Evaluate({ person, classId, lesson }: EvaluateProps) {
  const { lessonId, rubric = [], threshold } = lesson
  const { students: ids } = route.useSearch()
  const [search, setSearch] = useState<string>()
  const { list, candidates } = useCandidates(classId, ids, search)
  const recent = useQuery(query(listEvaluations, { classId, lessonId, limit: 100 }))
  const { outbox, problem, send, keepDraft, post, takeBack } = useOutbox(person, classId, lessonId)
  const [isTogether, setTogether] = useState(false)
  const [chosen, setChosen] = useState<string>()
  /** Students who were evaluated on this page. */
  const [done, setDone] = useState<ReadonlySet<string>>(new Set())
  const [areMistakesShown, showMistakes] = useState(false)

  const isWaiting = (id: string) => outbox.waiting.some(({ studentId }) => studentId === id)
  const next = (after: ReadonlySet<string>, from = 0) => {
    const rest = [...candidates.slice(from), ...candidates.slice(0, from)]
    return rest.find(({ studentId }) => !after.has(studentId) && !isWaiting(studentId))?.studentId
  }
  const current = isTogether ? TOGETHER : (chosen ?? next(done))
  const values = (current !== undefined && outbox.drafts[current]) || emptyValues()
  const mistakes = areMistakesShown ? findMistakes(rubric, threshold, values) : {}
  const student = candidates.find(({ studentId }) => studentId === current)
  const unsent = outbox.waiting.filter(({ error }) => error === undefined)

  // Nothing is lost with the page: everything is kept on the device.
  useUnsaved(() => false)

  const save = () => {
    if (current === undefined) return
    const isWrong = Object.keys(findMistakes(rubric, threshold, values)).length > 0
    showMistakes(isWrong)
    if (isWrong) return
    const evaluated = isTogether ? candidates : candidates.filter(({ studentId }) => studentId === current)
    post(
      current,
      evaluated.map(({ studentId, name }) => ({
        ...toInput(rubric, threshold, values, { evaluationId: makeEvaluationId(), studentId }),
        name,
      })),
    )
    const nowDone = new Set([...done, ...evaluated.map(({ studentId }) => studentId)])
    setDone(nowDone)
    setTogether(false)
    setChosen(next(nowDone, candidates.findIndex(({ studentId }) => studentId === current) + 1))
  }
  return (
    <Stack>
      {unsent.length > 0 && (
        <Alert color="yellow" icon={<Clock size={18} aria-hidden />} title={say.onDeviceTitle} role="status">
          <Stack gap="xs" align="flex-start">
            <Text size="sm">{say.onDevice(unsent.length)}</Text>
            <Button size="xs" variant="default" onClick={() => void send()}>
              {say.sendNow}
            </Button>
          </Stack>
        </Alert>
      )}
      {problem && <Problem title={say.sendFailed} error={problem} />}
      {outbox.waiting
        .filter(({ error }) => error !== undefined)
        .map((one) => (
          <Refused
            key={one.evaluationId}
            waiting={one}
            onEdit={() => {
              takeBack(one, draftOf(one))
              setDone(new Set([...done].filter((id) => id !== one.studentId)))
              setTogether(false)
              setChosen(one.studentId)
            }}
            onDiscard={() => takeBack(one)}
          />
        ))}
      {ids !== undefined && candidates.length > 1 && (
        <SegmentedControl
          aria-label={say.how}
          value={isTogether ? 'together' : 'one'}
          data={[
            { value: 'one', label: say.oneByOne },
            { value: 'together', label: say.together },
          ]}
          onChange={(to) => setTogether(to === 'together')}
        />
      )}
      <div className={classes.page}>
        <Card title={say.students} isFlush>
          {ids === undefined && (
            <div style={{ padding: '0 12px 8px' }}>
              <SearchField label={say.chooseStudent} value={search} onChange={setSearch} />
            </div>
          )}
          <Loaded query={list} lines={4}>
            {() => (
              <ul className={`${classes.list} gs-scroll`}>
                {candidates.length === 0 && <Text p="sm">{say.nobody}</Text>}
                {candidates.map(({ studentId, name }) => (
                  <li key={studentId}>
                    <button
                      type="button"
                      className={classes.student}
                      aria-current={!isTogether && studentId === current}
                      onClick={() => {
                        setTogether(false)
                        showMistakes(false)
                        setChosen(studentId)
                      }}
                    >
                      {name}
                      <span className={classes.state}>
                        {stateOf(studentId, { outbox, done, recent: recent.data?.docs ?? [] })}
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
            )}
          </Loaded>
        </Card>
        {current === undefined ? (
          <Card>
            <Empty icon={ClipboardCheck} title={candidates.length === 0 ? say.chooseStudent : say.allDone} />
          </Card>
        ) : (
          <Card title={student?.name ?? say.together}>
            <form
              noValidate
              onSubmit={(event) => {
                event.preventDefault()
                save()
              }}
            >
              <Stack>
                {isTogether && <Text size="sm">{say.togetherText(candidates.length)}</Text>}
                <EvaluationFields
                  key={current}
                  rubric={rubric}
                  threshold={threshold}
                  values={values}
                  mistakes={mistakes}
                  onChange={(changes) => keepDraft(current, { ...values, ...changes })}
                />
                <Group justify="flex-end">
                  <Button type="submit" size="md">
                    {isTogether ? say.saveAll(candidates.length) : candidates.length > 1 ? say.saveNext : say.save}
                  </Button>
                </Group>
              </Stack>
            </form>
          </Card>
        )}
      </div>
    </Stack>
  )
}

interface Known {
  readonly outbox: ReturnType<typeof useOutbox>['outbox']
  readonly done: ReadonlySet<string>
  readonly recent: readonly Evaluation[]
}

function stateOf(studentId: string, { outbox, done, recent }: Known): string {
  const waiting = outbox.waiting.find((one) => one.studentId === studentId)
  if (waiting) return waiting.error === undefined ? say.states.waiting : say.states.refused
  if (outbox.drafts[studentId]) return say.states.draft
  const found = recent.find((one) => one.studentId === studentId && one.counts)
  if (found) return [found.pass ? say.pass : say.fail, found.score].filter((part) => part !== null).join(', ')
  return done.has(studentId) ? say.states.sent : say.states.none
}

/** Turns an evaluation back into the values of the form. */
function draftOf({ criteria, score, pass, remarks, startTime, endTime }: Waiting): EvaluationValues {
  const minutes = Math.round((Date.parse(endTime) - Date.parse(startTime)) / 60_000)
  return {
    ...emptyValues(0, new Date(startTime)),
    points: Object.fromEntries(criteria.flatMap(({ id, points }) => (points === null ? [] : [[id, points]]))),
    ...(score !== undefined && { score }),
    pass,
    remarks,
    minutes,
  }
}

interface RefusedProps {
  readonly waiting: Waiting
  readonly onEdit: () => void
  readonly onDiscard: () => void
}

const Refused = ({ waiting, onEdit, onDiscard }: RefusedProps) => (
  <Alert color="red" title={say.refusedTitle(waiting.name)} role="alert">
    <Stack gap="xs">
      <Text size="sm">{waiting.error}</Text>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={onEdit}>
          {say.change}
        </Button>
        <Button size="xs" variant="subtle" color="red" onClick={onDiscard}>
          {say.discard}
        </Button>
      </Group>
    </Stack>
  </Alert>
)
