import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core'
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
import {
  type EvaluationValues,
  emptyValues,
  findMistakes,
  followingValues,
  lastEndsOf,
  toInput,
} from './evaluation-model.ts'
import { makeEvaluationId, type Waiting } from './outbox.ts'
import { RefusedEvaluation } from './refused-evaluation.tsx'
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
  const { outbox, problem, send, keepDraft, dropDraft, post, takeBack } = useOutbox(person, classId, lessonId)
  /** The students who are evaluated together. A search does not change them. */
  const [group, setGroup] = useState<readonly Candidate[]>([])
  const isTogether = group.length > 1
  const isInGroup = (id: string | undefined) => group.some(({ studentId }) => studentId === id)
  const [chosen, setChosen] = useState<string>()
  /** Students who were evaluated on this page. */
  const [done, setDone] = useState<ReadonlySet<string>>(new Set())
  const [areMistakesShown, showMistakes] = useState(false)

  const isWaiting = (id: string) => outbox.waiting.some(({ studentId }) => studentId === id)
  const next = (after: ReadonlySet<string>, from = 0) => {
    const rest = [...candidates.slice(from), ...candidates.slice(0, from)]
    return rest.find(({ studentId }) => !after.has(studentId) && !isWaiting(studentId))?.studentId
  }
  const current = isTogether ? (isInGroup(chosen) ? chosen! : TOGETHER) : (chosen ?? next(done))
  const lastEnds = lastEndsOf(outbox.waiting, recent.data?.docs ?? [])
  const startValues = (ids: readonly string[]) => followingValues(ids.map((id) => lastEnds.get(id)))
  const shared = outbox.drafts[TOGETHER] ?? startValues(group.map(({ studentId }) => studentId))
  /** In a group, the values of a student are those of all until the instructor changes them. */
  const valuesOf = (id: string) => outbox.drafts[id] ?? (isTogether ? shared : startValues([id]))
  const values = current === undefined || current === TOGETHER ? shared : valuesOf(current)
  const mistakes = areMistakesShown ? findMistakes(rubric, threshold, values) : {}
  const student = [...group, ...candidates].find(({ studentId }) => studentId === current)
  const changed = isTogether ? group.filter(({ studentId }) => outbox.drafts[studentId]) : []
  const unsent = outbox.waiting.filter(({ error }) => error === undefined)

  // Nothing is lost with the page: everything is kept on the device.
  useUnsaved(() => false)

  const isWrong = (one: EvaluationValues) => Object.keys(findMistakes(rubric, threshold, one)).length > 0
  const save = () => {
    if (current === undefined) return
    const evaluated = isTogether ? group : candidates.filter(({ studentId }) => studentId === current)
    const wrong = evaluated.find(({ studentId }) => isWrong(valuesOf(studentId)))?.studentId
    showMistakes(wrong !== undefined)
    if (wrong !== undefined) {
      if (isTogether) setChosen(outbox.drafts[wrong] && wrong)
      return
    }
    post(
      [TOGETHER, ...evaluated.map(({ studentId }) => studentId)],
      evaluated.map(({ studentId, name }) => ({
        ...toInput(rubric, threshold, valuesOf(studentId), { evaluationId: makeEvaluationId(), studentId }),
        name,
      })),
    )
    const nowDone = new Set([...done, ...evaluated.map(({ studentId }) => studentId)])
    setDone(nowDone)
    setGroup([])
    setChosen(next(nowDone, candidates.findIndex(({ studentId }) => studentId === current) + 1))
  }
  const setSelected = (ones: readonly Candidate[], isSelected: boolean) => {
    const others = group.filter(({ studentId }) => !ones.some((one) => one.studentId === studentId))
    setGroup(isSelected ? [...others, ...ones] : others)
    setChosen(undefined)
    showMistakes(false)
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
          <RefusedEvaluation key={one.evaluationId} waiting={one} onDiscard={() => takeBack(one)}>
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                takeBack(one, draftOf(one))
                setDone(new Set([...done].filter((id) => id !== one.studentId)))
                setGroup([])
                setChosen(one.studentId)
              }}
            >
              {say.change}
            </Button>
          </RefusedEvaluation>
        ))}
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
                {candidates.length > 1 && (
                  <li className={classes.all}>
                    <Checkbox
                      label={say.selectAll}
                      checked={candidates.every(({ studentId }) => isInGroup(studentId))}
                      indeterminate={group.length > 0 && !candidates.every(({ studentId }) => isInGroup(studentId))}
                      onChange={({ currentTarget }) => setSelected(candidates, currentTarget.checked)}
                    />
                  </li>
                )}
                {candidates.length === 0 && <Text p="sm">{say.nobody}</Text>}
                {candidates.map((one) => (
                  <li key={one.studentId} className={classes.item}>
                    <Checkbox
                      size="md"
                      className={classes.box}
                      aria-label={say.select(one.name)}
                      checked={isInGroup(one.studentId)}
                      onChange={({ currentTarget }) => setSelected([one], currentTarget.checked)}
                    />
                    <button
                      type="button"
                      className={classes.student}
                      aria-current={one.studentId === current}
                      onClick={() => {
                        // A student outside the group is evaluated alone.
                        if (!isInGroup(one.studentId)) setGroup([])
                        showMistakes(false)
                        setChosen(one.studentId)
                      }}
                    >
                      {one.name}
                      <span className={classes.state}>
                        {isTogether && isInGroup(one.studentId)
                          ? say.states[outbox.drafts[one.studentId] ? 'own' : 'shared']
                          : stateOf(one.studentId, { outbox, done, recent: recent.data?.docs ?? [] })}
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
          <Card title={student?.name ?? say.togetherTitle(group.length)}>
            <form
              noValidate
              onSubmit={(event) => {
                event.preventDefault()
                save()
              }}
            >
              <Stack>
                {current === TOGETHER && (
                  <Text size="sm">
                    {say.togetherText(
                      group.length,
                      changed.map(({ name }) => name),
                    )}
                  </Text>
                )}
                {isTogether && current !== TOGETHER && (
                  <Group gap="xs">
                    <Button size="xs" variant="default" onClick={() => setChosen(undefined)}>
                      {say.backToAll}
                    </Button>
                    {outbox.drafts[current] && (
                      <Button size="xs" variant="subtle" onClick={() => dropDraft(current)}>
                        {say.useShared}
                      </Button>
                    )}
                  </Group>
                )}
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
                    {isTogether ? say.saveAll(group.length) : candidates.length > 1 ? say.saveNext : say.save}
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
