import { fail } from '../../kernel/errors.ts'
import { parseStrictJson } from '../../kernel/http/input/json.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { NDJSON_TYPE } from '../../kernel/http/output/media-types.ts'
import { json } from '../../kernel/http/output/output.ts'
import { recordStore, scope } from '../credentials/caller.ts'
import { needRecentSignIn } from './caller.ts'
import { examples } from './examples.ts'
import { exportStatements } from './export.ts'
import { aggregateStatements, countStatements } from './figures.ts'
import { removeOldStatements } from './removal.ts'
import {
  Aggregate,
  AggregateStatements,
  Count,
  CountStatements,
  ExportStatements,
  Removed,
  RemoveStatements,
  StreamEvents,
  StreamStatements,
  VALIDATED,
  ValidateStatements,
  Validation,
} from './schema.ts'
import { statementStream } from './stream.ts'
import { validateStatements } from './validate.ts'

const area = 'Record store'
const path = '/lrs/v1/statements'
const reading = {
  area,
  who: recordStore,
  needs: [scope('statements/read', 'statements/read/mine')],
  role: 'who may read statements: all, or their own',
  from: 'query',
} as const

export const lrsOperations: readonly Operation[] = [
  operation({
    ...reading,
    name: 'countStatements',
    summary: 'Counts statements',
    ...examples.countStatements,
    method: 'GET',
    path: `${path}/count`,
    input: CountStatements,
    output: json(Count),
    errors: ['validationFailed'],
    run: ({ environment, who }, input) => countStatements(environment, who, input),
  }),
  operation({
    ...reading,
    name: 'aggregateStatements',
    summary: 'Counts statements in groups, with scores, durations and outcomes',
    ...examples.aggregateStatements,
    method: 'GET',
    path: `${path}/aggregate`,
    input: AggregateStatements,
    output: json(Aggregate),
    errors: ['validationFailed'],
    run: ({ environment, who }, input) => aggregateStatements(environment, who, input),
  }),
  operation({
    ...reading,
    name: 'streamStatements',
    summary: 'Streams statements as they are accepted, as server-sent events',
    ...examples.streamStatements,
    method: 'GET',
    path: `${path}/stream`,
    input: StreamStatements,
    requestHeaders: { 'Last-Event-ID': 'The last event that the client has seen: what came after it comes first' },
    output: { kind: 'events', about: 'Events `ready`, `statement` and `reset`', events: StreamEvents },
    errors: ['validationFailed'],
    run: ({ environment, who, request }, input) =>
      environment.get(statementStream).open(who, { ...input, lastEventId: request.oneHeader('last-event-id') }),
  }),
  operation({
    ...reading,
    name: 'exportStatements',
    summary: 'Exports statements as lines of JSON',
    ...examples.exportStatements,
    method: 'GET',
    path: `${path}/export`,
    input: ExportStatements,
    output: { kind: 'file', mediaType: NDJSON_TYPE, headers: { 'Content-Disposition': 'The name of the file' } },
    errors: ['validationFailed'],
    run: ({ db, who }, input) => exportStatements(db, who, input),
  }),
  operation({
    name: 'validateStatements',
    summary: 'Checks statements without storing them',
    ...examples.validateStatements,
    method: 'POST',
    path: `${path}/validate`,
    area,
    who: recordStore,
    needs: [scope('statements/write', 'statements/read', 'statements/read/mine')],
    role: 'who may send or read statements; of ids that are taken hear those who may read',
    input: ValidateStatements,
    from: 'raw',
    bodyBytes: ({ XAPI_BODY_BYTES }) => XAPI_BODY_BYTES,
    output: json(Validation),
    errors: ['validationFailed'],
    run: ({ environment, db, who }, { version = '2.0.0', [VALIDATED]: body }) =>
      validateStatements(environment, db, who, { value: readJson(body), version }),
  }),
  operation({
    name: 'removeOldStatements',
    summary: 'Removes statements that were stored before a given time',
    ...examples.removeOldStatements,
    method: 'POST',
    path: `${path}/retention`,
    area,
    who: recordStore,
    needs: [scope('all')],
    role: 'a key that may do everything, or an administrator who has signed in within the last 10 minutes',
    input: RemoveStatements,
    from: 'body only',
    isUnrepeatable: true,
    output: json(Removed),
    errors: ['validationFailed'],
    run: async (context, input) => {
      await needRecentSignIn(context)
      return removeOldStatements(context.db, context.who, input)
    },
  }),
]

function readJson(body: Buffer): unknown {
  if (body.length === 0) throw fail('parameterMissing', 'The body is empty: send a statement, or an array of them')
  return parseStrictJson(body)
}
