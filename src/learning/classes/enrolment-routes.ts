import { member, person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { examples } from './enrolment-examples.ts'
import { changeStudent, enrolStudent, joinClass, leaveClass, listStudents, transferStudent } from './enrolments.ts'
import { countGuess } from './join-limit.ts'
import {
  EnrolStudent,
  JoinClass,
  Joined,
  LeaveClass,
  ListStudents,
  NameStudent,
  Student,
  StudentPage,
  TransferStudent,
} from './schema.ts'

const area = 'Courses and classes'
const path = '/edu/v1/class/student'
const role = 'instructor of the class, owner of the organisation, administrator'

const CHANGES = [
  { action: 'drop', name: 'dropStudent', summary: 'Drops a student from a class', errors: [] },
  { action: 'suspend', name: 'suspendStudent', summary: 'Suspends a student', errors: ['impossibleNow'] },
  {
    action: 'reinstate',
    name: 'reinstateStudent',
    summary: 'Reinstates a student who was suspended or dropped',
    errors: ['impossibleNow'],
  },
] as const

export const enrolmentOperations: readonly Operation[] = [
  operation({
    name: 'listStudents',
    summary: 'Lists the students of a class',
    ...examples.listStudents,
    method: 'GET',
    path: `${path}/list`,
    area,
    who: member,
    role: 'staff of the class, owner of the organisation, administrator',
    input: ListStudents,
    from: 'query',
    output: json(StudentPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listStudents(db, who, input),
  }),
  operation({
    name: 'enrolStudent',
    summary: 'Enrols somebody in a class',
    ...examples.enrolStudent,
    method: 'PUT',
    path,
    area,
    who: person,
    role,
    input: EnrolStudent,
    from: 'body',
    // A wrong handle is counted, and a refusal that is kept would not be.
    isUnrepeatable: true,
    output: json(Student),
    errors: ['forbidden', 'notFound', 'impossibleNow', 'conflict'],
    run: ({ db, who }, input) => enrolStudent(db, who, input),
  }),
  ...CHANGES.map(({ action, name, summary, errors }) =>
    operation({
      name,
      summary,
      ...examples[name],
      method: 'POST',
      path: `${path}/${action}`,
      area,
      who: person,
      role,
      input: NameStudent,
      from: 'body',
      output: json(Student),
      errors: ['forbidden', ...errors],
      run: ({ db, who }, { studentId }) => changeStudent(db, who, action, studentId),
    }),
  ),
  operation({
    name: 'transferStudent',
    summary: 'Transfers a student to another class of the course',
    ...examples.transferStudent,
    method: 'POST',
    path: `${path}/transfer`,
    area,
    who: person,
    role: 'instructor of both classes, owner of the organisation, administrator',
    input: TransferStudent,
    from: 'body',
    output: json(Student),
    errors: ['forbidden', 'impossibleNow', 'conflict'],
    run: ({ db, who }, input) => transferStudent(db, who, input),
  }),
  operation({
    name: 'joinClass',
    summary: 'Joins a class with its code',
    ...examples.joinClass,
    method: 'POST',
    path: '/edu/v1/class/join',
    area,
    who: member,
    role: 'anybody with an account',
    input: JoinClass,
    from: 'body',
    output: json(Joined),
    errors: ['forbidden', 'notFound', 'impossibleNow'],
    run: (context, input) => countGuess(context, () => joinClass(context.db, context.who, input)),
  }),
  operation({
    name: 'leaveClass',
    summary: 'Leaves a class',
    ...examples.leaveClass,
    method: 'POST',
    path: '/edu/v1/class/leave',
    area,
    who: member,
    role: 'student',
    input: LeaveClass,
    from: 'body',
    output: success(),
    errors: ['forbidden'],
    run: ({ db, who }, input) => leaveClass(db, who, input),
  }),
]
