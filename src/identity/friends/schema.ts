import { type Static, Type } from 'typebox'
import { Id } from '../../kernel/http/input/fields.ts'
import { UserEntry } from '../profiles/schema.ts'

export type FriendVerb = 'request' | 'accept' | 'decline' | 'cancel' | 'remove' | 'block' | 'unblock'

export const NameUser = Type.Object({ userId: Id('userId of a user of this app') })
export const NameHandle = Type.Object({ handle: Id('The handle, with or without @', 100) })

export const Entries = Type.Array(UserEntry)

const { userId, handle, ...rest } = UserEntry.properties
const remembered = { userId, handle, ...Type.Partial(Type.Object(rest)).properties }

/** A user whom the caller has blocked or sent a request to. */
export const RememberedUser = Type.Object(remembered, {
  title: 'RememberedUser',
  description: 'Only `userId` and `handle` if the user can no longer be found; otherwise as `UserEntry`',
})
export type RememberedUser = Static<typeof RememberedUser>
export const RememberedUsers = Type.Array(RememberedUser)

const FriendRequest = Type.Object(
  {
    ...UserEntry.properties,
    requestedDate: Type.String({ format: 'date-time', description: 'When the request was sent' }),
  },
  { title: 'FriendRequest' },
)

const SentRequest = Type.Object(
  { ...remembered, requestedDate: Type.String({ format: 'date-time', description: 'When the request was sent' }) },
  {
    title: 'SentRequest',
    description: 'Only `userId`, `handle` and `requestedDate` if the user can no longer be found',
  },
)

export const FriendRequests = Type.Object(
  {
    received: Type.Array(FriendRequest, { description: 'Requests to accept or decline, newest first' }),
    sent: Type.Array(SentRequest, { description: 'Sent requests that are still open, newest first' }),
  },
  { title: 'FriendRequests' },
)
export type FriendRequests = Static<typeof FriendRequests>

/** A friend as shown outside of any app, hence without a user id. */
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
    received: Type.Array(Friend, { description: 'Requests to accept or decline, newest first' }),
    sent: Type.Array(Friend, {
      description: 'Sent requests that are still open, newest first. Without names if the user can no longer be found',
    }),
    blocked: Type.Array(Friend, { description: 'Without names if the user can no longer be found' }),
  },
  { title: 'Friends' },
)
export type Friends = Static<typeof Friends>
