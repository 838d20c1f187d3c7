import type { ErrorName } from '../../kernel/errors.ts'
import { member, person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { MAY } from '../../learning/classes/roles.ts'
import { exportGradebook, readGradebook } from './gradebook.ts'
import { readResults } from './results.ts'
import { Gradebook, NameClass, ReadGradebook, ReadResults, ReadTimeline, Results, Timeline } from './schema.ts'
import { readTimeline } from './timeline.ts'

const op = operationsIn({ area: 'Lessons and progress', who: member })

const REFUSED: readonly ErrorName[] = ['forbidden', 'validationFailed']

export const resultOperations: readonly Operation[] = [
  op('GET /edu/v1/class/result', {
    name: 'readResults',
    summary: 'Reads a student’s results for every lesson and objective of a class',
    description:
      'Every lesson of the class with its result, a sentence that explains it, and why it is locked; child lessons follow their parent. The score of an objective is the mean over its lessons: the score reported for it, or else the lesson’s.',
    example: { request: { classId: 'class-alpha' } },
    roles: MAY.readStudent,
    input: ReadResults,
    output: json(Results),
    errors: REFUSED,
    run: ({ db, who }, input) => readResults(db, who, input),
  }),
  op('GET /edu/v1/class/timeline', {
    name: 'readTimeline',
    summary: 'Reads the timeline of a student, newest first',
    description:
      'Attempts with their intervals, grades and other changes by instructors, scores of objectives, and the notes that the caller may read. For the next page, send `next` as `before`.',
    example: { request: { classId: 'class-alpha', limit: 2 }, after: 'updateProgress' },
    roles: MAY.readStudent,
    input: ReadTimeline,
    output: json(Timeline),
    errors: REFUSED,
    run: ({ db, who }, input) => readTimeline(db, who, input),
  }),
  op('GET /edu/v1/class/gradebook', {
    name: 'readGradebook',
    summary: 'Reads the gradebook of a class: its students and their results',
    description:
      'A page of students, by name, each with a result for every lesson, in order. Dropped students are not included. If the class has more than 150 lessons, a page has fewer than 100 students: `limit` in the answer says how many.',
    example: { request: { classId: 'class-alpha', limit: 1 }, as: 'casey' },
    who: person,
    roles: MAY.readClass,
    input: ReadGradebook,
    output: json(Gradebook),
    errors: ['forbidden'],
    run: ({ db, who }, input) => readGradebook(db, who, input),
  }),
  op('GET /edu/v1/class/gradebook/csv', {
    name: 'exportGradebook',
    summary: 'Downloads the gradebook of a whole class as CSV',
    description:
      'One line for each student, four columns for each lesson: result, score, attempts, and seconds on task. The file is UTF-8 with a byte order mark, so that spreadsheets open it correctly; text that looks like a formula starts with an apostrophe.',
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
    run: ({ db, who }, input) => exportGradebook(db, who, input),
  }),
]
