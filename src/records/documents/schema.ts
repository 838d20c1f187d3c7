import { type TSchema, Type } from 'typebox'
import { File, JsonObject, Text } from '../../kernel/http/input/fields.ts'

/** Defines a text that must not be empty: otherwise `stateId=` could be taken as a request for all documents. */
const Name = (description: string, maxLength: number) => ({ ...Text(description, maxLength), minLength: 1 })

const agent = JsonObject('The agent, as a JSON string')
const activityId = Name('The IRI of the activity', 2000)
const registration = Name('The registration, a UUID', 36)
const since = Name('Only documents that were written after this time, such as 2026-05-01T12:00:00Z; for lists', 100)
const document = File('The document: any bytes')

/** Refuses unknown parameters (xAPI-Communication 3.2). */
const Closed = <T extends Record<string, TSchema>>(fields: T) => Type.Object(fields, { additionalProperties: false })

/**
 * Makes the four input schemas of a resource from the parameters that identify the owner and the parameter that is the
 * document's id.
 */
const inputsOf = <P extends Record<string, TSchema>, N extends Record<string, TSchema>>(context: P, name: N) => ({
  one: Closed({ ...context, ...name }),
  write: Closed({ ...context, ...name, document }),
  read: Closed({ ...context, ...Type.Partial(Type.Object(name)).properties, since: Type.Optional(since) }),
  some: Closed({ ...context, ...Type.Partial(Type.Object(name)).properties }),
})

const profileId = Name('The id of the document, up to 1,000 characters', 1000)

export const State = inputsOf(
  { activityId, agent, registration: Type.Optional(registration) },
  { stateId: Name('The id of the document, up to 1,000 characters', 1000) },
)
export const ActivityProfile = inputsOf({ activityId }, { profileId })
export const AgentProfile = inputsOf({ agent }, { profileId })
