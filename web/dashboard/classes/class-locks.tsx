import { Group, Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ClassDetails, clearLock, type Gradebook, listLocks, readResults, setLock } from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { offerUndo } from '../../parts/notify.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import treeClasses from '../progress/lesson-tree.module.css'
import { dashboardWords } from '../words.ts'

const { locks: say } = dashboardWords
const STATES = { course: say.course, locked: say.locked, open: say.open }
type State = keyof typeof STATES

interface ClassLocksProps {
  readonly classDetails: ClassDetails
  readonly lessons: Gradebook['lessons']
}

/** Lets staff lock and unlock lessons for the whole class. */
export function ClassLocks({ classDetails, lessons }: ClassLocksProps) {
  const { classId } = classDetails
  const locks = useQuery(query(listLocks, { classId }))
  const lock = useWrite(setLock, { changes: [listLocks, readResults] })
  const clear = useWrite(clearLock, { changes: [listLocks, readResults] })
  const put = (lessonId: string, state: State, onSuccess: () => void = () => {}) =>
    state === 'course'
      ? clear.mutate({ classId, lessonId }, { onSuccess })
      : lock.mutate({ classId, lessonId, locked: state === 'locked' }, { onSuccess })
  const error = lock.error ?? clear.error
  return (
    <Card title={say.title} isFlush>
      <Text size="sm" c="dimmed" px={20} pb="sm">
        {say.text}
      </Text>
      {error && <Problem title={say.failed} error={error} />}
      <Loaded query={locks}>
        {(found) => (
          <ul className={treeClasses.tree}>
            {lessons.map(({ lessonId, name, parentId }) => {
              const own = found.filter((one) => one.lessonId === lessonId)
              const set = own.find(({ studentId }) => studentId === null)
              const state: State = set === undefined ? 'course' : set.locked ? 'locked' : 'open'
              const singles = own.filter(({ studentId }) => studentId !== null).length
              return (
                <li key={lessonId} className={treeClasses.row} {...(parentId !== null && { 'data-step': true })}>
                  <div className={treeClasses.text}>
                    <Text fw={550}>{name}</Text>
                    {singles > 0 && (
                      <Text size="xs" c="dimmed">
                        {say.students(singles)}
                      </Text>
                    )}
                  </div>
                  {classDetails.may.setLocks ? (
                    <Select
                      aria-label={say.for(name)}
                      data={Object.entries(STATES).map(([value, label]) => ({ value, label }))}
                      value={state}
                      allowDeselect={false}
                      onChange={(value) =>
                        value !== null &&
                        value !== state &&
                        put(lessonId, value as State, () =>
                          offerUndo(say.done(name, STATES[value as State]), () => put(lessonId, state)),
                        )
                      }
                    />
                  ) : (
                    <Group>
                      <Text size="sm">{STATES[state]}</Text>
                    </Group>
                  )}
                </li>
              )
            })}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}
