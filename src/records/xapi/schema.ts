import { type Static, Type } from 'typebox'
import { File, Flag, Id, JsonObject, Text, Whole } from '../../kernel/http/input/fields.ts'
import { FilterFields } from '../statements/query/schema.ts'

/** Refuses unknown parameters, as the specification requires. */
const CLOSED = { additionalProperties: false }
/** The maximum number of statements on a page. */
export const MOST_ON_PAGE = 500

export const SendStatements = Type.Object(
  {
    body: File(
      'A statement or an array of statements, as application/json; or multipart/mixed, with the bytes of attachments',
    ),
  },
  CLOSED,
)
export const PutStatement = Type.Object(
  { statementId: Id("The statement's id, a UUID", 100), ...SendStatements.properties },
  CLOSED,
)

export const GetStatements = Type.Object(
  {
    ...FilterFields,
    statementId: Type.Optional(Id('Id of a statement', 100)),
    voidedStatementId: Type.Optional(Id('Id of a voided statement', 100)),
    limit: Type.Optional(Whole(`Statements per page, up to ${MOST_ON_PAGE}; 0: as many as allowed`, 0, 1_000_000)),
    format: Type.Optional(Text('`exact` (as they were sent), `ids` or `canonical`', 20)),
    attachments: Type.Optional(Flag('Whether to return the bytes of attachments, as multipart/mixed')),
    ascending: Type.Optional(Flag('Whether to return the oldest first')),
    cursor: Type.Optional(Id('Cursor of the next page, from `more` of a response', 16_000)),
  },
  CLOSED,
)
export type GetStatements = Static<typeof GetStatements>

export const GetActivity = Type.Object({ activityId: Id('The IRI of an activity', 2000) }, CLOSED)
export const GetAgent = Type.Object({ agent: JsonObject('An agent, as JSON') }, CLOSED)
export const GetAbout = Type.Object({}, CLOSED)
