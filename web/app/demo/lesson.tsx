import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { ApiProblem } from '../../api/call.ts'
import {
  type LessonProgress,
  pauseLesson,
  readLesson,
  readProgress,
  requestTokens,
  resumeLesson,
  startLesson,
  updateProgress,
} from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { CircleCheck, CircleX, Pause, Play } from '../../parts/icons.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Problem, Quote, Waiting } from '../../parts/states.tsx'
import { appWords } from '../words.ts'
import { useSent } from './sent.ts'
import { SentList } from './sent-list.tsx'

const { demo: say } = appWords
const PASS_MARK = 80
const ALREADY_STARTED = 409
const SPENT = 4008

interface LessonProps {
  readonly app: { readonly clientId: string; readonly clientSecret: string }
  readonly code: string
  readonly lessonId: string
  readonly classId: string
}

const isPaused = ({ progressIntervals }: LessonProgress): boolean => progressIntervals.every(({ end }) => end !== null)

/** A lesson of the demo app: a checklist. The score is the percentage of ticked items; 80 points are needed to pass. */
export function Lesson({ app, code, lessonId, classId }: LessonProps) {
  const { sent, send } = useSent()
  const [token, setToken] = useState<string>()
  const [name, setName] = useState<string>()
  const [progress, setProgress] = useState<LessonProgress>()
  const [problem, setProblem] = useState<Error>()
  const [ticked, setTicked] = useState<readonly string[]>([])
  const [isBusy, setBusy] = useState(false)
  const hasBegun = useRef(false)
  const lesson = { lessonId, classId }

  useEffect(() => {
    // A code works only once, so do not exchange it again if the effect runs again.
    if (hasBegun.current) return
    hasBegun.current = true
    const begin = async () => {
      const fields = {
        grant_type: 'authorization_code',
        code,
        client_id: app.clientId,
        client_secret: app.clientSecret,
      }
      const { access_token: token } = await send(requestTokens, fields, {})
      setToken(token)
      setName((await send(readLesson, { lessonId, classId }, { token })).name)
      setProgress(
        await send(startLesson, { lessonId, classId }, { token }).catch((error: unknown) => {
          if (!(error instanceof ApiProblem && error.status === ALREADY_STARTED)) throw error
          return send(readProgress, { lessonId, classId }, { token })
        }),
      )
    }
    begin().catch(setProblem)
  }, [app, code, lessonId, classId, send])

  const act = async (call: (token: string) => Promise<LessonProgress>) => {
    setBusy(true)
    setProblem(undefined)
    try {
      setProgress(await call(token!))
    } catch (error) {
      setProblem(error as Error)
    } finally {
      setBusy(false)
    }
  }
  const score = Math.round((100 * ticked.length) / say.taskList.length)
  const finish = () =>
    act((token) => send(updateProgress, { ...lesson, score, pass: score >= PASS_MARK, complete: true }, { token }))
  const isSpent = problem instanceof ApiProblem && problem.code === SPENT
  const isDone = progress !== undefined && progress.completed !== null
  return (
    <>
      <PageHead title={name ?? say.title} lead={say.lessonLead} />
      <Stack gap="lg">
        {isSpent ? (
          <Alert color="yellow" title={say.spent}>
            <Stack gap="xs" align="flex-start">
              {say.spentText}
              <Quote error={problem} />
            </Stack>
          </Alert>
        ) : (
          problem && <Problem title={say.reportFailed} error={problem} />
        )}
        {!progress && !problem && <Waiting />}
        {isDone && (
          <Alert
            color={progress.pass ? 'green' : 'red'}
            icon={progress.pass ? <CircleCheck size={18} aria-hidden /> : <CircleX size={18} aria-hidden />}
            title={say.finished}
            role="status"
          >
            {progress.pass ? say.passed : say.failed}
            {progress.score !== null && `. ${say.score(progress.score)}.`}
          </Alert>
        )}
        {progress && !isDone && (
          <Card>
            <Stack>
              <Checkbox.Group label={say.tasks} value={[...ticked]} onChange={(value) => setTicked(value)}>
                <Stack gap="xs" mt="xs">
                  {say.taskList.map((task) => (
                    <Checkbox key={task} value={task} label={task} disabled={isPaused(progress)} />
                  ))}
                </Stack>
              </Checkbox.Group>
              <Text size="sm" c="dimmed" aria-live="polite">
                {isPaused(progress) ? say.paused : say.score(score)}
              </Text>
              <Group>
                <Button onClick={finish} loading={isBusy} disabled={isPaused(progress)}>
                  {say.finish}
                </Button>
                {isPaused(progress) ? (
                  <Button
                    variant="default"
                    leftSection={<Play size={16} aria-hidden />}
                    onClick={() => act((token) => send(resumeLesson, lesson, { token }))}
                  >
                    {say.resume}
                  </Button>
                ) : (
                  <Button
                    variant="default"
                    leftSection={<Pause size={16} aria-hidden />}
                    onClick={() => act((token) => send(pauseLesson, lesson, { token }))}
                  >
                    {say.pause}
                  </Button>
                )}
              </Group>
            </Stack>
          </Card>
        )}
        <Button
          component={Link}
          to="/dashboard/classes/$classId"
          params={{ classId } as never}
          variant={isDone ? 'filled' : 'default'}
          style={{ alignSelf: 'flex-start' }}
        >
          {say.back}
        </Button>
        <SentList sent={sent} />
      </Stack>
    </>
  )
}
