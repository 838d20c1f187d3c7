import { Ended } from '../../identity/passkeys/schema.ts'
import { askReset } from '../../identity/people/resets.ts'
import { askSignUp } from '../../identity/people/sign-up.ts'
import { Me } from '../../kernel/browsers/schema.ts'
import { person, visitor } from '../../kernel/http/callers/callers.ts'
import { clearCookie, writeCookie } from '../../kernel/http/callers/cookies.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import {
  BROWSER_ID,
  CLIENT_ID,
  NEW_PASSWORD,
  PASSWORD,
  RESET_CODE,
  SESSION_ID,
  SIGN_UP_CODE,
} from '../../kernel/samples.ts'
import {
  endEverythingElse,
  endOneBrowser,
  endOneSession,
  listOwnApps,
  listOwnBrowsers,
  renewPassword,
  replaceForgotten,
  signInAndTell,
  signOut,
  signUpAndTell,
  withdrawApp,
} from './account.ts'
import { signInAsDemo } from './demo.ts'
import { readHere } from './here.ts'
import {
  AccountApps,
  AskReset,
  AskSignUp,
  Browsers,
  ChangePassword,
  Here,
  NameApp,
  NameBrowser,
  NameSession,
  ResetPassword,
  SignIn,
  SignInAsDemo,
  SignUp,
} from './schema.ts'

const op = operationsIn({ area: 'Account', who: person })

/** The fields shared by all operations that change the cookie. */
const newCookie = {
  headersOf: ({ cookie }: { cookie: string[] }) => ({ 'set-cookie': cookie }),
  headers: {
    'Set-Cookie':
      'The new cookie of this browser; the old one stops working. After a sign-in, also a cookie that marks the browser as known: keep both',
  },
}

