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
  subject: `The password of ${handle} was changed`,
  text: `The password of ${handle} on ${platformOf(messages)} was changed at ${sayTime(at)}. All apps and devices were signed out.

If it was you, there is nothing to do.

If it was not: set a new password at once, remove with it the passkeys that you do not know, and tell an administrator. Ask for a link at

${messages.url}/account/reset
`,
})

export const resetLetter = (handle: string, link: string, minutes: number, messages: MessagePolicy): Letter => ({
  kind: 'password-reset',
  subject: `A new password for ${handle}`,
  text: `Somebody asked for a new password for ${handle} on ${platformOf(messages)}. If it was you, set it here:

${link}

The link works once, within ${minutes} minutes.

If it was not you, there is nothing to do: your password still holds, and only who has this link can change it. Give it to nobody.
`,
})

export const invitationLetter = (handle: string, link: string, days: number, messages: MessagePolicy): Letter => ({
  kind: 'invitation',
  subject: `Your account ${handle}`,
  text: `You have an account on ${platformOf(messages)}: ${handle}. To use it, set a password here:

${link}

The link works once, within ${days} days. Give it to nobody. Afterwards, ask for another one at

${messages.url}/account/reset
`,
})

export const signUpLetter = (link: string, minutes: number, messages: MessagePolicy): Letter => ({
  kind: 'sign-up',
  subject: 'Confirm your e-mail address',
  text: `Somebody asked for an account on ${platformOf(messages)} with this e-mail address. If it was you, go on here:

${link}

The link works once, within ${minutes} minutes.

If it was not you, there is nothing to do: without this link there will be no account.
`,
})

export const accountExistsLetter = (handle: string, messages: MessagePolicy): Letter => ({
  kind: 'sign-up',
  subject: 'You have an account already',
  text: `Somebody asked for an account on ${platformOf(messages)} with this e-mail address. It has one already: ${handle}. Sign in with it, or with this address, at

${messages.url}/account

If you do not know the password any more, ask for a link at

${messages.url}/account/reset

If it was not you who asked, there is nothing to do.
`,
})

export const emailChangedLetter = (handle: string, at: Date, messages: MessagePolicy): Letter => ({
  kind: 'email-changed',
  subject: `The e-mail address of ${handle} was changed`,
  text: `The e-mail address of ${handle} on ${platformOf(messages)} was changed at ${sayTime(at)}. This is the last message to the old one.

If it was you, there is nothing to do.

If it was not: sign in at once, set a new password, and tell an administrator.

${messages.url}/account
`,
})

export const farewellLetter = (handle: string, at: Date, messages: MessagePolicy): Letter => ({
  kind: 'account-deleted',
  subject: `The account ${handle} was deleted`,
  text: `The account ${handle} on ${platformOf(messages)} was deleted at ${sayTime(at)}, with everything that was only yours. This is the last message.

If it was not you: tell an administrator. What is gone cannot be brought back.
`,
})
