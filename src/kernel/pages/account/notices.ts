/**
 * Notices shown after an action, by code. The URL contains only the code, so a link cannot make the page show other
 * text.
 */
const NOTICES: Readonly<Record<string, string>> = {
  'signed-out': 'You’re signed out.',
  'account-deleted': 'Account deleted.',
  'link-asked':
    'If an account with that handle or e-mail address exists, we’ve e-mailed it a link. The link works once, for 30 minutes.',
  'sign-up-asked':
    'Check your e-mail. The link we sent works once, for 60 minutes. If you already have an account, the e-mail says so.',
  'access-removed': 'Access removed. You’re signed out of the app.',
  'join-asked': 'Check your e-mail. The link we sent works once, for 60 minutes.',
}

export const findNotice = (code: string | undefined): string | undefined =>
  code !== undefined && Object.hasOwn(NOTICES, code) ? NOTICES[code] : undefined
