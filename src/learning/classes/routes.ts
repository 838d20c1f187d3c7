import { member } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { listClasses } from './classes.ts'
import { ClassPage, ListClasses } from './schema.ts'

const op = operationsIn({ area: 'Lessons and progress', who: member, scope: 'lessons' })

export const classOperations: readonly Operation[] = [
  op('GET /edu/v1/class/list', {
    name: 'listClasses',
    summary: 'List your classes',
    description:
      'Returns the classes that the caller takes or teaches, newest first. Progress is recorded under `studentId`; only instructors can read `joinCode`. Closed classes are still listed, but nothing more is recorded in them.',
    example: { request: { limit: 10 } },
    input: ListClasses,
    output: json(ClassPage),
    run: ({ db, who }, input) => listClasses(db, who, input),
  }),
]
