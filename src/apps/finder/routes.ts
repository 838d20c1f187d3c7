import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { findAnything } from './finder.ts'
import { FindAnything, Findings } from './schema.ts'

export const finderOperations: readonly Operation[] = [
  operation({
    name: 'findAnything',
    summary: 'Searches everything that the caller can see, by name',
    description:
      'Searches the caller’s classes, courses that they manage, students of classes that they teach or observe, plans, apps, plugins and organisations; for administrators people too. At most eight of each kind, by name.',
    example: {
      request: { text: 'northwind' },
      answer: [{ kind: 'organisation', id: 'northwind', within: null, name: 'Northwind Training', about: 'northwind' }],
      as: 'ellis',
    },
    method: 'GET',
    path: '/account/v1/find',
    area: 'Account',
    who: person,
    input: FindAnything,
    from: 'query',
    output: json(Findings),
    errors: [],
    run: ({ environment, who }, input) => findAnything(environment, who, input),
  }),
]
