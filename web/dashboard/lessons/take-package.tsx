import { Button, Group, List, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import {
  type ClassDetails,
  type LessonDetails,
  launchPackageLesson,
  type PackageLesson,
  readAgenda,
  readPackageLesson,
  readResults,
  readTimeline,
} from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { ExternalLink } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { sayLock } from '../dates/lesson-dates.tsx'
import { ContentWindow } from '../launches/content-window.tsx'
import { OpenedElsewhere } from '../launches/opened-elsewhere.tsx'
import { type OpenContent, prepareWindow, showContent } from '../launches/opening.ts'
import { PackageState, sayMoveOn } from '../launches/package-state.tsx'
import { launchWords } from '../launches/words.ts'
import { BlockLesson } from './block-lesson.tsx'
import type { LessonProps } from './lesson-props.ts'

const route = getRouteApi('/signed-in/dashboard/classes/$classId/lessons/$lessonId')
const { student: say, window: sayWindow } = launchWords
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })

/** How often the state is read while the content is open. */
const POLL_MS = 15_000
/** Content that is closed may still tell the platform that it has ended. */
const LAST_WORDS_MS = 2000

/** Operations whose results change when content reports. */
const CHANGED = [readPackageLesson, readResults, readTimeline, readAgenda]

interface TakePackageProps {
  readonly classDetails: ClassDetails
  readonly lesson: LessonDetails
  readonly result: NonNullable<LessonProps['result']>
}

/** Lets a student open the content of a lesson, and shows what it has reported. */
export function TakePackage({ classDetails, lesson, result }: TakePackageProps) {
  const { classId } = classDetails
  const { lessonId } = lesson
  const [content, setContent] = useState<OpenContent>()
  const state = useQuery({
    ...query(readPackageLesson, { classId, lessonId }),
    refetchInterval: content ? POLL_MS : false,
  })
  return (
    <Loaded query={state}>
      {(found) =>
        found.kind === 'block' ? (
          <BlockLesson classDetails={classDetails} lessonId={lessonId} />
        ) : (
          <Unit {...{ classDetails, lesson, result, state: found, content, onContent: setContent }} />
        )
      }
    </Loaded>
  )
}

interface UnitProps extends TakePackageProps {
  readonly state: PackageLesson
  readonly content: OpenContent | undefined
  readonly onContent: (content: OpenContent | undefined) => void
}

