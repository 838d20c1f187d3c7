import { type Static, Type } from 'typebox'
import { Id, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'

/** The outcome of inviting a handle: an invitation is sent, the pending one stays, or it is refused for a reason. */
export type InvitationPlan =
  | 'send'
  | 'keep'
  /** `role` is set if the address is that of a member who has this role. */
  | { readonly refused: string; readonly role?: string }

export const NameInvitation = Type.Object({ invitationId: Id('Id of the invitation') })
export type NameInvitation = Static<typeof NameInvitation>
export const CorrectInvitation = Type.Object({
  ...NameInvitation.properties,
  email: Type.Optional(Id('The right e-mail address; unchanged by default', 254)),
  firstName: Type.Optional(Text('Given name; unchanged by default', 100)),
  lastName: Type.Optional(Text('Family name; unchanged by default', 100)),
})
export type CorrectInvitation = Static<typeof CorrectInvitation>
export const ListSent = Type.Object({
  organisation: Type.Optional(Id('Key of the organisation, for invitations to the organisation itself')),
  classId: Type.Optional(Id('Id of the class, for invitations to it; send one of the two')),
  ...paging,
})
export type ListSent = Static<typeof ListSent>

const ClassId = Type.Union([Type.String(), Type.Null()], {
  description: 'Null if the invitation is to the organisation itself',
})
const role = Type.String({ description: 'The role that the user gets by accepting' })
const sentDate = Type.String({ format: 'date-time', description: 'When it was last sent' })
const expiresDate = Type.String({ format: 'date-time' })

export const SentInvitation = Type.Object(
  {
    invitationId: Type.String(),
    organisation: Type.String({ description: 'Key of the organisation' }),
    classId: ClassId,
    handle: Type.String({
      description: 'The handle or e-mail address as the inviter typed it, whether or not it exists',
    }),
    name: Type.String({ description: 'The name that the inviter typed, for an invitation by e-mail address' }),
    firstName: Type.String(),
    lastName: Type.String(),
    role,
    status: Type.Enum(['pending', 'notAccepted'], {
      description: '`notAccepted` after it has expired. A declined invitation stays pending until then',
    }),
    sentDate,
    expiresDate,
  },
  { title: 'SentInvitation' },
)
export type SentInvitation = Static<typeof SentInvitation>
export const SentInvitationPage = PageOf(SentInvitation, 'SentInvitationPage')

const Person = Type.Object({ handle: Type.String(), name: Type.String() }, { title: 'InvitationPerson' })
export const Invitation = Type.Object(
  {
    invitationId: Type.String(),
    organisation: Type.Object({ organisation: Type.String({ description: 'Its key' }), name: Type.String() }),
    class: Type.Union([
      Type.Object({ classId: Type.String(), name: Type.String(), course: Type.String({ description: 'Its name' }) }),
      Type.Null(),
    ]),
    role,
    inviter: Person,
    invited: Person,
    isOwn: Type.Boolean({ description: 'False if it is for a child of the caller' }),
    mayAnswer: Type.Boolean({ description: 'False for a child, for whom a parent accepts or declines' }),
    plugins: Type.Array(Type.Object({ name: Type.String(), permissions: Type.Array(Type.String()) }), {
      description: 'Plugins that can read data about the user after accepting, with their permissions',
    }),
    sentDate,
    expiresDate,
  },
  { title: 'Invitation' },
)
export type Invitation = Static<typeof Invitation>
export const Invitations = Type.Array(Invitation, { title: 'Invitations' })
