import type { PersonCaller } from '../../kernel/caller.ts'
import { PlatformError } from '../../kernel/errors.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { type Context, type Operation, operation } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { countGuess } from './join-limit.ts'
import {
  changeClass,
  createClass,
  listManagedClasses,
  readClass,
  removeStaff,
  setEnded,
  setStaff,
} from './management.ts'
import { examples } from './management-examples.ts'
import {
  ChangeClass,
  ClassDetails,
  CreateClass,
  ListManagedClasses,
  ManagedClassPage,
  NameClass,
  RemoveStaff,
  SetStaff,
  Staff,
} from './schema.ts'

const area = 'Courses and classes'
const path = '/edu/v1/class'
const role = 'owner of the organisation, or administrator'

/** That a code is taken tells that some class has it. */
const choosingCode = <T>(
  context: Context<PersonCaller>,
  { joinCode }: { joinCode?: string },
  work: () => Promise<T>,
): Promise<T> => (joinCode ? countGuess(context, work, isConflict) : work())
const isConflict = (error: unknown) => error instanceof PlatformError && error.kind === 'conflict'

export const managementOperations: readonly Operation[] = [
  operation({
    name: 'createClass',
    summary: 'Creates a class',
    ...examples.createClass,
    method: 'PUT',
    path,
    area,
    who: person,
    role,
    input: CreateClass,
    from: 'body',
    output: json(ClassDetails),
    errors: ['impossibleNow', 'conflict'],
    run: (context, input) => choosingCode(context, input, () => createClass(context.db, context.who, input)),
  }),
  operation({
    name: 'changeClass',
    summary: 'Changes the name, the order or the join code of a class',
    ...examples.changeClass,
    method: 'POST',
    path,
    area,
    who: person,
    role,
    input: ChangeClass,
    from: 'body',
    output: json(ClassDetails),
    errors: ['conflict'],
    run: (context, input) => choosingCode(context, input, () => changeClass(context.db, context.who, input)),
  }),
  operation({
    name: 'endClass',
    summary: 'Ends a class: nothing is recorded in it any more',
    ...examples.endClass,
    method: 'POST',
    path: `${path}/end`,
    area,
    who: person,
    role,
    input: NameClass,
    from: 'body',
    output: json(ClassDetails),
    errors: [],
    run: ({ db, who }, input) => setEnded(db, who, { ...input, ended: true }),
  }),
  operation({
    name: 'reopenClass',
    summary: 'Reopens a class that has ended',
    ...examples.reopenClass,
    method: 'POST',
    path: `${path}/reopen`,
    area,
    who: person,
    role,
    input: NameClass,
    from: 'body',
    output: json(ClassDetails),
    errors: [],
    run: ({ db, who }, input) => setEnded(db, who, { ...input, ended: false }),
  }),
  operation({
    name: 'readClass',
    summary: 'Reads a class',
    ...examples.readClass,
    method: 'GET',
    path,
    area,
    who: person,
    role: 'student or staff of the class, or who manages it',
    input: NameClass,
    from: 'query',
    output: json(ClassDetails),
    errors: ['forbidden'],
    run: ({ db, who }, input) => readClass(db, who, input),
  }),
  operation({
    name: 'listManagedClasses',
    summary: 'Lists the classes that the caller manages',
    ...examples.listManagedClasses,
    method: 'GET',
    path: `${path}/managed`,
    area,
    who: person,
    role,
    input: ListManagedClasses,
    from: 'query',
    output: json(ManagedClassPage),
    errors: [],
    run: ({ db, who }, input) => listManagedClasses(db, who, input),
  }),
  operation({
    name: 'setClassStaff',
    summary: 'Makes somebody an instructor or an observer of a class',
    ...examples.setClassStaff,
    method: 'POST',
    path: `${path}/staff`,
    area,
    who: person,
    role,
    input: SetStaff,
    from: 'body',
    // A wrong handle is counted, and a refusal that is kept would not be.
    isUnrepeatable: true,
    output: json(Staff),
    errors: ['notFound', 'impossibleNow'],
    run: ({ db, who }, input) => setStaff(db, who, input),
  }),
  operation({
    name: 'removeClassStaff',
    summary: 'Removes an instructor or an observer from a class',
    ...examples.removeClassStaff,
    method: 'POST',
    path: `${path}/staff/remove`,
    area,
    who: person,
    role,
    input: RemoveStaff,
    from: 'body',
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => removeStaff(db, who, input),
  }),
]
