import { member } from '../../kernel/http/callers/callers.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { listClasses } from './classes.ts'
import { ClassList } from './schema.ts'

const op = operationsIn({ area: 'Lessons and progress', who: member })

export const classOperations: readonly Operation[] = [
  op('GET /edu/v1/class/list', {
    name: 'listClasses',
    summary: "Lists the caller's classes",
    description:
      'Classes that the caller takes or teaches, newest first. Progress is recorded under `studentId`; only instructors read `joinCode`. Ended classes are still listed, but nothing more is recorded in them.',
    input: Nothing,
    output: json(ClassList),
    run: ({ db, who }) => listClasses(db, who),
  }),
]
