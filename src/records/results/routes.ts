import type { ErrorName } from '../../kernel/errors.ts'
import { member, person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { examples } from './examples.ts'
import { exportGradebook, readGradebook } from './gradebook.ts'
import { readResults } from './results.ts'
import { Gradebook, NameClass, ReadGradebook, ReadResults, ReadTimeline, Results, Timeline } from './schema.ts'
import { readTimeline } from './timeline.ts'

const area = 'Lessons and progress'
const path = '/edu/v1/class'
const READER = 'the student, staff of the class, its managers'
const STAFF = 'instructor or observer of the class, owner of its organisation, administrator'
const REFUSED: readonly ErrorName[] = ['forbidden', 'validationFailed']

export const resultOperations: readonly Operation[] = [
  operation({
    name: 'readResults',
    summary: 'Reads a student’s results for every lesson and objective of a class',
    ...examples.readResults,
    method: 'GET',
    path: `${path}/result`,
    area,
    who: member,
    role: READER,
    input: ReadResults,
    from: 'query',
    output: json(Results),
    errors: REFUSED,
    run: ({ db, who }, input) => readResults(db, who, input),
  }),
  operation({
    name: 'readTimeline',
    summary: 'Reads the timeline of a student, newest first',
    ...examples.readTimeline,
    method: 'GET',
    path: `${path}/timeline`,
    area,
    who: member,
    role: READER,
    input: ReadTimeline,
    from: 'query',
    output: json(Timeline),
    errors: REFUSED,
    run: ({ db, who }, input) => readTimeline(db, who, input),
  }),
  operation({
    name: 'readGradebook',
    summary: 'Reads the gradebook of a class: its students and their results',
    ...examples.readGradebook,
    method: 'GET',
    path: `${path}/gradebook`,
    area,
    who: person,
    role: STAFF,
    input: ReadGradebook,
    from: 'query',
    output: json(Gradebook),
    errors: ['forbidden'],
    run: ({ db, who }, input) => readGradebook(db, who, input),
  }),
  operation({
    name: 'exportGradebook',
    summary: 'Downloads the gradebook of a whole class as CSV',
    ...examples.exportGradebook,
    method: 'GET',
    path: `${path}/gradebook/csv`,
    area,
    who: person,
    role: STAFF,
    input: NameClass,
    from: 'query',
    output: {
      kind: 'file',
      mediaType: 'text/csv; charset=utf-8',
      headers: { 'Content-Disposition': 'The name of the file' },
    },
    errors: ['forbidden'],
    run: ({ db, who }, input) => exportGradebook(db, who, input),
  }),
]
