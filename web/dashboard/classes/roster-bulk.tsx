import { Text } from '@mantine/core'
import { useState } from 'react'
import { dropStudent, reinstateStudent, type Student, suspendStudent } from '../../api/operations.ts'
import { type BulkResult, useBulkWrite } from '../../api/query.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { notifyProblem, offerUndo } from '../../parts/notify.tsx'
import { BulkFailures } from '../../parts/selection.tsx'
import { selectionWords } from '../../parts/selection-words.ts'
import { bulkWords } from './roster-bulk-words.ts'
import { ROSTER_CHANGES } from './roster-changes.ts'

type Status = Student['status']

/** A change of several students to one status. */
export interface BulkChange {
  readonly to: Status
  readonly students: readonly Student[]
}

/** Returns one bulk write for each status. `onDone` is called even if the dialog is closed before the last write. */
function useStatusWrites(onDone: (to: Status, result: BulkResult) => void) {
  const options = (to: Status) => ({
    changes: ROSTER_CHANGES,
    onDone: (result: BulkResult) => onDone(to, result),
  })
  return {
    active: useBulkWrite(reinstateStudent, options('active')),
    suspended: useBulkWrite(suspendStudent, options('suspended')),
    dropped: useBulkWrite(dropStudent, options('dropped')),
  }
}

const itemsOf = (students: readonly Student[]) =>
  students.map(({ handle, studentId }) => ({ name: handle, input: { studentId } }))

interface RosterBulkDialogProps {
  readonly change: BulkChange
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Suspends, reinstates or drops several students, after asking once. The notice that follows offers Undo. */
export function RosterBulkDialog({ change: { to, students }, onDone, onClose }: RosterBulkDialogProps) {
  const say = bulkWords[to]
  /** The students to change; after an attempt that failed for some, only these. */
  const [left, setLeft] = useState(students)
  const undo = async (changed: readonly Student[]) => {
    // A student who was dropped has to be reinstated before they can be suspended.
    if (to === 'dropped') await writes.active.mutateAsync(itemsOf(changed))
    for (const before of ['active', 'suspended', 'dropped'] as const) {
      const group = changed.filter(({ status }) => status === before)
      const isBack = to === 'dropped' && before === 'active'
      if (group.length > 0 && !isBack) await writes[before].mutateAsync(itemsOf(group))
    }
  }
  const writes = useStatusWrites((status, { done, failed }) => {
    if (status !== to) {
      const names = failed.map(({ name }) => name).join(', ')
      if (failed.length > 0) notifyProblem(`${selectionWords.failed(failed.length, done + failed.length)}: ${names}`)
      return
    }
    const isFailed = ({ handle }: Student) => failed.some(({ name }) => name === handle)
    const changed = left.filter((one) => !isFailed(one))
    if (changed.length > 0) offerUndo(say.done(changed.length), () => void undo(changed))
    setLeft(left.filter(isFailed))
    if (failed.length > 0) return
    onDone()
    onClose()
  })
  const { data, error, isPending, mutate } = writes[to]
  return (
    <Confirm
      isOpen
      title={say.title(left.length)}
      go={say.go(left.length)}
      isPending={isPending}
      error={error}
      isHarmless={to === 'active'}
      onGo={() => mutate(itemsOf(left))}
      onClose={onClose}
    >
      <BulkFailures result={data} />
      {say.text}
      <Text size="sm" mt="xs" lineClamp={3}>
        {left.map(({ name, handle }) => name || handle).join(', ')}
      </Text>
    </Confirm>
  )
}
