import type { ErrorName } from '../../kernel/errors.ts'
import { member, person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { gradeAttempt, grantAttempts, listAwaiting, listChanges, resetLesson } from './grading.ts'
import { examples } from './grading-examples.ts'
import {
  AttemptsLeft,
  AwaitingPage,
  GradeAttempt,
  GradeChanges,
  GrantAttempts,
  ListAwaiting,
  ResetLesson,
} from './grading-schema.ts'
import { NameAttempt, Progress } from './schema.ts'

const area = 'Lessons and progress'
const path = '/edu/v1/lesson/progress'
const role = 'instructor of the class, owner of its organisation'
const REFUSED: readonly ErrorName[] = ['forbidden', 'notFound', 'validationFailed', 'impossibleNow']

export const gradingOperations: readonly Operation[] = [
  operation({
    name: 'gradeAttempt',
    summary: 'Grades a completed attempt, or changes its grade',
    ...examples.gradeAttempt,
    method: 'POST',
    path: `${path}/grade`,
    area,
    who: person,
    role,
    input: GradeAttempt,
    from: 'either',
    output: json(Progress),
    errors: REFUSED,
    run: ({ db, who }, input) => gradeAttempt(db, who, input),
  }),
  operation({
    name: 'grantAttempts',
    summary: 'Gives a student more attempts at a lesson',
    ...examples.grantAttempts,
    method: 'POST',
    path: `${path}/extra`,
    area,
    who: person,
    role,
    input: GrantAttempts,
    from: 'either',
    output: json(AttemptsLeft),
    errors: REFUSED,
    run: ({ db, who }, input) => grantAttempts(db, who, input),
  }),
  operation({
    name: 'resetLesson',
    summary: 'Lets a student start a lesson over',
    ...examples.resetLesson,
    method: 'POST',
    path: `${path}/reset`,
    area,
    who: person,
    role,
    input: ResetLesson,
    from: 'either',
    output: success(),
    errors: REFUSED,
    run: ({ db, who }, input) => resetLesson(db, who, input),
  }),
  operation({
    name: 'listGradeChanges',
    summary: 'Lists the changes that instructors made to a lesson of a student',
    ...examples.listGradeChanges,
    method: 'GET',
    path: `${path}/changes`,
    area,
    who: member,
    role: 'the student, staff of the class, its managers',
    input: NameAttempt,
    from: 'query',
    output: json(GradeChanges),
    errors: ['forbidden', 'notFound', 'validationFailed'],
    run: ({ db, who }, input) => listChanges(db, who, input),
  }),
  operation({
    name: 'listAwaiting',
    summary: 'Lists attempts that wait for a grade, the oldest first',
    ...examples.listAwaiting,
    method: 'GET',
    path: '/edu/v1/class/grading',
    area,
    who: person,
    role,
    input: ListAwaiting,
    from: 'query',
    output: json(AwaitingPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listAwaiting(db, who, input),
  }),
]
