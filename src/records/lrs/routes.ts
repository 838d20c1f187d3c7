import { fail } from '../../kernel/errors.ts'
import { parseStrictJson } from '../../kernel/http/input/json.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { NDJSON_TYPE } from '../../kernel/http/output/media-types.ts'
import { json } from '../../kernel/http/output/output.ts'
import { recordStore, scope } from '../credentials/caller.ts'
import { roundParsed } from '../statements/model/extensions.ts'
import { needRecentSignIn } from './caller.ts'
import { exportStatements } from './export.ts'
import { aggregateStatements, countStatements } from './figures.ts'
import { removeOldStatements } from './removal.ts'
import {
  Aggregate,
  AggregateStatements,
  Count,
  CountStatements,
  ExportStatements,
  RemovedStatements,
  RemoveStatements,
  StreamEvents,
  StreamStatements,
  VALIDATED,
  ValidateStatements,
  Validation,
} from './schema.ts'
import { statementStream } from './stream.ts'
import { validateStatements } from './validate.ts'

const op = operationsIn({ area: 'Record store', who: recordStore, scope: 'statements' })

const area = 'Record store'
const reading = {
  area,
  who: recordStore,
  needs: [scope('statements/read', 'statements/read/mine')],
  from: 'query',
} as const

export const lrsOperations: readonly Operation[] = [
  op('GET /lrs/v1/statements/count', {
    name: 'countStatements',
    summary: 'Count xAPI statements',
    description:
      'Returns the number of statements that match the filters of the statements resource. Voided statements do not count. A caller who can read only their own statements counts those.',
    example: { request: { activity: 'https://school.example/simulator/crosswind' }, after: 'sendStatements' },
    ...reading,
    input: CountStatements,
    output: json(Count),
    errors: ['validationFailed'],
    mayLag: true,
    run: ({ environment, db, who }, input) => countStatements(db, who, input, environment),
  }),
  op('GET /lrs/v1/statements/aggregate', {
    name: 'aggregateStatements',
    summary: 'Aggregate xAPI statements',
    description:
      'Counts statements by verb, activity, agent or day, with their outcomes: scaled scores, durations in seconds, passes and fails. The largest groups come first, and `more` says whether there are others. Filters are those of the statements resource.',
    example: {
      request: { by: 'verb', activity: 'https://school.example/simulator/crosswind' },
      after: 'sendStatements',
    },
    ...reading,
    input: AggregateStatements,
    output: json(Aggregate),
    errors: ['validationFailed'],
    mayLag: true,
    run: ({ environment, db, who }, input) => aggregateStatements(db, who, input, environment),
  }),
  op('GET /lrs/v1/statements/stream', {
    name: 'streamStatements',
    summary: 'Stream xAPI statements',
    description:
      'Streams statements as they are accepted, as server-sent events. Each statement is sent once, in the order in which it was stored, within a second; after a disconnect, `Last-Event-ID` brings what you missed, and `since` starts earlier. A caller can have 50 open streams per process.',
    example: { request: { activity: 'https://school.example/simulator/crosswind' }, after: 'sendStatements' },
    ...reading,
    input: StreamStatements,
    requestHeaders: { 'Last-Event-ID': 'The last event that the client has seen; later ones are sent first' },
    output: { kind: 'events', about: 'Events `ready`, `statement` and `reset`', events: StreamEvents },
    errors: ['validationFailed'],
    run: ({ environment, who, request }, input) =>
      environment.get(statementStream).open(who, { ...input, lastEventId: request.oneHeader('last-event-id') }),
  }),
  op('GET /lrs/v1/statements/export', {
    name: 'exportStatements',
    summary: 'Export xAPI statements as JSONL',
    description:
      'Returns one statement per line, oldest first, as a stream of any length. To resume an export, send the `stored` of the last complete line as `after`. Voided statements are left out unless `voided` is true.',
    example: { request: { activity: 'https://school.example/simulator/crosswind' }, after: 'sendStatements' },
    ...reading,
    input: ExportStatements,
    output: { kind: 'file', mediaType: NDJSON_TYPE, headers: { 'Content-Disposition': 'The name of the file' } },
    errors: ['validationFailed'],
    mayLag: true,
    run: ({ db, who }, input) => exportStatements(db, who, input),
  }),
  op('POST /lrs/v1/statements/validate', {
    name: 'validateStatements',
    summary: 'Validate xAPI statements',
    description:
      'Checks a statement, or an array of up to 1,000, without storing anything. Returns every fault with its location, the rule and what to do, and which ids are taken. If the key uses the verb library, verbs that are not in it are reported too.',
    example: {
      request: {
        version: '2.0.0',
        statements: [
          {
            id: '5e2f6d3a-8f41-4b0e-9a53-1c1d7a3f9d10',
            actor: { objectType: 'Agent', account: { homePage: 'http://localhost:4000', name: '@avery' } },
            verb: { id: 'http://adlnet.gov/expapi/verbs/experienced', display: { en: 'experienced' } },
            object: { objectType: 'Activity', id: 'https://school.example/simulator/crosswind' },
            result: { success: true, score: { scaled: 0.8 }, duration: 'PT1H30M' },
          },
          {
            id: 'c1a9d7e4-52b6-4f08-8e3d-6b0f2a7c9d15',
            actor: { objectType: 'Agent', account: { homePage: 'http://localhost:4000', name: '@avery' } },
            verb: { id: 'http://adlnet.gov/expapi/verbs/experienced', title: 'tried' },
            object: { objectType: 'Activity', id: 'https://school.example/simulator/crosswind' },
            result: { success: true, score: { scaled: 0.8 }, duration: 'PT1H30M' },
          },
        ],
      },
      after: 'sendStatements',
    },
    needs: [scope('statements/write', 'statements/read', 'statements/read/mine')],
    input: ValidateStatements,
    from: 'raw',
    bodyBytes: ({ XAPI_BODY_BYTES }) => XAPI_BODY_BYTES,
    output: json(Validation),
    errors: ['validationFailed'],
    run: ({ environment, db, who }, { version = '2.0.0', [VALIDATED]: body }) =>
      validateStatements(db, who, { value: readJson(body), bytes: body.length, version }, environment),
  }),
  op('POST /lrs/v1/statements/retention', {
    name: 'removeOldStatements',
    summary: 'Delete old xAPI statements',
    description:
      'Deletes statements that were stored before a given time, with their attachments, which cannot be undone; an administrator must have signed in within the last 10 minutes. With `dryRun` it only counts them. If `done` is false, there are more to delete: call it again.',
    example: { request: { before: '2020-01-01T00:00:00.000Z', dryRun: true }, as: 'ellis' },
    needs: [scope('all')],
    input: RemoveStatements,
    from: 'body only',
    refusesIdempotencyKey: true,
    output: json(RemovedStatements),
    errors: ['validationFailed'],
    run: async (context, input) => {
      await needRecentSignIn(context)
      return removeOldStatements(context.db, context.who, input)
    },
  }),
]

function readJson(body: Buffer): unknown {
  if (body.length === 0) throw fail('parameterMissing', 'The body is empty: send a statement, or an array of them')
  return roundParsed(parseStrictJson(body))
}
