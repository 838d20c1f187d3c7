/** What a page says after something was done. The address carries the code alone, so nobody can make us say anything else. */
const NOTICES: Readonly<Record<string, string>> = {
  'signed-out': 'You are signed out here.',
  'session-ended': 'The session has ended.',
  'browser-ended': 'That browser is signed out.',
  'all-ended': 'You are signed out everywhere else. Passkeys still work: look through yours below.',
  withdrawn: 'Your consent is withdrawn, and the app is signed out.',
  gone: 'That was over already.',
  'password-changed':
    'Your password is changed. You are signed out everywhere else. Passkeys that you have kept still work.',
  'password-reset':
    'Your password is changed. You are signed out everywhere else. Passkeys that you have kept still work. If you came from an app, go back to it and sign in again.',
  'passkey-added': 'The passkey is added. You can sign in with it from now on.',
  'passkey-renamed': 'The passkey has its new name.',
  'passkey-removed': 'The passkey is removed.',
  'profile-saved': 'Your profile is saved.',
  'search-on': 'Others can find you now.',
  'search-off': 'Nobody finds you in a search any more.',
  'email-changed': 'Your e-mail address is changed.',
  'picture-set': 'Your picture is changed.',
  'cover-set': 'Your cover is changed.',
  'picture-removed': 'Your picture is removed.',
  'cover-removed': 'Your cover is removed.',
  'friend-request':
    'The request is on its way. You are friends once it is accepted, or at once where they had asked first.',
  'friend-accept': 'The request is accepted.',
  'friend-decline': 'The request is declined. The other one is not told.',
  'friend-cancel': 'The request is taken back.',
  'friend-remove': 'The friendship is over.',
  'friend-block': 'They are blocked, if there is such a person.',
  'friend-unblock': 'That handle is not blocked any more.',
  'child-added': 'The account is there. You look after it now.',
  'child-saved': 'This is saved.',
  'child-password':
    'The password is set. Everything that the old one opened has ended. Passkeys that you have kept still work.',
  'child-left': 'You no longer look after this child.',
  'child-deleted': 'The account is deleted.',
  'account-deleted': 'Your account is deleted. Goodbye.',
  'link-asked':
    'If there is an account with that handle and an e-mail address, a link is on its way. It works once, for 30 minutes.',
}

export const findNotice = (code: string | undefined): string | undefined =>
  code !== undefined && Object.hasOwn(NOTICES, code) ? NOTICES[code] : undefined
