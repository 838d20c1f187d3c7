/** What a page says after something was done. The address carries the code alone, so nobody can make us say anything else. */
const NOTICES: Readonly<Record<string, string>> = {
  'signed-out': 'You are signed out here.',
  'session-ended': 'The session has ended.',
  'browser-ended': 'That browser is signed out.',
  'all-ended': 'You are signed out everywhere else.',
  withdrawn: 'Your consent is withdrawn, and the app is signed out.',
  gone: 'That was over already.',
  'password-changed': 'Your password is changed. You are signed out everywhere else.',
  'password-reset':
    'Your password is changed. You are signed out everywhere else. If you came from an app, go back to it and sign in again.',
  'passkey-added': 'The passkey is added. You can sign in with it from now on.',
  'passkey-renamed': 'The passkey has its new name.',
  'passkey-removed': 'The passkey is removed.',
  'link-asked':
    'If there is an account with that handle and an e-mail address, a link is on its way. It works once, for 30 minutes.',
}

export const findNotice = (code: string | undefined): string | undefined =>
  code !== undefined && Object.hasOwn(NOTICES, code) ? NOTICES[code] : undefined
