import { type Static, Type } from 'typebox'
import { Flag, Id, JsonObject, Text } from '../../../kernel/http/input/fields.ts'

/** The filters of statements (xAPI-Communication 2.1.3). */
export const FilterFields = {
  agent: Type.Optional(JsonObject('An agent or an identified group: the actor or the object, or a member of either')),
  verb: Type.Optional(Id('The IRI of a verb', 2000)),
  activity: Type.Optional(Id('The IRI of an activity: the object', 2000)),
  registration: Type.Optional(Id('A registration, a UUID', 100)),
  related_activities: Type.Optional(Flag('Whether the activity can also be in the context, or in a sub-statement')),
  related_agents: Type.Optional(
    Flag('Whether the agent can also be in the context, the authority, or in a sub-statement'),
  ),
  since: Type.Optional(Text('Only statements stored after this time', 100)),
  until: Type.Optional(Text('Only statements stored at this time or before', 100)),
}
const Filters = Type.Object(FilterFields)
export type Filters = Static<typeof Filters>
