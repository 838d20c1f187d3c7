import { Type } from 'typebox'
import { SentInvitation } from '../../apps/invitations/schema.ts'
import { invitationPolicy } from '../../apps/invitations/sending.ts'
import { MANAGERS } from '../../apps/organisations/roles.ts'
import { member, person } from '../../kernel/http/callers/callers.ts'
import { ownPages } from '../../kernel/http/callers/needs.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { countCodeGuess } from '../courses/guesses.ts'
import {
  changeStudent,
  enrolStudent,
  joinClass,
  leaveClass,
  listStudents,
  listTransferTargets,
  transferStudent,
} from './enrolments.ts'
import { MAY } from './roles.ts'
import {
  EnrolStudent,
  JoinClass,
  Joined,
  LeaveClass,
  ListStudents,
  ListTransferTargets,
  NameStudent,
  Student,
  StudentPage,
  TransferStudent,
  TransferTargets,
} from './schema.ts'

const op = operationsIn({ area: 'Courses and classes', who: member })

const CHANGES = [
  {
    action: 'drop',
    name: 'dropStudent',
    description:
      'Ends a student’s place in a class. What was recorded stays and can be read, but nothing more is recorded. The student cannot rejoin with the code; an instructor can enrol or reinstate them.',
    example: { as: 'casey', request: { studentId: 'student-blake' } },
    summary: 'Drops a student from a class',
    errors: [],
  },
  {
    action: 'suspend',
    name: 'suspendStudent',
    description:
      'Keeps a student from recording anything until they are reinstated. They still see the class, and joining it again changes nothing.',
    example: { as: 'casey', request: { studentId: 'student-blake' } },
    summary: 'Suspends a student',
    errors: ['impossibleNow'],
  },
  {
    action: 'reinstate',
    name: 'reinstateStudent',
    description:
      'Brings back a student who was suspended or dropped. Everything that was recorded is still there. Somebody who has left by themselves and is no member of the organisation has to be invited instead.',
    example: { as: 'casey', request: { studentId: 'student-blake' }, after: 'suspendStudent' },
    summary: 'Reinstates a student who was suspended or dropped',
    errors: ['impossibleNow'],
  },
] as const

export const enrolmentOperations: readonly Operation[] = [
  op('GET /edu/v1/class/student/list', {
    name: 'listStudents',
    summary: 'Lists the students of a class',
    description:
      'A page of the students of a class, in the order in which they enrolled. Staff of the class, owners of the organisation and administrators can see it. `userId` is set if the student uses the calling app.',
    example: { as: 'casey', request: { classId: 'class-alpha', limit: 1 } },
    roles: MAY.readClass,
    input: ListStudents,
    output: json(StudentPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listStudents(db, who, input),
  }),
  op('PUT /edu/v1/class/student', {
    name: 'enrolStudent',
    summary: 'Enrols somebody in a class, or invites them',
    description:
      'Makes a member of the organisation a student of a class; a former student returns with everything that was recorded. Anybody else is invited, and joins by accepting: the answer is the same whether or not somebody has the handle. A suspended student has to be reinstated instead.',
    example: { as: 'casey', request: { classId: 'class-alpha', handle: '@drew' } },
    who: person,
    roles: MAY.change,
    input: EnrolStudent,
    output: json(Type.Union([Student, SentInvitation])),
    errors: ['forbidden', 'impossibleNow', 'conflict'],
    run: ({ db, who, environment }, input) => enrolStudent(db, who, input, environment.get(invitationPolicy)),
  }),
  ...CHANGES.map(({ action, errors, ...texts }) =>
    op(`POST /edu/v1/class/student/${action}`, {
      ...texts,
      who: person,
      roles: MAY.change,
      input: NameStudent,
      output: json(Student),
      errors: ['forbidden', ...errors],
      run: ({ db, who }, { studentId }) => changeStudent(db, who, action, studentId),
    }),
  ),
  op('GET /edu/v1/class/student/transfer', {
    name: 'listTransferTargets',
    summary: 'Lists the classes to which the caller may transfer students of a class',
    description:
      'Lists the open classes of the same course whose roster the caller may change, by name. The class itself is not among them.',
    example: { as: 'ellis', request: { classId: 'class-alpha' } },
    who: person,
    roles: ['instructorOfBoth', ...MANAGERS],
    input: ListTransferTargets,
    output: json(TransferTargets),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listTransferTargets(db, who, input),
  }),
  op('POST /edu/v1/class/student/transfer', {
    name: 'transferStudent',
    summary: 'Transfers a student to another class of the course',
    description:
      'Moves a student to another class of the same course. The studentId and everything that was recorded stay the same. The caller must be an instructor of both classes, an owner or an administrator.',
    example: { as: 'ellis', request: { studentId: 'student-avery', classId: 'class-bravo' } },
    who: person,
    roles: ['instructorOfBoth', ...MANAGERS],
    input: TransferStudent,
    output: json(Student),
    errors: ['forbidden', 'impossibleNow', 'conflict'],
    run: ({ db, who }, input) => transferStudent(db, who, input),
  }),
  op('POST /edu/v1/class/join', {
    name: 'joinClass',
    summary: 'Joins a class with its code',
    description:
      'Makes the caller a student of the class that has this code. Joining again is fine, and somebody who has left comes back as the same student. A wrong code gets the same answer as the code of an ended class, and wrong tries are limited.',
    example: { as: 'ellis', request: { joinCode: 'ALPHA-2026' } },
    input: JoinClass,
    output: json(Joined),
    errors: ['forbidden', 'notFound', 'impossibleNow'],
    run: (context, input) => countCodeGuess(context, () => joinClass(context.db, context.who, input)),
  }),
  op('POST /edu/v1/class/leave', {
    name: 'leaveClass',
    summary: 'Leaves a class',
    description:
      'The caller is no longer a student or observer of this class. What was recorded stays, and students can rejoin with the code unless they were suspended. Leaving is done in the pages: a call of an app is refused with 4032.',
    example: { request: { classId: 'class-alpha' }, as: 'ellis', after: 'joinClass' },
    needs: [ownPages],
    roles: MAY.leave,
    input: LeaveClass,
    output: success(),
    errors: ['forbidden'],
    run: ({ db, who }, input) => leaveClass(db, who, input),
  }),
]
