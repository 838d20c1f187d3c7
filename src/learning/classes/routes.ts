import { member } from '../../kernel/http/callers/callers.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { listClasses } from './classes.ts'
import { examples } from './examples.ts'
import { ClassList } from './schema.ts'

const area = 'Lessons and progress'

export const classOperations: readonly Operation[] = [
  operation({
    name: 'listClasses',
    summary: "Lists the caller's classes",
    ...examples.listClasses,
    method: 'GET',
    path: '/edu/v1/class/list',
    area,
    who: member,
    role: 'anybody with an account',
    input: Nothing,
    from: 'query',
    output: json(ClassList),
    errors: [],
    run: ({ db, who }) => listClasses(db, who),
  }),
]
