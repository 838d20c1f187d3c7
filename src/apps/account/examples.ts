import {
  BASE_URL,
  BROWSER_ID,
  CLIENT_ID,
  DONE,
  MOMENT,
  NEW_PASSWORD,
  PASSKEY_ID,
  PASSWORD,
  RESET_CODE,
  SESSION_ID,
  SIGN_UP_CODE,
} from '../../kernel/samples.ts'

const PASSKEY = { passkeyId: PASSKEY_ID, name: 'Laptop', createdDate: MOMENT, lastUsedDate: null }
const NO_PASSKEYS = { success: true, passkeys: [] }
const ME = { handle: '@avery', name: 'Avery Lindqvist' }

/** What people read about these operations. */
export const examples = {
  signIn: {
    description:
      "For the platform's own pages and for people's own scripts; apps use the sign-in page instead. Keep the cookie from the answer and send it with every request. After a few wrong passwords the account is locked for a while.",
    example: { request: { handle: '@avery', password: PASSWORD }, answer: ME },
  },
  askSignUp: {
    description:
      'The link works once, within an hour. The answer does not reveal whether the address has an account already; the message does. Refused with 400/4006 if only administrators create accounts (SIGN_UP is off).',
    example: { request: { email: 'robin@example.org' }, answer: DONE },
  },
  signUp: {
    description:
      'Send the code from the link. It confirms the e-mail address, so the person can sign in with that or with the handle. This browser is signed in as the new person.',
    example: {
      request: {
        code: SIGN_UP_CODE,
        handle: '@robin',
        firstName: 'Robin',
        lastName: 'Adeyemi',
        dateOfBirth: '1999-04-02',
        password: NEW_PASSWORD,
      },
      answer: { handle: '@robin', name: 'Robin Adeyemi' },
      fill: { code: 'The code in the link of the message' },
    },
  },
  signOut: {
    description:
      'Ends the sign-in of this browser and clears its cookie. Other browsers and sessions in apps are not affected.',
    example: { answer: DONE },
  },
  readMe: {
    description:
      'Use it to show who is signed in. The answer has the handle and the full name, which is empty if the person has given none. Without a valid cookie it is refused.',
    example: { answer: ME },
  },
  readHere: {
    description:
      'The pages of the platform call this first; nobody has to be signed in. `areas` lists the parts of the site that the person can use. Demo people are listed only if demo data is loaded and only this machine can reach the platform.',
    example: {
      answer: {
        environment: 'production',
        production: BASE_URL,
        sandbox: 'http://localhost:4001',
        person: null,
        signUp: true,
        demoPeople: [{ handle: '@avery', name: 'Avery Lindqvist', part: 'student' }],
      },
    },
  },
  listOwnApps: {
    description:
      'For a page where people review their apps. Each app comes with its open sessions, newest first, at most 50. Apps whose consent was withdrawn are not listed.',
    example: {
      answer: [
        {
          clientId: CLIENT_ID,
          name: 'Demo app',
          owner: 'Northwind Training',
          sinceDate: MOMENT,
          allowedDate: MOMENT,
          sessions: [
            {
              sessionId: SESSION_ID,
              device: 'DemoApp/1.0 (Android 16)',
              door: 'basic',
              createdDate: MOMENT,
              lastUsedDate: MOMENT,
            },
          ],
        },
      ],
    },
  },
  listOwnBrowsers: {
    description:
      'Shows where the person is signed in to the platform itself; sessions in apps are listed with the apps. `isCurrent` marks the calling browser. It comes first, then the most recently used.',
    example: {
      answer: [
        {
          browserId: BROWSER_ID,
          device: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
          address: '127.0.0.1',
          createdDate: MOMENT,
          lastUsedDate: MOMENT,
          isCurrent: true,
        },
      ],
    },
  },
  endBrowser: {
    description:
      'Use it for a lost laptop or a forgotten sign-in on a shared computer. The cookie of that browser stops working at once. Take the id from the list of browsers.',
    example: { request: { browserId: BROWSER_ID }, answer: DONE, after: 'listOwnBrowsers' },
  },
  endSession: {
    description:
      'Signs the person out of one app on one device. The consent stays, so the next sign-in does not ask for it again. Take the id from the list of apps.',
    example: { request: { sessionId: SESSION_ID }, answer: DONE, after: 'listOwnApps' },
  },
  endEverythingElse: {
    description:
      'Use it if the person suspects that somebody else has access. Apps have to sign in again but keep their consent; this browser stays signed in. Passkeys keep working: remove any that the person does not recognise.',
    example: { answer: { success: true, passkeys: [PASSKEY] } },
  },
  withdrawConsent: {
    description:
      'The app can no longer act for the person, and other users of the app no longer find them there. Data in its buckets stays. If the person allows the app again, they get the same userId as before.',
    example: { request: { clientId: CLIENT_ID }, answer: DONE },
  },
  changePassword: {
    description:
      'Send the current password and a new one of 8 to 1000 characters. Every session in an app and every other browser ends; this browser stays signed in with the new cookies from the answer. Passkeys stay unless `removePasskeys` names them; those that stay are listed.',
    example: { request: { password: PASSWORD, newPassword: NEW_PASSWORD, removePasskeys: 'all' }, answer: NO_PASSKEYS },
  },
  askPasswordReset: {
    description:
      'For people who have forgotten their password. If the handle belongs to somebody with an e-mail address, a link goes there; it works once, within 30 minutes. The answer does not reveal whether the handle exists.',
    example: { request: { handle: '@avery' }, answer: DONE },
  },
  resetPassword: {
    description:
      'Send the code from the link together with the new password, of 8 to 1000 characters. Every session and browser that the old password opened ends, and the cookies from the answer sign the person in here. Passkeys stay unless `removePasskeys` names them; those that stay are listed.',
    example: {
      request: { code: RESET_CODE, password: NEW_PASSWORD, removePasskeys: 'all' },
      answer: NO_PASSKEYS,
      fill: { code: 'The code in the link of the message' },
    },
  },
  signInAsDemo: {
    description:
      'For looking around on your own machine; no password is needed. It works only with the demo data, on a platform that only this machine can reach; anywhere else the answer is 404.',
    example: { request: { handle: '@casey' }, answer: DONE },
  },
}
