import type { Letter } from '../../identity/people/letters.ts'
import type { MessagePolicy } from '../../kernel/messages/messages.ts'

interface ConnectedAccount {
  readonly handle: string
  readonly organisation: string
  readonly host: string
  /** True if the password and the passkeys of the account were deleted. */
  readonly isTakenOver: boolean
}

/** Tells a person that their account was connected to the provider of an organisation. */
export const connectedLetter = (
  { handle, organisation, host, isTakenOver }: ConnectedAccount,
  messages: MessagePolicy,
): Letter => ({
  kind: 'connection.added',
  subject: `Your account was connected to ${organisation} (${handle})`,
  text: `Your account ${handle} was connected to the sign-in of ${organisation} at ${host}. You can now sign in there.

${isTakenOver ? `Your password and passkeys were deleted, and you were signed out everywhere else, because your organisation has confirmed that the account is yours. If you want a password again, request a link at ${messages.url}/account/reset.\n\n` : ''}If it was you, you don’t need to do anything.

If it wasn’t you, contact an owner of ${organisation} or an administrator:

${messages.url}/account/security
`,
})
