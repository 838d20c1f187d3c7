import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { MAY } from '../classes/roles.ts'
import { clearDates, listDates, setDates } from './dates.ts'
import { ClassDates, ClearDates, ListDates, SetDates } from './schema.ts'

const op = operationsIn({ area: 'Dates', who: person })

export const dateOperations: readonly Operation[] = [
  op('GET /edu/v1/class/dates', {
    name: 'listDates',
    summary: 'List dates of a class',
    description:
      'Returns when a class and its lessons open, are due and close, and the overrides for single students. For each date, the override of the student wins over the class, the lesson over its parent lesson, and both over the whole class.',
    example: { request: { classId: 'class-alpha' }, as: 'casey', after: 'setDates' },
    roles: MAY.readClass,
    input: ListDates,
    output: json(ClassDates),
    isCompressible: true,
    errors: ['forbidden'],
    run: ({ db, who }, input) => listDates(db, who, input),
  }),
  op('PUT /edu/v1/class/dates', {
    name: 'setDates',
    summary: 'Set dates of a class',
    description:
      'Sets when the whole class or lessons open, are due and close, for everybody or for one student. Up to 500 entries are set at once, all or none. A lesson must open before it is due and be due no later than it closes, also for each student with overrides; an error lists all mistakes in `faults`, each with its place.',
    example: {
      request: {
        classId: 'class-alpha',
        dates: [
          { lessonId: 'lesson-walkaround', opens: '2026-11-02T09:00', due: '2026-11-20T17:00' },
          { lessonId: 'lesson-walkaround', studentId: 'student-avery', due: '2026-11-27T17:00:00Z' },
        ],
      },
      as: 'casey',
    },
    roles: MAY.change,
    input: SetDates,
    hasLargeBody: true,
    output: json(ClassDates),
    isCompressible: true,
    errors: ['forbidden', 'validationFailed', 'impossibleNow'],
    run: ({ db, who }, input) => setDates(db, who, input),
  }),
  op('POST /edu/v1/class/dates/clear', {
    name: 'clearDates',
    summary: 'Delete dates of a class',
    description:
      'Clears the dates of the whole class or of a lesson, for everybody or for one student; then those that it inherits apply. If there are none, nothing changes.',
    example: {
      request: { classId: 'class-alpha', lessonId: 'lesson-walkaround', studentId: 'student-avery' },
      as: 'casey',
      after: 'setDates',
    },
    roles: MAY.change,
    input: ClearDates,
    output: json(ClassDates),
    isCompressible: true,
    errors: ['forbidden', 'validationFailed', 'impossibleNow'],
    run: ({ db, who }, input) => clearDates(db, who, input),
  }),
]
