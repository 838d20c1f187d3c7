import { type Static, type TProperties, Type } from 'typebox'
import { DateTime, File, Flag, Id, Text, Whole } from '../../kernel/http/input/fields.ts'
import { FilterFields } from '../statements/query/schema.ts'

/** Refuses unknown filters, because a misspelt filter would be ignored and everything would match. */
const closed = <P extends TProperties>(fields: P) => Type.Object(fields, { additionalProperties: false })
const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })
const Stored = (description: string) => Type.String({ format: 'date-time', description })

export const CountStatements = closed(FilterFields)
export type CountStatements = Static<typeof CountStatements>

const through = Stored('Everything that was stored up to this time is counted')
export const Count = Type.Object({ count: Type.Integer(), through }, { title: 'StatementCount' })
export type Count = Static<typeof Count>

const GROUPINGS = ['verb', 'activity', 'agent', 'day'] as const
export type Grouping = (typeof GROUPINGS)[number]
const DEFAULT_GROUPS = 100
const MOST_GROUPS = 1000
export const AggregateStatements = closed({
  ...FilterFields,
  by: Type.Union(
    GROUPINGS.map((one) => Type.Literal(one)),
    {
      description: 'What to group by: verb, activity (the object), agent (the actor) or day (of storing, UTC)',
    },
  ),
  limit: Type.Optional(Whole(`Maximum number of groups, largest first; ${DEFAULT_GROUPS} by default`, 1, MOST_GROUPS)),
})
export type AggregateStatements = Static<typeof AggregateStatements>
export const groupsIn = ({ limit }: AggregateStatements): number => limit ?? DEFAULT_GROUPS

const Languages = Type.Record(Type.String(), Type.String())
const statistics = { count: Type.Integer(), mean: Type.Number(), min: Type.Number(), max: Type.Number() }
const StatementGroup = Type.Object(
  {
    verb: Type.Optional(Type.Object({ id: Type.String(), display: Type.Optional(Languages) })),
    activity: Type.Optional(Type.Object({ id: Type.String(), name: Type.Optional(Languages) })),
    agent: Type.Optional(
      Type.Object({
        objectType: Type.Optional(Type.String()),
        name: Type.Optional(Type.String()),
        mbox: Type.Optional(Type.String()),
        mbox_sha1sum: Type.Optional(Type.String()),
        openid: Type.Optional(Type.String()),
        account: Type.Optional(Type.Object({ homePage: Type.String(), name: Type.String() })),
      }),
    ),
    day: Type.Optional(Type.String({ format: 'date' })),
    count: Type.Integer(),
    score: OrNull(Type.Object(statistics), 'Of the scaled scores; null if there are none'),
    duration: OrNull(
      Type.Object({ ...statistics, sum: Type.Number() }),
      'In seconds, of the durations without years and months; null if there are none',
    ),
    passed: Type.Integer({ description: 'Statements with success true, or with the verb passed and no success' }),
    failed: Type.Integer({ description: 'Statements with success false, or with the verb failed and no success' }),
    latest: Stored('When the newest statement was stored'),
  },
  { title: 'StatementGroup' },
)
export type StatementGroup = Static<typeof StatementGroup>
export const Aggregate = Type.Object(
  {
    groups: Type.Array(StatementGroup),
    more: Type.Boolean({ description: 'Whether there are more, smaller groups' }),
    through,
  },
  { title: 'StatementGroups' },
)
export type Aggregate = Static<typeof Aggregate>

const { until: _until, ...streamed } = FilterFields
export const StreamStatements = closed({
  ...streamed,
  authorization: Type.Optional(Text('An access token, for browsers, which cannot send headers with a stream', 500)),
})
export type StreamStatements = Static<typeof StreamStatements>
const Statement = Type.Unknown({ description: 'The statement, as in xAPI' })
const Reached = Type.Object({ through: Stored('Everything up to this time was sent, or was not requested') })
export const StreamEvents = {
  ready: { about: 'The stream has started, after this time', data: Reached },
  statement: { about: 'A statement that was accepted; the event’s id is its number', data: Statement },
  reset: {
    about: 'The last event that you saw is unknown: the stream continues after this time',
    data: Reached,
  },
}

export const ExportStatements = closed({
  ...FilterFields,
  after: Type.Optional(Id('Where to resume: the `stored` of the last line that was read, or its number', 100)),
  voided: Type.Optional(Flag('Whether to include voided statements')),
})
export type ExportStatements = Static<typeof ExportStatements>

/** The name of the input field that contains the whole request body. */
export const VALIDATED = 'statements'
export const ValidateStatements = closed({
  version: Type.Optional(
    Type.Union([Type.Literal('1.0.3'), Type.Literal('2.0.0')], {
      description: 'Version of xAPI to check against; 2.0.0 by default',
    }),
  ),
  [VALIDATED]: File('A statement, or an array of up to 1,000, as JSON'),
})
const position = Type.Integer({ description: 'Index of the statement, from 0' })
const Identified = Type.Object({ position, id: Type.String() })
export const Validation = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether they would be stored' }),
    statements: Type.Integer({ description: 'Number of statements that were checked' }),
    faults: Type.Array(
      Type.Object({
        position,
        pointer: Type.String({ description: 'Location in the statement (RFC 6901)' }),
        rule: Type.String({ description: 'The requirement of the specification' }),
        must: Type.String({ description: 'What to do: the end of the sentence "it must …"' }),
      }),
    ),
    conflicts: Type.Array(Identified, { description: 'A different statement with this id is already stored' }),
    known: Type.Array(Identified, { description: 'The same statement is already stored: nothing would change' }),
    more: Type.Boolean({ description: 'Whether there are more faults than listed' }),
  },
  { title: 'StatementValidation' },
)
export type Validation = Static<typeof Validation>

export const RemoveStatements = closed({
  before: DateTime('Deletes statements that were stored before this time'),
  dryRun: Type.Optional(Flag('Whether to only count, without deleting anything')),
})
export type RemoveStatements = Static<typeof RemoveStatements>
export const RemovedStatements = Type.Object(
  {
    statements: Type.Integer(),
    attachments: Type.Integer({ description: 'Attachments that no other statement uses' }),
    months: Type.Integer({ description: 'Months that are deleted as a whole' }),
    done: Type.Boolean({ description: 'Whether no older statements are left' }),
  },
  { title: 'RemovedStatements' },
)
export type RemovedStatements = Static<typeof RemovedStatements>
