import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import type { LessonDetails } from '../../api/operations.ts'
import { onDemand } from '../../parts/on-demand.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useClass } from '../classes/class-frame.tsx'
import { LateBadge, sayDates } from '../dates/lesson-dates.tsx'
import type { LessonProps } from './lesson-props.ts'
import { lessonWords as say } from './words.ts'

const route = getRouteApi('/signed-in/dashboard/classes/$classId/lessons/$lessonId')

/** The component for each kind, loaded on demand. Apps have pages of their own. */
const VIEWS: Record<LessonDetails['kind'], ComponentType<LessonProps>> = {
  activity: onDemand(async () => (await import('./activity-lesson.tsx')).ActivityLesson),
  app: onDemand(async () => (await import('./app-lesson.tsx')).AppLesson),
  'instructor-led': onDemand(async () => (await import('./led-lesson.tsx')).LedLesson),
  page: onDemand(async () => (await import('./page-lesson.tsx')).PageLesson),
  file: onDemand(async () => (await import('./file-lesson.tsx')).FileLesson),
  quiz: onDemand(async () => (await import('./quiz-lesson.tsx')).QuizLesson),
  package: onDemand(async () => (await import('./package-lesson.tsx')).PackageLesson),
}

/** Shows a lesson as a student sees it. */
export function LessonView(props: LessonProps) {
  const View = VIEWS[props.lesson.kind]
  return <View {...props} />
}

export function LessonPage() {
  const { classId, studentId } = useClass()
  const { lessonId } = route.useParams()
  const loaded = route.useLoaderData()
  const lesson = useQuery(loaded.lesson)
  const results = useQuery({ ...loaded.results, enabled: studentId !== null })
  const own = results.data?.lessons.find((one) => one.lessonId === lessonId)
  return (
    <Loaded query={lesson} lines={8}>
      {(found) => (
        <>
          <PageHead
            title={found.name}
            lead={found.description}
            above={
              <Anchor
                size="sm"
                renderRoot={(props) => <Link {...props} to="/dashboard/classes/$classId" params={{ classId }} />}
              >
                {say.back}
              </Anchor>
            }
          />
          <Stack gap="lg">
            {own && (own.late || own.overdue || sayDates(own).length > 0) && (
              <Group gap="xs">
                <Text size="sm">{sayDates(own).join(' · ')}</Text>
                <LateBadge late={own.late} overdue={own.overdue} />
              </Group>
            )}
            <LessonView lesson={found} classId={classId} result={own} />
          </Stack>
        </>
      )}
    </Loaded>
  )
}
