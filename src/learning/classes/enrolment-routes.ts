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

const op = operationsIn({ area: 'Courses and classes', who: member, scope: 'lessons' })

const CHANGES = [
  {
    action: 'drop',
    name: 'dropStudent',
    description:
      "Ends a student's enrolment in a class. What was recorded stays and can be read, but nothing more is recorded. The student cannot rejoin with the code; an instructor can enrol or reinstate them.",
    example: { as: 'casey', request: { studentId: 'student-blake' } },
    summary: 'Drop a student',
    errors: [],
  },
  {
    action: 'suspend',
    name: 'suspendStudent',
    description:
      'Suspends a student, so that nothing is recorded for them until they are reinstated. They still see the class, and joining it again changes nothing.',
    example: { as: 'casey', request: { studentId: 'student-blake' } },
    summary: 'Suspend a student',
    errors: ['impossibleNow'],
  },
  {
    action: 'reinstate',
    name: 'reinstateStudent',
    description:
      'Reinstates a student who was suspended or dropped, with everything that was recorded. A student who left the class and is not a member of the organisation has to be invited instead.',
    example: { as: 'casey', request: { studentId: 'student-blake' }, after: 'suspendStudent' },
    summary: 'Reinstate a student',
    errors: ['impossibleNow'],
  },
] as const

export const enrolmentOperations: readonly Operation[] = [
  op('GET /edu/v1/class/student/list', {
    name: 'listStudents',
    summary: 'List students of a class',
    description:
      'Returns a page of the students of a class, in the order in which they enrolled. Staff of the class, owners of the organisation and administrators can read it. `userId` is set if the student uses the calling app.',
    example: { as: 'casey', request: { classId: 'class-alpha', limit: 1 } },
    roles: MAY.readClass,
    input: ListStudents,
    output: json(StudentPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listStudents(db, who, input),
  }),
  op('PUT /edu/v1/class/student', {
    name: 'enrolStudent',
    summary: 'Enrol a student',
    description:
      'Enrols a member of the organisation in a class; a former student returns with everything that was recorded. All others are invited and join by accepting: the response is the same whether or not the handle exists. A suspended student has to be reinstated instead.',
    example: { as: 'casey', request: { classId: 'class-alpha', handle: '@drew' } },
    who: person,
    roles: MAY.change,
    input: EnrolStudent,
    output: json(Type.Union([SentInvitation, Student])),
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
    summary: 'List transfer targets',
    description:
      'Returns the classes to which the caller can transfer students of a class: the other open classes of the same course whose roster the caller can change. They are sorted by name.',
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
    summary: 'Transfer a student',
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
    summary: 'Join a class',
    description:
      'Makes the caller a student of the class that has this join code. Joining again is allowed, and a student who has left comes back as the same student. A wrong code gets the same error as the code of a closed class, and wrong attempts are limited.',
    example: { as: 'ellis', request: { joinCode: 'ALPHA-2026' } },
    input: JoinClass,
    output: json(Joined),
    errors: ['forbidden', 'notFound', 'impossibleNow'],
    run: (context, input) => countCodeGuess(context, () => joinClass(context.db, context.who, input)),
  }),
  op('POST /edu/v1/class/leave', {
    name: 'leaveClass',
    summary: 'Leave a class',
    description:
      "Ends the caller's role as a student or observer of a class. What was recorded stays, and students can rejoin with the code unless they were suspended. Users leave on the platform's pages: a request from an app is refused with 4032.",
    example: { request: { classId: 'class-alpha' }, as: 'ellis', after: 'joinClass' },
    needs: [ownPages],
    roles: MAY.leave,
    input: LeaveClass,
    output: success(),
    errors: ['forbidden'],
    run: ({ db, who }, input) => leaveClass(db, who, input),
  }),
]