function Unit({ classDetails, lesson, result, state, content, onContent }: UnitProps) {
  const { classId, may } = classDetails
  const { lessonId } = lesson
  const refresh = useRefresh()
  const start = useRef<HTMLButtonElement>(null)
  const launch = useWrite(launchPackageLesson)
  const close = useCallback(() => {
    onContent(undefined)
    refresh()
    setTimeout(refresh, LAST_WORDS_MS)
  }, [onContent, refresh])
  const isFramed = content?.kind === 'frame'
  useContentInUrl(isFramed, close)
  const wasFramed = useRef(false)
  // After the window over the button is gone: until then the button is inert.
  useEffect(() => {
    if (wasFramed.current && !isFramed) start.current?.focus({ preventScroll: true })
    wasFramed.current = isFramed
  }, [isFramed])
  useReturn(content !== undefined && content.kind !== 'frame', refresh)
  const isSpent = result.attemptsLeft === 0 && result.result !== 'IN PROGRESS' && !state.satisfied
  const open = () => {
    const prepared = prepareWindow(state.launchMethod)
    launch.mutate(
      { classId, lessonId, ...(isSpent && { mode: 'Review' as const }) },
      {
        onSuccess: (launched) => {
          onContent(showContent(launched, prepared))
          refresh()
        },
        onError: () => prepared?.close(),
      },
    )
  }
  const isReview = state.satisfied || isSpent
  const hasStarted = result.result !== 'NOT STARTED' || state.sessions.some(({ mode }) => mode === 'Normal')
  const takes = sayMoveOn(state)
  const session = state.sessions.find(({ sessionId }) => sessionId === launch.data?.sessionId)
  return (
    <>
      <Card>
        <Stack>
          {launch.error && <Problem title={say.startFailed} error={launch.error} />}
          <Group gap="xs">
            <PackageState reported={state} hasStarted={hasStarted} />
            {state.waiveReason !== null && <Text size="sm">{launchWords.waivedBecause(state.waiveReason)}</Text>}
          </Group>
          <Facts>
            {takes !== undefined && <Fact name={launchWords.takes}>{takes}</Fact>}
            {state.progress !== null && <Fact name={launchWords.progress}>{launchWords.percent(state.progress)}</Fact>}
            {state.score !== null && <Fact name={launchWords.score}>{launchWords.percent(state.score)}</Fact>}
          </Facts>
          {content && <OpenedElsewhere content={content} />}
          {state.requires.length > 0 ? (
            <Missing classId={classId} requires={state.requires} />
          ) : result.locked ? (
            <Text>{sayLock(result)}</Text>
          ) : !may.launch ? (
            <Text>{say.closed}</Text>
          ) : (
            <Group>
              <Button
                ref={start}
                variant={isReview ? 'default' : 'filled'}
                loading={launch.isPending}
                onClick={open}
                {...(state.launchMethod === 'OwnWindow' && { rightSection: <ExternalLink size={16} aria-hidden /> })}
              >
                {isReview ? say.review : hasStarted ? say.goOn : say.start}
              </Button>
              <Text size="sm" c="dimmed">
                {[
                  isSpent ? say.noAttempts : undefined,
                  isReview ? say.reviewText : undefined,
                  state.launchMethod === 'OwnWindow' ? say.ownWindow : undefined,
                ]
                  .filter(Boolean)
                  .join(' ')}
              </Text>
            </Group>
          )}
        </Stack>
      </Card>
      {content?.kind === 'frame' && (
        <ContentWindow
          url={content.url}
          title={lesson.name}
          saved={saySaved(session)}
          problem={session?.endedBy === 'abandoned' ? sayWindow.ended : undefined}
          onClose={close}
        />
      )}
    </>
  )
}

/** Says when the content of the open session last called the platform. */
function saySaved(session: PackageLesson['sessions'][number] | undefined): string | undefined {
  if (!session || session.lastDate === session.startedDate) return undefined
  const time = clock.format(new Date(session.lastDate))
  return session.endedBy === 'terminated' ? sayWindow.finished(time) : sayWindow.saved(time)
}

const Missing = ({ classId, requires }: { readonly classId: string } & Pick<PackageLesson, 'requires'>) => (
  <div>
    <Text fw={550}>{say.needs}</Text>
    <List mt={4}>
      {requires.map(({ lessonId, title }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change while it is shown
        <List.Item key={i}>
          {lessonId === null ? (
            title || say.needsOthers
          ) : (
            <TextLink to="/dashboard/classes/$classId/lessons/$lessonId" params={{ classId, lessonId }}>
              {title || say.needsOthers}
            </TextLink>
          )}
        </List.Item>
      ))}
    </List>
  </div>
)

/** Returns a function that reads what the content may have changed again. */
function useRefresh(): () => void {
  const client = useQueryClient()
  return useCallback(() => {
    for (const { operationName } of CHANGED) void client.invalidateQueries({ queryKey: [operationName] })
  }, [client])
}

/** Writes into the URL that the content is open, so that the browser’s way back leads to the lesson. */
function useContentInUrl(isOpen: boolean, onClose: () => void): void {
  const { content } = route.useSearch()
  const navigate = route.useNavigate()
  const isWritten = useRef(false)
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    if (isOpen) void navigate({ search: { content: 'open' }, resetScroll: false })
  }, [isOpen, navigate])
  useEffect(() => {
    if (isOpen && content === 'open') isWritten.current = true
    else if (isOpen && isWritten.current) {
      isWritten.current = false
      close.current()
    } else if (!isOpen && content === 'open') {
      // The content was closed here, or the page was loaded again: a launch works once.
      isWritten.current = false
      void navigate({ search: {}, replace: true, resetScroll: false })
    }
  }, [isOpen, content, navigate])
}

/** Calls a function whenever the person comes back from another window. */
function useReturn(isAway: boolean, onReturn: () => void): void {
  useEffect(() => {
    if (!isAway) return
    const look = () => document.visibilityState === 'visible' && onReturn()
    addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [isAway, onReturn])
}
