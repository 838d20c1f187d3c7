import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ClassDetails, readResults } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { BookOpen } from '../../parts/icons.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { launchWords } from '../launches/words.ts'
import { LessonRow } from '../progress/lesson-row.tsx'
import classes from '../progress/lesson-tree.module.css'

const { block: say } = launchWords

interface BlockLessonProps {
  readonly classDetails: ClassDetails
  readonly lessonId: string
}

/** Lists the lessons of a group of a content package, with the student's results. */
export function BlockLesson({ classDetails: { classId, may }, lessonId }: BlockLessonProps) {
  const results = useQuery(query(readResults, { classId }))
  return (
    <Loaded query={results}>
      {({ lessons }) => {
        const own = lessons.filter(({ parentId }) => parentId === lessonId)
        const next = own.find(({ passed, locked }) => !passed && !locked)
        const passed = own.filter((one) => one.passed).length
        return (
          <Card title={say.title} action={<Text size="sm">{say.text(passed, own.length)}</Text>} isFlush>
            {own.length === 0 && <Empty icon={BookOpen} title={say.empty} />}
            <ol className={classes.tree}>
              {own.map((one) => (
                <LessonRow
                  key={one.lessonId}
                  lesson={{ ...one, parentId: null }}
                  classId={classId}
                  about={undefined}
                  // Lessons in apps are launched from the page of the class.
                  mayLaunch={may.launch && one.kind !== 'app'}
                  isNext={one === next}
                  isBusy={false}
                  onOpen={() => {}}
                />
              ))}
            </ol>
          </Card>
        )
      }}
    </Loaded>
  )
}
