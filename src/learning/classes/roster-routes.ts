import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { examples } from './enrolment-examples.ts'
import { clearLock, listLocks, setLock } from './locks.ts'
import { importRoster } from './roster.ts'
import { ImportRoster, LessonLock, ListLocks, LocksByHand, NameLock, RosterReport, SetLock } from './schema.ts'

const area = 'Courses and classes'
const role = 'instructor of the class, owner of the organisation, administrator'

export const rosterOperations: readonly Operation[] = [
  operation({
    name: 'importRoster',
    summary: 'Adds and drops many students with a CSV file',
    ...examples.importRoster,
    method: 'POST',
    path: '/edu/v1/class/roster',
    area,
    who: person,
    role,
    input: ImportRoster,
    from: 'csv',
    output: json(RosterReport),
    errors: ['forbidden', 'conflict', 'impossibleNow'],
    run: ({ db, who }, input) => importRoster(db, who, input),
  }),
  operation({
    name: 'listLocks',
    summary: 'Lists the manual locks of a class',
    ...examples.listLocks,
    method: 'GET',
    path: '/edu/v1/class/lock',
    area,
    who: person,
    role: 'staff of the class, owner of the organisation, administrator',
    input: ListLocks,
    from: 'query',
    output: json(LocksByHand),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listLocks(db, who, input),
  }),
  operation({
    name: 'setLock',
    summary: 'Locks or unlocks a lesson by hand',
    ...examples.setLock,
    method: 'PUT',
    path: '/edu/v1/class/lock',
    area,
    who: person,
    role,
    input: SetLock,
    from: 'body',
    output: json(LessonLock),
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => setLock(db, who, input),
  }),
  operation({
    name: 'clearLock',
    summary: 'Removes a manual lock',
    ...examples.clearLock,
    method: 'POST',
    path: '/edu/v1/class/lock/clear',
    area,
    who: person,
    role,
    input: NameLock,
    from: 'body',
    output: success(),
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => clearLock(db, who, input),
  }),
]
