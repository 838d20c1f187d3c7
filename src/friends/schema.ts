import { type Static, Type } from 'typebox'
import { Id } from '../http/input.ts'
import { Entry } from '../profiles/schema.ts'

export const Nothing = Type.Object({})
export const NameUser = Type.Object({ userId: Id('A user of this app, by the userId that this app knows') })
export const NameHandle = Type.Object({ handle: Id('The handle, with or without @', 100) })

export const Entries = Type.Array(Entry)

export const FriendRequest = Type.Object(
  {
    ...Entry.properties,
    requestedDate: Type.String({ format: 'date-time', description: 'When they asked, or were asked' }),
  },
  { title: 'FriendRequest' },
)
export type FriendRequest = Static<typeof FriendRequest>

export const FriendRequests = Type.Object(
  {
    received: Type.Array(FriendRequest, { description: 'To be answered; the newest first' }),
    sent: Type.Array(FriendRequest, { description: 'Not answered yet; the newest first' }),
  },
  { title: 'FriendRequests' },
)

/** Outside of any app there is no userId. */
export const Friend = Type.Object(
  {
    handle: Type.String({ description: 'Starts with @' }),
    firstName: Type.String({ description: 'Given name; may be empty' }),
    lastName: Type.String({ description: 'Family name; may be empty' }),
  },
  { title: 'Friend' },
)
export type Friend = Static<typeof Friend>

export const Friends = Type.Object(
  {
    friends: Type.Array(Friend),
    received: Type.Array(Friend, { description: 'Requests to be answered; the newest first' }),
    sent: Type.Array(Friend, { description: 'Requests that nobody has answered yet; the newest first' }),
    blocked: Type.Array(Friend),
  },
  { title: 'Friends' },
)
export type Friends = Static<typeof Friends>
