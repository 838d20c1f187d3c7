import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ClassDetails, type LessonDetails, listPackageSessions, readGradebook } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Package } from '../../parts/icons.tsx'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { SessionTable } from '../launches/session-table.tsx'
import { LIVE_MS } from '../launches/use-changes.ts'
import { launchWords } from '../launches/words.ts'
import classes from '../progress/lesson-tree.module.css'

const { staff: say, block } = launchWords
const SHOWN = 25

interface PackageOfClassProps {
  readonly classDetails: ClassDetails
  readonly lesson: LessonDetails
}

/** Shows staff the sessions of a lesson, or the lessons of a group. */
export function PackageOfClass({ classDetails: { classId, may }, lesson: { lessonId } }: PackageOfClassProps) {
  const book = useQuery(query(readGradebook, { classId, limit: 1 }))
  const sessions = useQuery({
    ...query(listPackageSessions, { classId, lessonId, limit: SHOWN }),
    refetchInterval: LIVE_MS,
  })
  const children = book.data?.lessons.filter(({ parentId }) => parentId === lessonId) ?? []
  return (
    <Stack gap="lg">
      {children.length > 0 && (
        <Card title={block.title} isFlush>
          <ol className={classes.tree}>
            {children.map((one) => (
              <li key={one.lessonId} className={classes.row}>
                <TextLink
                  to="/dashboard/classes/$classId/lessons/$lessonId"
                  params={{ classId, lessonId: one.lessonId }}
                >
                  {one.name}
                </TextLink>
              </li>
            ))}
          </ol>
        </Card>
      )}
      {children.length === 0 && (
        <Loaded query={sessions}>
          {({ docs, total }) => (
            <Card
              title={say.title}
              isFlush
              action={
                total > docs.length && (
                  <ButtonLink
                    size="xs"
                    variant="default"
                    to="/dashboard/classes/$classId/sessions"
                    params={{ classId }}
                    search={{ lesson: lessonId }}
                  >
                    {say.all}
                  </ButtonLink>
                )
              }
            >
              {docs.length === 0 ? (
                <Empty icon={Package} title={say.empty}>
                  <Text>{say.emptyText}</Text>
                </Empty>
              ) : (
                <SessionTable classId={classId} sessions={docs} mayEnd={may.grade} isOneLesson />
              )}
            </Card>
          )}
        </Loaded>
      )}
    </Stack>
  )
}
