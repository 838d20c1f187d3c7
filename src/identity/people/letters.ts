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

export const invitationLetter = (handle: string, link: string, days: number, messages: MessagePolicy): Letter => ({
  kind: 'invitation',
  subject: `Set up your account (${handle})`,
  text: `An administrator created the account ${handle} for you on ${platformOf(messages)}. To start using it, set a password here:

${link}

The link works once, for ${days} days. Don’t share it with anyone. If it has expired, request a new one here:

${messages.url}/account/reset

If you weren’t expecting this message, ignore it or contact an administrator.
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
