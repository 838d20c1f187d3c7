import { invitationPolicy } from '../../apps/invitations/sending.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { countTakenId } from '../courses/guesses.ts'
import { clearLock, listLocks, setLock } from './locks.ts'
import { MAY } from './roles.ts'
import { importRoster } from './roster.ts'
import { ImportRoster, LessonLock, ListLocks, LocksByHand, NameLock, RosterReport, SetLock } from './schema.ts'

const op = operationsIn({ area: 'Courses and classes', who: person })

export const rosterOperations: readonly Operation[] = [
  op('POST /edu/v1/class/roster', {
    name: 'importRoster',
    summary: 'Import a class roster',
    description:
      'Adds, drops, suspends and reinstates students with a CSV file of up to 2 MiB and 20,000 rows; users who are not members of the organisation are invited. Each row gets its own result; with `allOrNothing` nothing is written if a row has an error, and with `dryRun` nothing is written at all. Sending the same file again changes nothing.',
    example: {
      as: 'casey',
      request: {
        classId: 'class-alpha',
        dryRun: true,
        roster: 'handle,action,studentId\r\n@drew,add,student-drew\r\n@blake,suspend,\r\n@nobody,,\r\n',
      },
    },
    roles: MAY.change,
    input: ImportRoster,
    from: 'csv',
    output: json(RosterReport),
    errors: ['forbidden', 'conflict', 'impossibleNow'],
    run: (context, input) => {
      const { db, who, environment } = context
      return countTakenId(context, () => importRoster(db, who, input, environment.get(invitationPolicy)))
    },
  }),
  op('GET /edu/v1/class/lock', {
    name: 'listLocks',
    summary: 'List manual locks of a class',
    description:
      'Returns the lessons that an instructor has locked or unlocked: for the whole class if `studentId` is null, otherwise for that student. Locks that follow from the course rules are not included.',
    example: { as: 'casey', after: 'setLock', request: { classId: 'class-alpha' } },
    roles: MAY.readClass,
    input: ListLocks,
    output: json(LocksByHand),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listLocks(db, who, input),
  }),
  op('PUT /edu/v1/class/lock', {
    name: 'setLock',
    summary: 'Lock or unlock a lesson',
    description:
      'Locks or unlocks a lesson manually, for a class or for one student. A lock for a student takes precedence over one for the class, and both over the order and the prerequisites of the course.',
    example: {
      as: 'casey',
      request: { classId: 'class-alpha', lessonId: 'lesson-walkaround', studentId: 'student-avery', locked: false },
    },
    roles: MAY.change,
    input: SetLock,
    output: json(LessonLock),
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => setLock(db, who, input),
  }),
  op('POST /edu/v1/class/lock/clear', {
    name: 'clearLock',
    summary: 'Delete a manual lock',
    description:
      'Deletes a manual lock of a class or of one student, so that the course rules apply again. If there is none, nothing changes.',
    example: {
      as: 'casey',
      after: 'setLock',
      request: { classId: 'class-alpha', lessonId: 'lesson-walkaround', studentId: 'student-avery' },
    },
    roles: MAY.change,
    input: NameLock,
    output: success(),
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => clearLock(db, who, input),
  }),
]
