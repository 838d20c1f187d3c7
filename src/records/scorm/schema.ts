import { type Static, Type } from 'typebox'
import { Decimal, Flag, JsonObject, Whole } from '../../kernel/http/input/fields.ts'

const Any = Type.Record(Type.String(), Type.Unknown())

export const ScormSession = Type.Object(
  {
    standard: Type.String({ enum: ['scorm12', 'scorm2004'] }),
    title: Type.String(),
    mode: Type.String({ enum: ['normal', 'browse', 'review'] }),
    credit: Type.String({ enum: ['credit', 'no-credit'] }),
    learner: Type.Object({ id: Type.String(), name: Type.String() }),
    item: Type.Integer({ description: 'Position of the item to start with' }),
    items: Type.Array(
      Type.Object({
        position: Type.Integer(),
        parent: Type.Union([Type.Integer(), Type.Null()]),
        kind: Type.String({ enum: ['unit', 'block'] }),
        item: Any,
      }),
      { description: 'The items of the package, in the order of the manifest, as the manifest describes them' },
    ),
    sequencing: Type.Union([Any, Type.Null()], { description: 'SCORM 2004: the activity tree with its rules' }),
    states: Type.Record(
      Type.String(),
      Type.Object({
        cmi: Any,
        entry: Type.String({ enum: ['resume', 'ab-initio', ''] }),
        satisfied: Type.Boolean(),
      }),
      { description: 'The saved data model of each item, by position' },
    ),
    shared: Type.Union([Any, Type.Null()], { description: 'State of the package as a whole, as it was saved' }),
    returnUrl: Type.String(),
  },
  { title: 'ScormSession' },
)
export type ScormSession = Static<typeof ScormSession>

export const CommitScorm = Type.Object({
  item: Whole('Position of the item', 0, 1_000_000),
  sequence: Whole('Number of the commit in this session and item, from 1; an older one changes nothing', 1, 1_000_000),
  cmi: JsonObject('The data model of the item'),
  partial: Type.Optional(Flag('True if `cmi` has only the properties that have changed')),
  shared: Type.Optional(JsonObject('State of the package as a whole, such as global objectives')),
  exit: Type.Optional(
    Type.Enum(['suspend', 'normal', 'logout', 'time-out'], {
      description: 'How the item ended. Only `suspend` is resumed',
    }),
  ),
  finished: Type.Optional(Flag('True if the item has ended')),
  ended: Type.Optional(Flag('True if the session has ended with it')),
  sessionSeconds: Type.Optional(Decimal('Time in this item and session, in seconds', 0, 1e9)),
})
export type CommitScorm = Static<typeof CommitScorm>

export const SavedScorm = Type.Object({ savedDate: Type.String({ format: 'date-time' }) }, { title: 'SavedScorm' })
