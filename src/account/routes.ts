import type { OpenedBrowser } from '../browsers/browsers.ts'
import type { Environment } from '../environment.ts'
import { writeCookie } from '../http/callers/cookies.ts'
import { type Operation, personOperation, visitorOperation } from '../http/operation.ts'
import { SUCCESS, Success } from '../http/output/success.ts'
import { askReset } from '../people/resets.ts'
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
  withdrawApp,
} from './account.ts'
import {
  AccountApps,
  AskReset,
  Browsers,
  ChangePassword,
  Me,
  NameApp,
  NameBrowser,
  NameSession,
  Nothing,
  ResetPassword,
  SignIn,
} from './schema.ts'

const area = 'Account'
const path = '/account/v1'

const cookieOf = ({ cookie }: Environment, { token, maxAgeSeconds }: OpenedBrowser): string =>
  writeCookie(cookie, token, maxAgeSeconds)
/** What every operation that changes the cookie has in common. */
const newCookie = {
  headersOf: ({ cookie }: { cookie: string }) => ({ 'set-cookie': cookie }),
  answerHeaders: { 'Set-Cookie': 'The new cookie of this browser; the one before is worth nothing' },
}

export const accountOperations: readonly Operation[] = [
  visitorOperation({
    name: 'signIn',
    summary: 'Signs a person in to the platform itself, in this browser',
    method: 'POST',
    path: `${path}/signin`,
    area,
    input: SignIn,
    place: 'body',
    answer: Me,
    ...newCookie,
    errors: ['wrongCredentials'],
    run: async ({ db, who, environment }, { keep, ...input }) => {
      const { browser, ...me } = await signInAndTell(db, who, { ...input, isKept: keep ?? false }, environment.name)
      return { ...me, cookie: cookieOf(environment, browser) }
    },
  }),
  personOperation({
    name: 'signOut',
    summary: 'Signs the person out in this browser; apps stay signed in',
    method: 'POST',
    path: `${path}/signout`,
    area,
    input: Nothing,
    place: 'body',
    answer: Success,
    ...newCookie,
    errors: [],
    run: async ({ db, who, environment }) => {
      await signOut(db, who)
      return { ...SUCCESS, cookie: writeCookie(environment.cookie, '', 0) }
    },
  }),
  personOperation({
    name: 'readMe',
    summary: 'Says who is signed in',
    method: 'GET',
    path: `${path}/me`,
    area,
    input: Nothing,
    place: 'query',
    answer: Me,
    errors: [],
    run: async ({ who }) => who,
  }),
  personOperation({
    name: 'listOwnApps',
    summary: 'Lists the apps that the person is a user of, with their sessions; at most 200',
    method: 'GET',
    path: `${path}/apps`,
    area,
    input: Nothing,
    place: 'query',
    answer: AccountApps,
    errors: [],
    run: ({ db, who }) => listOwnApps(db, who),
  }),
  personOperation({
    name: 'listOwnBrowsers',
    summary: 'Lists the browsers in which the person is signed in to the platform itself; at most 100',
    method: 'GET',
    path: `${path}/browsers`,
    area,
    input: Nothing,
    place: 'query',
    answer: Browsers,
    errors: [],
    run: ({ db, who }) => listOwnBrowsers(db, who),
  }),
  personOperation({
    name: 'endBrowser',
    summary: 'Signs the person out in one of their browsers',
    method: 'POST',
    path: `${path}/browser/end`,
    area,
    input: NameBrowser,
    place: 'body',
    answer: Success,
    errors: ['notFound'],
    run: async ({ db, who }, input) => {
      await endOneBrowser(db, who, input)
      return SUCCESS
    },
  }),
  personOperation({
    name: 'endSession',
    summary: "Ends one of the person's sessions in an app; its tokens are dead at once",
    method: 'POST',
    path: `${path}/session/end`,
    area,
    input: NameSession,
    place: 'body',
    answer: Success,
    errors: ['notFound'],
    run: async ({ db, who }, input) => {
      await endOneSession(db, who, input)
      return SUCCESS
    },
  }),
  personOperation({
    name: 'endEverythingElse',
    summary: 'Ends all sessions in apps, and signs the person out in all browsers but this one',
    method: 'POST',
    path: `${path}/sessions/end-all`,
    area,
    input: Nothing,
    place: 'body',
    answer: Success,
    errors: [],
    run: async ({ db, who }) => {
      await endEverythingElse(db, who)
      return SUCCESS
    },
  }),
  personOperation({
    name: 'withdrawConsent',
    summary: 'Takes the consent to an app back and ends its sessions; consent given again finds the same userId',
    method: 'POST',
    path: `${path}/app/withdraw`,
    area,
    input: NameApp,
    place: 'body',
    answer: Success,
    errors: ['notFound'],
    run: async ({ db, who }, input) => {
      await withdrawApp(db, who, input)
      return SUCCESS
    },
  }),
  personOperation({
    name: 'changePassword',
    summary: 'Sets a new password and ends everything that the old one opened; this browser stays signed in',
    method: 'POST',
    path: `${path}/password`,
    area,
    input: ChangePassword,
    place: 'body',
    answer: Success,
    ...newCookie,
    errors: ['wrongCredentials', 'impossibleNow'],
    run: async ({ db, who, environment }, input) => {
      const browser = await renewPassword(db, who, input, environment.messages)
      return { ...SUCCESS, cookie: cookieOf(environment, browser) }
    },
  }),
  visitorOperation({
    name: 'askPasswordReset',
    summary:
      'Sends a link for a new password, where there is such a person with an e-mail address; the answer is always the same',
    method: 'POST',
    path: `${path}/password/reset/ask`,
    area,
    input: AskReset,
    place: 'body',
    answer: Success,
    errors: ['impossibleNow'],
    run: async ({ db, who, environment }, input) => {
      await askReset(db, who, input, environment.messages)
      return SUCCESS
    },
  }),
  visitorOperation({
    name: 'resetPassword',
    summary: 'Sets a new password with the code of a link, ends everything that the old one opened, and signs in here',
    method: 'POST',
    path: `${path}/password/reset`,
    area,
    input: ResetPassword,
    place: 'body',
    answer: Success,
    ...newCookie,
    errors: ['alreadyUsed', 'unknownCode', 'conflict'],
    run: async ({ db, who, environment }, input) => {
      const browser = await replaceForgotten(db, who, input, environment.messages)
      return { ...SUCCESS, cookie: cookieOf(environment, browser) }
    },
  }),
]
