import { type Static, Type } from 'typebox'
import { AnyJson, Flag, Id, IdList, Text } from '../../kernel/http/input/fields.ts'
import { nameOfBox } from '../../kernel/pages/account/new-password.ts'

export const MAX_PASSKEYS = 20
export const MAX_NAME_LENGTH = 100
const MAX_PASSWORD_LENGTH = 1000

const passkeyId = Id('Id of one of your passkeys')
const name = Text('The name of the passkey, such as “Laptop”', MAX_NAME_LENGTH)
const proof = {
  password: Type.Optional(Text('Your password, unless `proof` is sent', MAX_PASSWORD_LENGTH)),
  proof: Type.Optional(
    AnyJson(
      'Instead of the password: AuthenticationResponseJSON (WebAuthn Level 3, §5.1.8), signed by one of your passkeys, with the options of `POST /account/v1/passkey/proof/options`',
    ),
  ),
}

export const StartPasskey = Type.Object(proof)
export const AddPasskey = Type.Object({
  response: AnyJson(
    'RegistrationResponseJSON (WebAuthn Level 3, §5.1.8): `toJSON()` of the credential that the browser created',
  ),
  name: Type.Optional(name),
})
const code = Id('The code in the link of the invitation')
export const StartFirstPasskey = Type.Object({ code })
export const AddFirstPasskey = Type.Object({ code, response: AddPasskey.properties.response })
export const RenamePasskey = Type.Object({ passkeyId, name })
export const RemovePasskey = Type.Object({ passkeyId, ...proof })
export const SignInWithPasskey = Type.Object({
  response: AnyJson(
    'AuthenticationResponseJSON (WebAuthn Level 3, §5.1.8): `toJSON()` of the credential that the browser signed',
  ),
  keep: Type.Optional(Flag('Stay signed in for 30 days instead of until the browser is closed. Default: false')),
})

export const Passkey = Type.Object(
  {
    passkeyId: Type.String(),
    name: Type.String(),
    createdDate: Type.String({ format: 'date-time' }),
    lastUsedDate: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { title: 'Passkey' },
)
export const Passkeys = Type.Array(Passkey)

/**
 * The field that lists passkeys to remove when a new password is set. `source` names the operation that lists their
 * ids.
 */
export const removalFields = (source: string) => ({
  removePasskeys: Type.Optional(IdList(`Ids of passkeys to delete too, from ${source}, or \`all\``, MAX_PASSKEYS)),
})
/** The response after a new password is set: all sessions have ended, and the listed passkeys remain. */
export const Ended = Type.Object(
  {
    success: Type.Literal(true),
    passkeys: Type.Array(Passkey, {
      description: 'Passkeys that can still sign in: delete any that you do not recognise',
    }),
  },
  { title: 'Ended' },
)
/**
 * The check boxes for passkeys to remove. Each has its own field name, because forms with repeated fields are refused.
 */
export const passkeyBoxes = Object.fromEntries(
  Array.from({ length: MAX_PASSKEYS }, (_, i) => [nameOfBox(i), Type.Optional(Id('Id of a passkey to delete'))]),
)
/** Reads the passkey ids of the ticked boxes. */
export const readTicked = (fields: Readonly<Record<string, unknown>>): string[] =>
  Array.from({ length: MAX_PASSKEYS }, (_, i) => fields[nameOfBox(i)]).filter((id) => typeof id === 'string')

const CredentialList = Type.Array(
  Type.Object({ type: Type.String(), id: Type.String(), transports: Type.Array(Type.String()) }),
)
export const CreationOptions = Type.Object(
  {
    rp: Type.Object({ id: Type.String(), name: Type.String() }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    challenge: Type.String(),
    pubKeyCredParams: Type.Array(Type.Object({ type: Type.String(), alg: Type.Integer() })),
    timeout: Type.Integer({ description: 'Milliseconds' }),
    excludeCredentials: CredentialList,
    authenticatorSelection: Type.Object({
      residentKey: Type.String(),
      requireResidentKey: Type.Boolean(),
      userVerification: Type.String(),
    }),
    attestation: Type.String(),
  },
  { description: 'For `PublicKeyCredential.parseCreationOptionsFromJSON`' },
)
export const RequestOptions = Type.Object(
  {
    challenge: Type.String(),
    timeout: Type.Integer({ description: 'Milliseconds' }),
    rpId: Type.String(),
    userVerification: Type.String(),
  },
  { description: 'For `PublicKeyCredential.parseRequestOptionsFromJSON`' },
)

const Bytes = (maxLength: number) => Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength })
/** At most 1023 bytes (WebAuthn §4, Credential ID), which are 1364 characters in base64url. */
const credentialId = Bytes(1364)
const clientDataJSON = Bytes(8192)

/** The fields of a RegistrationResponseJSON that the platform reads. */
export const Registration = Type.Object({
  id: credentialId,
  rawId: credentialId,
  type: Type.Literal('public-key'),
  response: Type.Object({
    clientDataJSON,
    attestationObject: Bytes(32_768),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
  }),
})

/** The fields of an AuthenticationResponseJSON that the platform reads. */
export const Assertion = Type.Object({
  id: credentialId,
  rawId: credentialId,
  type: Type.Literal('public-key'),
  response: Type.Object({
    clientDataJSON,
    authenticatorData: Bytes(4096),
    signature: Bytes(4096),
    // At most 64 bytes (WebAuthn §5.4.3), which are 86 characters in base64url.
    userHandle: Type.Optional(Type.Union([Bytes(86), Type.Null()])),
  }),
})

export type Passkey = Static<typeof Passkey>
export type CreationOptions = Static<typeof CreationOptions>
export type RequestOptions = Static<typeof RequestOptions>
export type Registration = Static<typeof Registration>
export type Assertion = Static<typeof Assertion>
