import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { findAnything } from './finder.ts'
import { FindAnything, Findings } from './schema.ts'

const op = operationsIn({ area: 'Account', who: person })

export const finderOperations: readonly Operation[] = [
  op('GET /account/v1/find', {
    name: 'findAnything',
    summary: 'Searches everything that the caller can see, by name',
    description:
      'Searches the caller’s classes and their lessons, courses that they manage, students of classes that they teach or observe, friends, plans, apps, plugins and organisations; for administrators people too. At most eight of each kind, by name.',
    example: {
      request: { text: 'northwind' },

      as: 'ellis',
    },
    input: FindAnything,
    output: json(Findings),
    run: ({ environment, db, who }, input) => findAnything(db, who, input, environment),
  }),
]