export const accountOperations: readonly Operation[] = [
  op('POST /account/v1/signin', {
    name: 'signIn',
    summary: 'Signs a person in to the platform itself, in this browser',
    description:
      "For the platform's own pages and for people's own scripts; apps use the sign-in page instead. Keep the cookie from the answer and send it with every request. After a few wrong passwords the account is locked for a while.",
    example: { request: { handle: '@avery', password: PASSWORD } },
    who: visitor,
    input: SignIn,
    output: json(Me, newCookie),
    errors: ['wrongCredentials'],
    run: async ({ db, who, environment }, { keep, ...input }) => {
      const { browser, ...me } = await signInAndTell(db, who, { ...input, isKept: keep ?? false }, environment.name)
      return { ...me, cookie: writeCookie(environment, browser) }
    },
  }),
  op('POST /account/v1/signup/ask', {
    name: 'askSignUp',
    summary: 'Sends a sign-up link by e-mail; the answer is always the same',
    description:
      'The link works once, within an hour. The answer does not reveal whether the address has an account already; the message does. Refused with 400/4006 if only administrators create accounts (SIGN_UP is off).',
    example: { request: { email: 'robin@example.org' } },
    who: visitor,
    input: AskSignUp,
    output: success(),
    errors: ['impossibleNow'],
    run: ({ db, who, environment }, input) =>
      askSignUp(db, who, input, environment.config, environment.get(messagePolicy)),
  }),
  op('POST /account/v1/signup', {
    name: 'signUp',
    summary: 'Creates an account with the code from a sign-up link, and signs in',
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
      fill: { code: 'The code in the link of the message' },
    },
    who: visitor,
    input: SignUp,
    output: json(Me, newCookie),
    errors: ['impossibleNow', 'alreadyUsed', 'unknownCode', 'duplicate', 'conflict', 'wrongCredentials'],
    run: async ({ db, who, environment }, input) => {
      const messages = environment.get(messagePolicy)
      const { browser, ...me } = await signUpAndTell(db, who, input, environment.config, messages)
      return { ...me, cookie: writeCookie(environment, browser) }
    },
  }),
  op('POST /account/v1/signout', {
    name: 'signOut',
    summary: 'Signs the person out in this browser; apps stay signed in',
    description:
      'Ends the sign-in of this browser and clears its cookie. Other browsers and sessions in apps are not affected.',
    input: Nothing,
    output: success(newCookie),
    refusesIdempotencyKey: true,
    run: async ({ db, who, environment }) => {
      await signOut(db, who)
      return { cookie: clearCookie(environment) }
    },
  }),
  op('GET /account/v1/me', {
    name: 'readMe',
    summary: 'Returns who is signed in',
    description:
      'Use it to show who is signed in. The answer has the handle and the full name, which is empty if the person has given none. Without a valid cookie it is refused.',
    input: Nothing,
    output: json(Me),
    run: async ({ who }) => who,
  }),
  op('GET /account/v1/here', {
    name: 'readHere',
    summary: 'Returns the environment, who is signed in, and which pages they can use',
    description:
      'The pages of the platform call this first; nobody has to be signed in. `areas` lists the parts of the site that the person can use. Demo people are listed only if demo data is loaded and only this machine can reach the platform.',
    who: visitor,
    input: Nothing,
    output: json(Here),
    run: ({ db, who, environment }) => readHere(db, who, environment),
  }),
  op('GET /account/v1/apps', {
    name: 'listOwnApps',
    summary: 'Lists the apps that the person is a user of, with their sessions; at most 200',
    description:
      'For a page where people review their apps. Each app comes with its open sessions, newest first, at most 50. Apps whose consent was withdrawn are not listed.',
    input: Nothing,
    output: json(AccountApps),
    run: ({ db, who }) => listOwnApps(db, who),
  }),
  op('GET /account/v1/browsers', {
    name: 'listOwnBrowsers',
    summary: 'Lists the browsers in which the person is signed in to the platform itself; at most 100',
    description:
      'Shows where the person is signed in to the platform itself; sessions in apps are listed with the apps. `isCurrent` marks the calling browser. It comes first, then the most recently used.',
    input: Nothing,
    output: json(Browsers),
    run: ({ db, who }) => listOwnBrowsers(db, who),
  }),
  op('POST /account/v1/browser/end', {
    name: 'endBrowser',
    summary: 'Signs the person out in one of their browsers',
    description:
      'Use it for a lost laptop or a forgotten sign-in on a shared computer. The cookie of that browser stops working at once. Take the id from the list of browsers.',
    example: { request: { browserId: BROWSER_ID }, after: 'listOwnBrowsers' },
    input: NameBrowser,
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => endOneBrowser(db, who, input),
  }),
  op('POST /account/v1/session/end', {
    name: 'endSession',
    summary: "Ends one of the person's sessions in an app; its tokens stop working at once",
    description:
      'Signs the person out of one app on one device. The consent stays, so the next sign-in does not ask for it again. Take the id from the list of apps.',
    example: { request: { sessionId: SESSION_ID }, after: 'listOwnApps' },
    input: NameSession,
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => endOneSession(db, who, input),
  }),
  op('POST /account/v1/sessions/end-all', {
    name: 'endEverythingElse',
    summary: 'Ends all sessions in apps and signs out all other browsers; passkeys stay and are listed',
    description:
      'Use it if the person suspects that somebody else has access. Apps have to sign in again but keep their consent; this browser stays signed in. Passkeys keep working: remove any that the person does not recognise.',
    input: Nothing,
    output: json(Ended),
    run: async ({ db, who }) => ({ success: true, passkeys: await endEverythingElse(db, who) }),
  }),
  op('POST /account/v1/app/withdraw', {
    name: 'withdrawConsent',
    summary: 'Withdraws consent to an app and ends its sessions',
    description:
      'The app can no longer act for the person, and other users of the app no longer find them there. Data in its buckets stays. If the person allows the app again, they get the same userId as before.',
    example: { request: { clientId: CLIENT_ID } },
    input: NameApp,
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => withdrawApp(db, who, input),
  }),
  op('POST /account/v1/password', {
    name: 'changePassword',
    summary: 'Sets a new password and ends all other sessions; this browser stays signed in',
    description:
      'Send the current password and a new one of 8 to 1000 characters. Every session in an app and every other browser ends; this browser stays signed in with the new cookies from the answer. Passkeys stay unless `removePasskeys` names them; those that stay are listed.',
    example: { request: { password: PASSWORD, newPassword: NEW_PASSWORD, removePasskeys: 'all' } },
    input: ChangePassword,
    output: json(Ended, newCookie),
    refusesIdempotencyKey: true,
    errors: ['wrongCredentials', 'impossibleNow', 'notFound'],
    run: async ({ db, who, environment }, input) => {
      const { browser, passkeys } = await renewPassword(db, who, input, environment.get(messagePolicy))
      return { success: true, passkeys, cookie: writeCookie(environment, browser) }
    },
  }),
  op('POST /account/v1/password/reset/ask', {
    name: 'askPasswordReset',
    summary: 'Sends a password reset link by e-mail; the answer is always the same',
    description:
      'For people who have forgotten their password. If the handle belongs to somebody with an e-mail address, a link goes there; it works once, within 30 minutes. The answer does not reveal whether the handle exists.',
    example: { request: { handle: '@avery' } },
    who: visitor,
    input: AskReset,
    output: success(),
    errors: ['impossibleNow'],
    run: ({ db, who, environment }, input) => askReset(db, who, input, environment.get(messagePolicy)),
  }),
  op('POST /account/v1/password/reset', {
    name: 'resetPassword',
    summary: 'Sets a new password with the code from a reset link, ends all sessions, and signs in',
    description:
      'Send the code from the link together with the new password, of 8 to 1000 characters. Every session and browser that the old password opened ends, and the cookies from the answer sign the person in here. Passkeys stay unless `removePasskeys` names them; those that stay are listed.',
    example: {
      request: { code: RESET_CODE, password: NEW_PASSWORD, removePasskeys: 'all' },
      fill: { code: 'The code in the link of the message' },
    },
    who: visitor,
    input: ResetPassword,
    output: json(Ended, newCookie),
    errors: ['alreadyUsed', 'unknownCode', 'notFound', 'conflict'],
    run: async ({ db, who, environment }, input) => {
      const { browser, passkeys } = await replaceForgotten(db, who, input, environment.get(messagePolicy))
      return { success: true, passkeys, cookie: writeCookie(environment, browser) }
    },
  }),
  op('POST /account/v1/demo/signin', {
    name: 'signInAsDemo',
    summary: 'Signs this browser in as a demo person',
    description:
      'For looking around on your own machine; no password is needed. It works only with the demo data, on a platform that only this machine can reach; anywhere else the answer is 404.',
    example: { request: { handle: '@casey' } },
    who: visitor,
    input: SignInAsDemo,
    output: success<{ cookie: string[] }>({
      headersOf: ({ cookie }) => ({ 'set-cookie': cookie }),
      headers: { 'Set-Cookie': 'The new cookie of this browser; the old one stops working' },
    }),
    errors: ['notFound', 'wrongCredentials'],
    run: async ({ db, who, environment }, input) => ({
      cookie: writeCookie(environment, await signInAsDemo(db, who, input, environment)),
    }),
  }),
]
