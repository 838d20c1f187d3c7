import { relyingParty } from '../../identity/passkeys/passkeys.ts'
import { AddFirstPasskey, Ended } from '../../identity/passkeys/schema.ts'
import { askReset } from '../../identity/people/resets.ts'
import { askSignUp } from '../../identity/people/sign-up.ts'
import { tellProvider } from '../../kernel/browsers/required.ts'
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
  ORGANISATION_CODE,
  PASSWORD,
  RESET_CODE,
  SESSION_ID,
  SIGN_UP_CODE,
} from '../../kernel/samples.ts'
import { AskToJoin, JoinOrganisation } from '../organisations/schema.ts'
import { askToJoin, joinOrganisation } from '../organisations/sign-up.ts'
import {
  endEverythingElse,
  endOneBrowser,
  endOneSession,
  joinAsMember,
  listOwnApps,
  listOwnBrowsers,
  renewPassword,
  replaceForgotten,
  setUpWithPasskey,
  signInAndTell,
  signOut,
  signUpAndTell,
  withdrawApp,
  withdrawAppScopes,
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
  JoinWithLink,
  NameApp,
  NameBrowser,
  NameSession,
  ResetPassword,
  SignedOut,
  SignIn,
  SignInAsDemo,
  SignUp,
  WithdrawScopes,
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
    summary: 'Sign in with a password',
    description:
      "Signs the user in to the platform itself, in this browser. It is for the platform's own pages and for personal scripts; apps use the sign-in page. Send the cookie from the response with every request; after several wrong passwords the account is locked for a while.",
    example: { request: { handle: '@avery', password: PASSWORD } },
    who: visitor,
    input: SignIn,
    output: json(Me, newCookie),
    errors: ['wrongCredentials', 'forbidden'],
    run: async ({ db, who, environment }, { keep, ...input }) => {
      const { browser, ...me } = await signInAndTell(
        db,
        who,
        { ...input, isKept: keep ?? false },
        environment.name,
      ).catch(tellProvider(environment, who))
      return { ...me, cookie: writeCookie(environment, browser) }
    },
  }),
  op('POST /account/v1/signup/ask', {
    name: 'askSignUp',
    summary: 'Send a sign-up link',
    description:
      'Sends a sign-up link by e-mail, which works once, within an hour. The response is always the same and does not reveal whether the address already has an account; the e-mail does. Refused with 400/4006 if only administrators create accounts (SIGN_UP is off).',
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
    summary: 'Create an account',
    description:
      'Creates an account with the code from a sign-up link, and signs this browser in. The code confirms the e-mail address, so the user can sign in with that address or with the handle.',
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
    errors: ['impossibleNow', 'alreadyUsed', 'unknownCode', 'duplicate', 'conflict', 'wrongCredentials', 'forbidden'],
    run: async ({ db, who, environment }, input) => {
      const messages = environment.get(messagePolicy)
      const { browser, ...me } = await signUpAndTell(db, who, input, environment.config, messages).catch(
        tellProvider(environment, who),
      )
      return { ...me, cookie: writeCookie(environment, browser) }
    },
  }),
  op('POST /account/v1/join/ask', {
    name: 'askToJoin',
    summary: 'Send a link to join an organisation',
    description:
      'Sends a link by e-mail, with which the user creates an account, or uses an existing one, and joins an organisation that is open for sign-up. The address must be in one of its domains, or the code must be right; wrong codes are limited. The response does not reveal whether the address has an account.',
    example: {
      request: { organisation: 'sandhills', email: 'robin@example.org', code: ORGANISATION_CODE },
      fill: { code: 'The code of an organisation that is open for sign-up: see setSignUpSettings' },
    },
    who: visitor,
    input: AskToJoin,
    output: success(),
    errors: ['impossibleNow', 'forbidden', 'notFound'],
    run: ({ db, who, environment }, input) =>
      askToJoin(db, who, input, environment.config, environment.get(messagePolicy)),
  }),
  op('POST /account/v1/join', {
    name: 'joinOrganisation',
    summary: 'Join an organisation',
    description:
      'Makes the caller a member of an organisation that is open for sign-up, if their confirmed e-mail address is in one of its domains or the code is right. Members stay what they are. Wrong codes are limited.',
    example: {
      request: { organisation: 'sandhills', code: ORGANISATION_CODE },
      fill: { code: 'The code of an organisation that is open for sign-up: see setSignUpSettings' },
    },
    input: JoinOrganisation,
    output: success(),
    errors: ['impossibleNow', 'forbidden', 'notFound', 'wrongUserType'],
    run: ({ db, who }, input) => joinOrganisation(db, who, input),
  }),
  op('POST /account/v1/join/link', {
    name: 'joinWithLink',
    summary: 'Join an organisation with a link',
    description:
      'Makes the caller a member of the organisation that the link from `askToJoin` is for. Users without an account create one with the same code: see signUp.',
    example: { request: { code: SIGN_UP_CODE }, fill: { code: 'The code in the link of the message' } },
    input: JoinWithLink,
    output: success(),
    errors: ['impossibleNow', 'alreadyUsed', 'unknownCode', 'wrongUserType'],
    run: async ({ db, who, environment }, input) => {
      await joinAsMember(db, who, input, environment.get(messagePolicy))
    },
  }),
  op('POST /account/v1/signout', {
    name: 'signOut',
    summary: 'Sign out',
    description:
      'Signs the user out of this browser and clears its cookie. Other browsers and sessions in apps are not affected. A user who came from the provider of an organisation can sign out there too, on the page `next`.',
    input: Nothing,
    output: json(SignedOut, newCookie),
    refusesIdempotencyKey: true,
    run: async ({ db, who, environment }) => {
      const next = await signOut(db, who, environment)
      return { success: true, ...(next !== undefined && { next }), cookie: clearCookie(environment) }
    },
  }),
  op('GET /account/v1/me', {
    name: 'readMe',
    summary: 'Get the signed-in user',
    description:
      'Returns the handle and the full name of the signed-in user. The name is empty if the user has not given one. Without a valid cookie the request is refused.',
    input: Nothing,
    output: json(Me),
    run: async ({ who }) => who,
  }),
  op('GET /account/v1/here', {
    name: 'readHere',
    summary: 'Get the current environment',
    description:
      "Returns the environment, the signed-in user, if any, and the pages that the user can open. The platform's pages call this first; `areas` lists the parts of the site that the user can use. Demo users are listed only if demo data is loaded and the platform can be reached only from its own machine.",
    who: visitor,
    input: Nothing,
    output: json(Here),
    run: ({ db, who, environment }) => readHere(db, who, environment),
  }),
  op('GET /account/v1/apps', {
    name: 'listOwnApps',
    summary: 'List your apps',
    description:
      'Returns the apps that the caller uses, at most 200. Each app comes with its open sessions, newest first, at most 50. Apps whose consent was withdrawn are not listed.',
    input: Nothing,
    output: json(AccountApps),
    run: ({ db, who }) => listOwnApps(db, who),
  }),
  op('GET /account/v1/browsers', {
    name: 'listOwnBrowsers',
    summary: 'List your browsers',
    description:
      'Returns the browsers in which the caller is signed in to the platform itself, at most 100. `isCurrent` marks the calling browser, which comes first; the others follow, most recently used first. Sessions in apps are listed with the apps.',
    input: Nothing,
    output: json(Browsers),
    run: ({ db, who }) => listOwnBrowsers(db, who),
  }),
  op('POST /account/v1/browser/end', {
    name: 'endBrowser',
    summary: 'Sign out a browser',
    description:
      'Signs the caller out of one of their browsers, such as a lost laptop or a shared computer. The cookie of that browser stops working immediately. The id comes from the list of browsers.',
    example: { request: { browserId: BROWSER_ID }, after: 'listOwnBrowsers' },
    input: NameBrowser,
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => endOneBrowser(db, who, input),
  }),
  op('POST /account/v1/session/end', {
    name: 'endSession',
    summary: 'End an app session',
    description:
      "Ends one of the caller's sessions in an app; its tokens stop working immediately. The consent stays, so the next sign-in does not ask for it again. The id comes from the list of apps.",
    example: { request: { sessionId: SESSION_ID }, after: 'listOwnApps' },
    input: NameSession,
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => endOneSession(db, who, input),
  }),
  op('POST /account/v1/sessions/end-all', {
    name: 'endEverythingElse',
    summary: 'End all other sessions',
    description:
      "Ends all of the caller's sessions in apps and signs out all other browsers; this browser stays signed in. Use it if the user suspects that somebody else has access. Consent to apps and passkeys are kept, and the response lists the passkeys: delete any that the user does not recognise.",
    input: Nothing,
    output: json(Ended),
    run: async ({ db, who }) => ({ success: true, passkeys: await endEverythingElse(db, who) }),
  }),
  op('POST /account/v1/app/scopes/withdraw', {
    name: 'withdrawScopes',
    summary: 'Withdraw scopes from an app',
    description:
      "Takes scopes from an app that the caller has allowed, and ends the caller's sessions in it. The app can sign the user in again without them, and has to ask before it gets them back. Scopes that the app does not have are ignored, but at least one has to be an allowed one.",
    example: { request: { clientId: CLIENT_ID, scopes: ['notes'] } },
    input: WithdrawScopes,
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => withdrawAppScopes(db, who, input),
  }),
  op('POST /account/v1/app/withdraw', {
    name: 'withdrawConsent',
    summary: 'Withdraw consent to an app',
    description:
      "Withdraws the caller's consent to an app and ends its sessions. The app can no longer act for the user, and other users of the app no longer find them there; data in its buckets stays. A user who allows the app again gets the same userId as before.",
    example: { request: { clientId: CLIENT_ID } },
    input: NameApp,
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => withdrawApp(db, who, input),
  }),
  op('POST /account/v1/password', {
    name: 'changePassword',
    summary: 'Change your password',
    description:
      'Sets a new password of 8 to 1000 characters; the current one is required. All sessions in apps and all other browsers are signed out, and this browser stays signed in with the new cookies from the response. Passkeys are kept unless `removePasskeys` lists them, and the response lists those that are left; `all` also disconnects the account from the sign-in of organisations that do not require it.',
    example: { request: { password: PASSWORD, newPassword: NEW_PASSWORD, removePasskeys: 'all' } },
    input: ChangePassword,
    output: json(Ended, newCookie),
    refusesIdempotencyKey: true,
    errors: ['wrongCredentials', 'impossibleNow', 'notFound', 'forbidden'],
    run: async ({ db, who, environment }, input) => {
      const { browser, passkeys } = await renewPassword(db, who, input, environment.get(messagePolicy)).catch(
        tellProvider(environment, who),
      )
      return { success: true, passkeys, cookie: writeCookie(environment, browser) }
    },
  }),
  op('POST /account/v1/password/reset/ask', {
    name: 'askPasswordReset',
    summary: 'Send a password reset link',
    description:
      'Sends a password reset link by e-mail if the handle belongs to a user with an e-mail address. The link works once, within 30 minutes. The response is always the same and does not reveal whether the handle exists.',
    example: { request: { handle: '@avery' } },
    who: visitor,
    input: AskReset,
    output: success(),
    errors: ['impossibleNow'],
    run: ({ db, who, environment }, input) => askReset(db, who, input, environment.get(messagePolicy)),
  }),
  op('POST /account/v1/password/reset', {
    name: 'resetPassword',
    summary: 'Reset your password',
    description:
      'Sets a new password of 8 to 1000 characters with the code from a reset link, and signs this browser in. All sessions and browsers that the old password opened are signed out. Passkeys are kept unless `removePasskeys` lists them, and the response lists those that are left; `all` also disconnects the account from the sign-in of organisations that do not require it.',
    example: {
      request: { code: RESET_CODE, password: NEW_PASSWORD, removePasskeys: 'all' },
      fill: { code: 'The code in the link of the message' },
    },
    who: visitor,
    input: ResetPassword,
    output: json(Ended, newCookie),
    errors: ['alreadyUsed', 'unknownCode', 'notFound', 'conflict', 'forbidden'],
    run: async ({ db, who, environment }, input) => {
      const { browser, passkeys } = await replaceForgotten(db, who, input, environment.get(messagePolicy)).catch(
        tellProvider(environment, who),
      )
      return { success: true, passkeys, cookie: writeCookie(environment, browser) }
    },
  }),
  op('POST /account/v1/passkey/link', {
    name: 'addFirstPasskey',
    summary: 'Set up an account with a passkey',
    description:
      'Saves the passkey that the browser created for a new account, and signs this browser in: step two of two. Send the credential as its `toJSON()` returns it, with the code from the link. Like setting a password with the link, it accepts the invitation of the organisation that created the account.',
    example: {
      request: {
        code: RESET_CODE,
        response: {
          id: 'kR7wTq2ZbX0nYc5Vf8JmLg',
          rawId: 'kR7wTq2ZbX0nYc5Vf8JmLg',
          type: 'public-key',
          response: {
            clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoi4oCmIn0',
            attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVjKlpW2a3Zx8Qv5Tn1Yc7Wk4Rj',
            transports: ['internal'],
          },
          clientExtensionResults: {},
        },
      },
      fill: {
        code: 'The code in the link of the message',
        response: 'The credential that the browser created from the options of startFirstPasskey',
      },
    },
    who: visitor,
    input: AddFirstPasskey,
    output: json(Me, newCookie),
    errors: ['alreadyUsed', 'unknownCode', 'impossibleNow', 'duplicate', 'wrongCredentials', 'forbidden'],
    run: async ({ db, who, environment }, input) => {
      const [party, messages] = [environment.get(relyingParty), environment.get(messagePolicy)]
      const { handle, name, browser } = await setUpWithPasskey(db, who, input, party, messages).catch(
        tellProvider(environment, who),
      )
      return { handle, name, cookie: writeCookie(environment, browser) }
    },
  }),
  op('POST /account/v1/demo/signin', {
    name: 'signInAsDemo',
    summary: 'Sign in as a demo user',
    description:
      'Signs this browser in as a demo user; no password is needed. It works only with demo data, on a platform that can be reached only from its own machine. Otherwise the response is 404.',
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
