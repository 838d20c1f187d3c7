import { Alert, Anchor, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { CourseDocument } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { BookOpen, Eye } from '../../parts/icons.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { LessonView } from '../lessons/lesson-page.tsx'
import treeClasses from '../progress/lesson-tree.module.css'
import { dashboardWords } from '../words.ts'
import { kindOf } from './kinds/kinds.tsx'
import { editingWords } from './words.ts'

const { previewPage: say } = editingWords
const { kinds } = dashboardWords.course
const courseRoute = getRouteApi('/signed-in/dashboard/courses/$courseId/preview')
const lessonRoute = getRouteApi('/signed-in/dashboard/courses/$courseId/preview/$lessonId')

const Banner = ({ courseId }: { readonly courseId: string }) => (
  <Alert icon={<Eye size={18} aria-hidden />} mb="lg">
    <Group justify="space-between">
      <Text size="sm">{say.banner}</Text>
      <Anchor
        size="sm"
        renderRoot={(props) => <Link {...props} to="/dashboard/courses/$courseId" params={{ courseId }} />}
      >
        {say.edit}
      </Anchor>
    </Group>
  </Alert>
)

interface ToLessonProps {
  readonly courseId: string
  readonly lessonId: string
  readonly children: ReactNode
}
const ToLesson = ({ courseId, lessonId, children }: ToLessonProps) => (
  <Anchor
    renderRoot={(props) => (
      <Link {...props} to="/dashboard/courses/$courseId/preview/$lessonId" params={{ courseId, lessonId }} />
    )}
  >
    {children}
  </Anchor>
)

const rowsOf = ({ lessons }: CourseDocument) =>
  lessons.flatMap((one) => [
    { lesson: one, isStep: false },
    ...(one.childLessons ?? []).map((lesson) => ({ lesson, isStep: true })),
  ])

/** Lists the lessons of the draft as students will see them. */
export function CoursePreviewPage() {
  const course = useQuery(courseRoute.useLoaderData().course)
  return (
    <Loaded query={course}>
      {(doc) => (
        <>
          <Banner courseId={doc.courseId} />
          <PageHead title={doc.name} lead={doc.description || say.lead} />
          <Card title={say.lessons} isFlush>
            {doc.lessons.length === 0 && <Empty icon={BookOpen} title={say.empty} />}
            <ol className={treeClasses.tree}>
              {rowsOf(doc).map(({ lesson, isStep }) => (
                <li key={lesson.id} className={treeClasses.row} {...(isStep && { 'data-step': true })}>
                  <div className={treeClasses.text}>
                    <ToLesson courseId={doc.courseId} lessonId={lesson.id}>
                      {lesson.name}
                    </ToLesson>
                    <Text size="sm" c="dimmed">
                      {[kinds[kindOf(lesson)], lesson.description].filter(Boolean).join(' · ')}
                    </Text>
                  </div>
                </li>
              ))}
            </ol>
          </Card>
        </>
      )}
    </Loaded>
  )
}

/** Shows a lesson of the draft with the components that students use, without a class. */
export function LessonPreviewPage() {
  const { courseId, lessonId } = lessonRoute.useParams()
  const loaded = lessonRoute.useLoaderData()
  const lesson = useQuery(loaded.lesson)
  const course = useQuery(loaded.course)
  const all = course.data ? rowsOf(course.data).map((row) => row.lesson) : []
  const at = all.findIndex(({ id }) => id === lessonId)
  const [previous, next] = at < 0 ? [] : [all[at - 1], all[at + 1]]
  return (
    <Loaded query={lesson} lines={8}>
      {(found) => (
        <>
          <Banner courseId={courseId} />
          <PageHead
            title={found.name}
            lead={found.description}
            above={
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link {...props} to="/dashboard/courses/$courseId/preview" params={{ courseId }} />
                )}
              >
                {say.all}
              </Anchor>
            }
          />
          <Stack gap="lg">
            <LessonView key={lessonId} lesson={found} />
            <Group justify="space-between">
              {previous ? (
                <ToLesson courseId={courseId} lessonId={previous.id}>
                  {say.previous}: {previous.name}
                </ToLesson>
              ) : (
                <span />
              )}
              {next && (
                <ToLesson courseId={courseId} lessonId={next.id}>
                  {say.next}: {next.name}
                </ToLesson>
              )}
            </Group>
          </Stack>
        </>
      )}
    </Loaded>
  )
}
