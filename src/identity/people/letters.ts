import type { MessagePolicy } from '../../kernel/messages/messages.ts'

/** The content of a message, without its recipient. */
export interface Letter {
  readonly kind: string
  readonly subject: string
  readonly text: string
}

const platformOf = ({ environment }: MessagePolicy): string =>
  environment === 'production' ? 'Groundschool' : 'the Groundschool sandbox'

const sayTime = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`

export const passwordChangedLetter = (handle: string, at: Date, messages: MessagePolicy): Letter => ({
  kind: 'password-changed',
  subject: `Your password was changed (${handle})`,
  text: `The password of your account ${handle} on ${platformOf(messages)} was changed at ${sayTime(at)}. You were signed out of all other browsers and all apps.

If you changed it, you don’t need to do anything.

If it wasn’t you, set a new password immediately, delete any passkeys you don’t recognise, and contact an administrator. Request a reset link here:

${messages.url}/account/reset
`,
})

export const resetLetter = (handle: string, link: string, minutes: number, messages: MessagePolicy): Letter => ({
  kind: 'password-reset',
  subject: `Reset your password (${handle})`,
  text: `Someone requested a password reset for your account ${handle} on ${platformOf(messages)}. To set a new password, open this link:

${link}

The link works once, for ${minutes} minutes. Don’t share it with anyone.

If it wasn’t you, ignore this message. Your password stays the same.
`,
})

/** An account can be created by an administrator, or for an organisation, which then manages it. */
export const invitationLetter = (
  what: { handle: string; link: string; days: number; organisation: string | null },
  messages: MessagePolicy,
): Letter => ({
  kind: 'invitation',
  subject: what.organisation === null ? `Set up your account (${what.handle})` : `Invitation to ${what.organisation}`,
  text: `${what.organisation ?? 'An administrator'} created the account ${what.handle} for you on ${platformOf(messages)}. To start using it, set a password or create a passkey here:

${what.link}

The link works once, for ${what.days} days. Don’t share it with anyone. ${what.organisation === null ? `If it has expired, request a new one here:\n\n${messages.url}/account/reset\n` : `If it has expired, ask for a new one.\n\nBy doing so you join ${what.organisation}. Its owners can change, disable and delete this account as long as you belong to no other organisation.\n`}
If you weren’t expecting this message, ignore it or contact an administrator.
`,
})

export const handleChangedLetter = (before: string, after: string, at: Date, messages: MessagePolicy): Letter => ({
  kind: 'handle-changed',
  subject: `Your handle was changed (${after})`,
  text: `The handle of your account on ${platformOf(messages)} was changed from ${before} to ${after} at ${sayTime(at)}. Sign in with the new handle:

${messages.url}/account

If you don’t know why, contact an administrator.
`,
})

export const signUpLetter = (link: string, minutes: number, messages: MessagePolicy): Letter => ({
  kind: 'sign-up',
  subject: 'Confirm your e-mail address',
  text: `Someone requested an account on ${platformOf(messages)} with this e-mail address. To create your account, open this link:

${link}

The link works once, for ${minutes} minutes. Don’t share it with anyone.

If it wasn’t you, ignore this message. No account is created.
`,
})

/** Sent to an address with which somebody wants to join an organisation that is open for sign-up. */
export const joinLetter = (
  what: { organisation: string; link: string; minutes: number; handle: string | undefined },
  messages: MessagePolicy,
): Letter => ({
  kind: 'sign-up',
  subject: `Join ${what.organisation}`,
  text: `Someone asked to join ${what.organisation} on ${platformOf(messages)} with this e-mail address. ${what.handle === undefined ? 'To create your account and join' : `You have the account ${what.handle}. To join with it`}, open this link:

${what.link}

The link works once, for ${what.minutes} minutes. Don’t share it with anyone.

If it wasn’t you, ignore this message. Nothing changes.
`,
})

export const accountExistsLetter = (handle: string, messages: MessagePolicy): Letter => ({
  kind: 'sign-up',
  subject: 'You already have an account',
  text: `Someone requested an account on ${platformOf(messages)} with this e-mail address, which already belongs to the account ${handle}. Sign in with the handle or this address:

${messages.url}/account

If you forgot your password, request a reset link here:

${messages.url}/account/reset

If it wasn’t you, ignore this message.
`,
})

export const emailChangedLetter = (handle: string, at: Date, messages: MessagePolicy): Letter => ({
  kind: 'email-changed',
  subject: `Your e-mail address was changed (${handle})`,
  text: `The e-mail address of your account ${handle} on ${platformOf(messages)} was changed at ${sayTime(at)}. We no longer send messages to this address.

If you changed it, you don’t need to do anything.

If it wasn’t you, sign in immediately, change your password, and contact an administrator:

${messages.url}/account
`,
})

export const farewellLetter = (handle: string, at: Date, messages: MessagePolicy): Letter => ({
  kind: 'account-deleted',
  subject: `Account deleted (${handle})`,
  text: `The account ${handle} on ${platformOf(messages)} was deleted at ${sayTime(at)}, with all its data. This is the last message we send you.

If it wasn’t you, contact an administrator. Deleted data can’t be restored.
`,
})
