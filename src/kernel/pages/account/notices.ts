/**
 * Notices shown after an action, by code. The URL contains only the code, so a link cannot make the page show other
 * text.
 */
const NOTICES: Readonly<Record<string, string>> = {
  'signed-out': 'You are signed out here.',
  'account-deleted': 'Your account is deleted. Goodbye.',
  'link-asked':
    'If there is an account with that handle or e-mail address, a link is on its way to the address of the account. It works once, for 30 minutes.',
  'sign-up-asked':
    'A message is on its way to that address. The link in it works once, for 60 minutes. If the address has an account already, the message says so.',
}

export const findNotice = (code: string | undefined): string | undefined =>
  code !== undefined && Object.hasOwn(NOTICES, code) ? NOTICES[code] : undefined
