import { Ended } from '../../identity/passkeys/schema.ts'
import { passwordSeal } from '../../identity/people/password-seals.ts'
import { askReset } from '../../identity/people/resets.ts'
import { askSignUp } from '../../identity/people/sign-up.ts'
import { Me } from '../../kernel/browsers/schema.ts'
import { person, visitor } from '../../kernel/http/callers/callers.ts'
import { clearCookie, writeCookie } from '../../kernel/http/callers/cookies.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
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
import { examples } from './examples.ts'
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

const area = 'Account'
const path = '/account/v1'

/** What every operation that changes the cookie has in common. */
const newCookie = {
  headersOf: ({ cookie }: { cookie: string[] }) => ({ 'set-cookie': cookie }),
  headers: {
    'Set-Cookie':
      'The new cookie of this browser; the old one stops working. After a sign-in, also a cookie that marks the browser as known: keep both',
  },
}

export const accountOperations: readonly Operation[] = [
  operation({
    name: 'signIn',
    ...examples.signIn,
    summary: 'Signs a person in to the platform itself, in this browser',
    method: 'POST',
    path: `${path}/signin`,
    area,
    who: visitor,
    input: SignIn,
    from: 'body',
    output: json(Me, newCookie),
    errors: ['wrongCredentials'],
    run: async ({ db, who, environment }, { keep, ...input }) => {
      const what = { ...input, isKept: keep ?? false }
      const { browser, ...me } = await signInAndTell(db, who, what, environment.name, environment.get(passwordSeal))
      return { ...me, cookie: writeCookie(environment, browser) }
    },
  }),
  operation({
    name: 'askSignUp',
    ...examples.askSignUp,
    summary: 'Sends a sign-up link by e-mail; the answer is always the same',
    method: 'POST',
    path: `${path}/signup/ask`,
    area,
    who: visitor,
    input: AskSignUp,
    from: 'body',
    output: success(),
    errors: ['impossibleNow'],
    run: ({ db, who, environment }, input) =>
      askSignUp(db, who, input, environment.config, environment.get(messagePolicy)),
  }),
  operation({
    name: 'signUp',
    ...examples.signUp,
    summary: 'Creates an account with the code from a sign-up link, and signs in',
    method: 'POST',
    path: `${path}/signup`,
    area,
    who: visitor,
    input: SignUp,
    from: 'body',
    output: json(Me, newCookie),
    errors: ['impossibleNow', 'alreadyUsed', 'unknownCode', 'duplicate', 'conflict', 'wrongCredentials'],
    run: async ({ db, who, environment }, input) => {
      const messages = environment.get(messagePolicy)
      const { browser, ...me } = await signUpAndTell(db, who, input, environment.config, messages)
      return { ...me, cookie: writeCookie(environment, browser) }
    },
  }),
  operation({
    name: 'signOut',
    ...examples.signOut,
    summary: 'Signs the person out in this browser; apps stay signed in',
    method: 'POST',
    path: `${path}/signout`,
    area,
    who: person,
    input: Nothing,
    from: 'body',
    output: success(newCookie),
    isUnrepeatable: true,
    errors: [],
    run: async ({ db, who, environment }) => {
      await signOut(db, who)
      return { cookie: clearCookie(environment) }
    },
  }),
  operation({
    name: 'readMe',
    ...examples.readMe,
    summary: 'Returns who is signed in',
    method: 'GET',
    path: `${path}/me`,
    area,
    who: person,
    input: Nothing,
    from: 'query',
    output: json(Me),
    errors: [],
    run: async ({ who }) => who,
  }),
  operation({
    name: 'readHere',
    ...examples.readHere,
    summary: 'Returns the environment, who is signed in, and which pages they can use',
    method: 'GET',
    path: `${path}/here`,
    area,
    who: visitor,
    input: Nothing,
    from: 'query',
    output: json(Here),
    errors: [],
    run: ({ db, who, environment }) => readHere(db, who, environment),
  }),
  operation({
    name: 'listOwnApps',
    ...examples.listOwnApps,
    summary: 'Lists the apps that the person is a user of, with their sessions; at most 200',
    method: 'GET',
    path: `${path}/apps`,
    area,
    who: person,
    input: Nothing,
    from: 'query',
    output: json(AccountApps),
    errors: [],
    run: ({ db, who }) => listOwnApps(db, who),
  }),
  operation({
    name: 'listOwnBrowsers',
    ...examples.listOwnBrowsers,
    summary: 'Lists the browsers in which the person is signed in to the platform itself; at most 100',
    method: 'GET',
    path: `${path}/browsers`,
    area,
    who: person,
    input: Nothing,
    from: 'query',
    output: json(Browsers),
    errors: [],
    run: ({ db, who }) => listOwnBrowsers(db, who),
  }),
  operation({
    name: 'endBrowser',
    ...examples.endBrowser,
    summary: 'Signs the person out in one of their browsers',
    method: 'POST',
    path: `${path}/browser/end`,
    area,
    who: person,
    input: NameBrowser,
    from: 'body',
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => endOneBrowser(db, who, input),
  }),
  operation({
    name: 'endSession',
    ...examples.endSession,
    summary: "Ends one of the person's sessions in an app; its tokens stop working at once",
    method: 'POST',
    path: `${path}/session/end`,
    area,
    who: person,
    input: NameSession,
    from: 'body',
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => endOneSession(db, who, input),
  }),
  operation({
    name: 'endEverythingElse',
    ...examples.endEverythingElse,
    summary: 'Ends all sessions in apps and signs out all other browsers; passkeys stay and are listed',
    method: 'POST',
    path: `${path}/sessions/end-all`,
    area,
    who: person,
    input: Nothing,
    from: 'body',
    output: json(Ended),
    errors: [],
    run: async ({ db, who }) => ({ success: true, passkeys: await endEverythingElse(db, who) }),
  }),
  operation({
    name: 'withdrawConsent',
    ...examples.withdrawConsent,
    summary: 'Withdraws consent to an app and ends its sessions',
    method: 'POST',
    path: `${path}/app/withdraw`,
    area,
    who: person,
    input: NameApp,
    from: 'body',
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => withdrawApp(db, who, input),
  }),
  operation({
    name: 'changePassword',
    ...examples.changePassword,
    summary: 'Sets a new password and ends all other sessions; this browser stays signed in',
    method: 'POST',
    path: `${path}/password`,
    area,
    who: person,
    input: ChangePassword,
    from: 'body',
    output: json(Ended, newCookie),
    isUnrepeatable: true,
    errors: ['wrongCredentials', 'impossibleNow', 'notFound'],
    run: async ({ db, who, environment }, input) => {
      const { browser, passkeys } = await renewPassword(db, who, input, environment.get(messagePolicy))
      return { success: true, passkeys, cookie: writeCookie(environment, browser) }
    },
  }),
  operation({
    name: 'askPasswordReset',
    ...examples.askPasswordReset,
    summary: 'Sends a password reset link by e-mail; the answer is always the same',
    method: 'POST',
    path: `${path}/password/reset/ask`,
    area,
    who: visitor,
    input: AskReset,
    from: 'body',
    output: success(),
    errors: ['impossibleNow'],
    run: ({ db, who, environment }, input) => askReset(db, who, input, environment.get(messagePolicy)),
  }),
  operation({
    name: 'resetPassword',
    ...examples.resetPassword,
    summary: 'Sets a new password with the code from a reset link, ends all sessions, and signs in',
    method: 'POST',
    path: `${path}/password/reset`,
    area,
    who: visitor,
    input: ResetPassword,
    from: 'body',
    output: json(Ended, newCookie),
    errors: ['alreadyUsed', 'unknownCode', 'notFound', 'conflict'],
    run: async ({ db, who, environment }, input) => {
      const { browser, passkeys } = await replaceForgotten(db, who, input, environment.get(messagePolicy))
      return { success: true, passkeys, cookie: writeCookie(environment, browser) }
    },
  }),
  operation({
    name: 'signInAsDemo',
    ...examples.signInAsDemo,
    summary: 'Signs this browser in as a demo person',
    method: 'POST',
    path: `${path}/demo/signin`,
    area,
    who: visitor,
    input: SignInAsDemo,
    from: 'body',
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
