import { Type } from 'typebox'
import { SentInvitation } from '../../apps/invitations/schema.ts'
import { invitationPolicy } from '../../apps/invitations/sending.ts'
import { AUTHORS, MANAGERS } from '../../apps/organisations/roles.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import { PlatformError } from '../../kernel/errors.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { type Context, type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { countCodeGuess, countTakenId } from '../courses/guesses.ts'
import {
  changeClass,
  createClass,
  duplicateClass,
  listManagedClasses,
  readClass,
  removeStaff,
  setEnded,
  setStaff,
} from './management.ts'
import { MAY } from './roles.ts'
import {
  ChangeClass,
  ClassDetails,
  CreateClass,
  DuplicateClass,
  ListManagedClasses,
  ManagedClassPage,
  NameClass,
  RemoveStaff,
  SetStaff,
  Staff,
} from './schema.ts'

const op = operationsIn({ area: 'Courses and classes', who: person })

/** Counts a refused join code as a guess, because the refusal reveals that another class has this code. */
const choosingCode = <T>(
  context: Context<PersonCaller>,
  { joinCode }: { joinCode?: string },
  work: () => Promise<T>,
): Promise<T> => (joinCode ? countCodeGuess(context, work, isConflict) : work())
const isConflict = (error: unknown) => error instanceof PlatformError && error.kind === 'conflict'

export const managementOperations: readonly Operation[] = [
  op('PUT /edu/v1/class', {
    name: 'createClass',
    summary: 'Create a class',
    description:
      'Creates a class: one run of a course, on the version that is newest now. With `newJoinCode` it gets a code with which students can join. Those who edit the course can do this; an instructor becomes the instructor of the class.',
    example: {
      request: {
        courseId: 'course-preflight',
        classId: 'class-delta',
        name: 'Preflight Delta',
        sequential: true,
        newJoinCode: true,
      },
      as: 'ellis',
    },
    roles: AUTHORS,
    input: CreateClass,
    output: json(ClassDetails),
    errors: ['impossibleNow', 'conflict'],
    run: (context, input) =>
      countTakenId(context, () => choosingCode(context, input, () => createClass(context.db, context.who, input))),
  }),
  op('POST /edu/v1/class', {
    name: 'changeClass',
    summary: 'Update a class',
    description:
      'Changes the name, the lesson order or the join code of a class; fields that are left out stay the same. An empty `joinCode` deletes the code, so that nobody can join; `newJoinCode` replaces it, and the old one stops working.',
    example: { request: { classId: 'class-delta', name: 'Delta', joinCode: '' }, as: 'ellis', after: 'createClass' },
    roles: MANAGERS,
    input: ChangeClass,
    output: json(ClassDetails),
    errors: ['conflict'],
    run: (context, input) => choosingCode(context, input, () => changeClass(context.db, context.who, input)),
  }),
  op('POST /edu/v1/class/duplicate', {
    name: 'duplicateClass',
    summary: 'Duplicate a class',
    description:
      'Creates a class with the settings and staff of another class, on the newest version of the course or on the same one. Students, results and locks are not copied, and a join code is replaced by a new one. Staff who do not belong to the organisation are invited again.',
    example: {
      request: { classId: 'class-delta', newClassId: 'class-echo', name: 'Preflight Echo' },
      as: 'ellis',
      after: 'createClass',
    },
    roles: MANAGERS,
    input: DuplicateClass,
    output: json(ClassDetails),
    errors: ['impossibleNow', 'conflict'],
    run: (context, input) =>
      countTakenId(context, () =>
        duplicateClass(context.db, context.who, input, context.environment.get(invitationPolicy)),
      ),
  }),
  op('POST /edu/v1/class/end', {
    name: 'endClass',
    summary: 'Close a class',
    description:
      'Closes a class: nothing more is recorded in it, and nobody can join, but students and staff can still read everything. Closing it again changes nothing. A closed class can be reopened.',
    example: { request: { classId: 'class-delta' }, as: 'ellis', after: 'createClass' },
    roles: MANAGERS,
    input: NameClass,
    output: json(ClassDetails),
    run: ({ db, who }, input) => setEnded(db, who, { ...input, ended: true }),
  }),
  op('POST /edu/v1/class/reopen', {
    name: 'reopenClass',
    summary: 'Reopen a class',
    description: 'Reopens a closed class, so that progress is recorded again. Reopening an open class changes nothing.',
    example: { request: { classId: 'class-delta' }, as: 'ellis', after: 'endClass' },
    roles: MANAGERS,
    input: NameClass,
    output: json(ClassDetails),
    run: ({ db, who }, input) => setEnded(db, who, { ...input, ended: false }),
  }),
  op('GET /edu/v1/class', {
    name: 'readClass',
    summary: 'Get a class',
    description:
      'Returns a class with its course. Staff of the class, owners of the organisation and administrators also see the staff and the number of students.',
    example: { request: { classId: 'class-alpha' }, as: 'casey' },
    roles: ['student', 'classmate', ...MAY.readClass],
    input: NameClass,
    output: json(ClassDetails),
    errors: ['forbidden'],
    run: ({ db, who }, input) => readClass(db, who, input),
  }),
  op('GET /edu/v1/class/managed', {
    name: 'listManagedClasses',
    summary: 'List classes that you manage',
    description:
      'Returns the classes of the organisations that the caller owns, newest first with closed classes last; administrators see all classes. Filters can be combined.',
    example: { request: { courseId: 'course-preflight', limit: 1 }, as: 'ellis', after: 'createClass' },
    roles: MANAGERS,
    input: ListManagedClasses,
    output: json(ManagedClassPage),
    run: ({ db, who }, input) => listManagedClasses(db, who, input),
  }),
  op('POST /edu/v1/class/staff', {
    name: 'setClassStaff',
    summary: 'Set a class staff member',
    description:
      'Makes a user an instructor or an observer of a class: instructors teach and grade, observers see the same but change nothing. Staff of the class and members of the organisation get the role immediately, all others are invited: the response is the same whether or not the handle exists. A student of the class cannot be on its staff.',
    example: {
      request: { classId: 'class-delta', handle: '@casey', role: 'instructor' },
      as: 'ellis',
      after: 'createClass',
    },
    roles: MANAGERS,
    input: SetStaff,
    output: json(Type.Union([SentInvitation, Staff])),
    errors: ['impossibleNow'],
    run: ({ db, who, environment }, input) => setStaff(db, who, input, environment.get(invitationPolicy)),
  }),
  op('POST /edu/v1/class/staff/remove', {
    name: 'removeClassStaff',
    summary: 'Remove a class staff member',
    description: 'Removes an instructor or an observer from a class. What they recorded and wrote stays.',
    example: { request: { classId: 'class-delta', handle: '@casey' }, as: 'ellis', after: 'setClassStaff' },
    roles: MANAGERS,
    input: RemoveStaff,
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => removeStaff(db, who, input),
  }),
]
