import { type Static, Type } from 'typebox'
import { DateTime, Flag, Id, IdList, JsonObject, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging, sorting } from '../../kernel/paging.ts'
import { SCOPES } from './scopes.ts'

const key = Id('The key')
const name = Text('Name of the key', 200)
const scopes = IdList(`Scopes of the key: ${SCOPES.join(', ')}`, SCOPES.length)
const expiresDate = DateTime('When it expires')
const usesLibrary = Flag('Whether its statements can only use verbs of the library; false by default')

export const MakeCredential = Type.Object({
  name,
  scopes,
  authority: Type.Optional(
    JsonObject(
      'The agent that its statements get as authority; by default an account of the platform with the key as its name',
    ),
  ),
  expiresDate: Type.Optional(expiresDate),
  usesLibrary: Type.Optional(usesLibrary),
})
export type MakeCredential = Static<typeof MakeCredential>

export const ChangeCredential = Type.Object({
  key,
  name: Type.Optional(name),
  scopes: Type.Optional(scopes),
  expiresDate: Type.Optional(expiresDate),
  neverExpires: Type.Optional(Flag('Deletes expiresDate')),
  suspended: Type.Optional(Flag('Whether the key is suspended, and refused until it is resumed')),
  usesLibrary: Type.Optional(usesLibrary),
})
export type ChangeCredential = Static<typeof ChangeCredential>

export const NameCredential = Type.Object({ key })
export type NameCredential = Static<typeof NameCredential>
export const ListCredentials = Type.Object({
  sort: sorting(['created', 'name', 'used', 'expires'], '-created'),
  ...paging,
})
export type ListCredentials = Static<typeof ListCredentials>

const Moment = Type.String({ format: 'date-time' })
const MomentOrNull = (description: string) => Type.Union([Moment, Type.Null()], { description })
const Authority = Type.Unsafe<object>({
  type: 'object',
  description: 'The agent or group that statements get as authority',
  additionalProperties: true,
})
const Scopes = (description: string) => Type.Array(Type.String({ enum: [...SCOPES] }), { description })

const STATUSES = ['active', 'suspended', 'expired', 'revoked'] as const
export type CredentialStatus = (typeof STATUSES)[number]

const fields = {
  key: Type.String(),
  name: Type.String(),
  status: Type.String({ enum: [...STATUSES] }),
  scopes: Scopes('Scopes of the key'),
  authority: Authority,
  usesLibrary: Type.Boolean({ description: 'Whether its statements can only use verbs of the library' }),
  createdBy: Type.Union([Type.String(), Type.Null()], {
    description: 'Handle of the administrator who created it; null for the command line',
  }),
  createdDate: Moment,
  expiresDate: MomentOrNull('When it expires'),
  suspendedDate: MomentOrNull('When it was suspended'),
  revokedDate: MomentOrNull('When it was revoked'),
  secrets: Type.Array(
    Type.Object({ createdDate: Moment, lastUsedDate: MomentOrNull('When it was last used, to the minute') }),
    {
      description: 'Oldest first; two while one replaces the other',
    },
  ),
}
export const Credential = Type.Object(fields, { title: 'Credential' })
export type Credential = Static<typeof Credential>

const secret = Type.String({ description: 'Shown only once' })
export const NewCredential = Type.Object({ ...fields, secret }, { title: 'NewCredential' })
export type NewCredential = Static<typeof NewCredential>
export const NewStoreSecret = Type.Object({ key: Type.String(), secret }, { title: 'NewStoreSecret' })
export type NewStoreSecret = Static<typeof NewStoreSecret>
export const CredentialPage = PageOf(Credential, 'CredentialPage')

export const StoreIdentity = Type.Object(
  {
    kind: Type.String({ enum: ['key', 'user', 'content', 'administrator'] }),
    key: Type.Union([Type.String(), Type.Null()], { description: 'The key, if one was sent' }),
    scopes: Scopes('Scopes of the caller; `all` includes every other scope'),
    authority: Authority,
    usesLibrary: fields.usesLibrary,
  },
  { title: 'StoreIdentity' },
)
export type StoreIdentity = Static<typeof StoreIdentity>
