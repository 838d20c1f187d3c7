import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { findAnything } from './finder.ts'
import { FindAnything, Findings } from './schema.ts'

const op = operationsIn({ area: 'Account', who: person })

export const finderOperations: readonly Operation[] = [
  op('GET /account/v1/find', {
    name: 'findAnything',
    summary: 'Search everything',
    description:
      'Searches by name in everything that the caller can see: their classes and lessons, courses that they manage, students whom they teach or observe, friends, plans, apps, plugins and organisations, and for administrators also users. Returns at most eight results of each kind, sorted by name.',
    example: {
      request: { text: 'northwind' },

      as: 'ellis',
    },
    input: FindAnything,
    output: json(Findings),
    run: ({ environment, db, who }, input) => findAnything(db, who, input, environment),
  }),
]
