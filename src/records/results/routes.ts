import type { ErrorName } from '../../kernel/errors.ts'
import { member, person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { MAY } from '../../learning/classes/roles.ts'
import { exportGradebook, readAverages, readGradebook } from './gradebook.ts'
import { readResults } from './results.ts'
import {
  Gradebook,
  GradebookAverages,
  NameClass,
  presentGradebook,
  ReadGradebook,
  ReadResults,
  ReadTimeline,
  Results,
  Timeline,
} from './schema.ts'
import { readTimeline } from './timeline.ts'

const op = operationsIn({ area: 'Lessons and progress', who: member, scope: 'progress' })

const REFUSED: readonly ErrorName[] = ['forbidden', 'validationFailed']

export const resultOperations: readonly Operation[] = [
  op('GET /edu/v1/class/result', {
    name: 'readResults',
    summary: "List a student's results",
    description:
      "Returns a student's result for every lesson and objective of a class, with a sentence that explains it its dates, and the reason for a lock; child lessons follow their parent. The score of an objective is the mean over its lessons: the score reported for it, or else the lesson's.",
    example: { request: { classId: 'class-alpha' } },
    roles: MAY.readStudent,
    input: ReadResults,
    output: json(Results),
    isCompressible: true,
    errors: REFUSED,
    run: ({ db, who }, input) => readResults(db, who, input),
  }),
  op('GET /edu/v1/class/timeline', {
    name: 'readTimeline',
    summary: "Get a student's timeline",
    description:
      "Returns a student's attempts with their intervals, grades and other changes by instructors, objective scores, and the notes that the caller can read, newest first. For the next page, send `next` as `before`.",
    example: { request: { classId: 'class-alpha', limit: 2 }, after: 'updateProgress' },
    roles: MAY.readStudent,
    input: ReadTimeline,
    output: json(Timeline),
    isCompressible: true,
    errors: REFUSED,
    run: ({ db, who }, input) => readTimeline(db, who, input),
  }),
  op('GET /edu/v1/class/gradebook', {
    name: 'readGradebook',
    summary: 'Get a gradebook',
    description:
      'Returns the lessons of a class in order, and a page of its students, sorted by name unless `sort` says otherwise, all of them or those with a lesson in a `state`. Each student has totals and lists of results, scores, attempts and seconds on task, with an entry for each lesson that the student has started; `started` says which. Dropped students are not included.',
    example: { request: { classId: 'class-alpha', limit: 1 }, as: 'casey' },
    who: person,
    roles: MAY.readClass,
    input: ReadGradebook,
    output: json(Gradebook, { present: presentGradebook }),
    isCompressible: true,
    errors: ['forbidden'],
    run: ({ db, who }, input) => readGradebook(db, who, input),
  }),
  op('GET /edu/v1/class/gradebook/averages', {
    name: 'readGradebookAverages',
    summary: 'Get averages of a gradebook',
    description:
      'Returns for each lesson of a class how many students have started and passed it, how many attempts wait for a grade, and the mean score. They are computed over the whole class, except dropped students.',
    example: { request: { classId: 'class-alpha' }, as: 'casey' },
    who: person,
    roles: MAY.readClass,
    input: NameClass,
    output: json(GradebookAverages),
    isCompressible: true,
    errors: ['forbidden'],
    run: ({ db, who }, input) => readAverages(db, who, input),
  }),
  op('GET /edu/v1/class/gradebook/csv', {
    name: 'exportGradebook',
    summary: 'Export a gradebook as CSV',
    description:
      'Returns the gradebook of a whole class as CSV: one row for each student, and five columns for each lesson: result, score, attempts, seconds on task, and whether it is late or overdue. The file is UTF-8 with a byte order mark, so that spreadsheets open it correctly; text that looks like a formula starts with an apostrophe.',
    example: { request: { classId: 'class-alpha' }, as: 'casey' },
    who: person,
    roles: MAY.readClass,
    input: NameClass,
    output: {
      kind: 'file',
      mediaType: 'text/csv; charset=utf-8',
      headers: { 'Content-Disposition': 'The name of the file' },
    },
    errors: ['forbidden'],
    mayLag: true,
    run: ({ db, who }, input) => exportGradebook(db, who, input),
  }),
]
