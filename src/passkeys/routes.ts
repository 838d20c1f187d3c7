import { Me, Nothing } from '../account/schema.ts'
import type { Visitor } from '../caller.ts'
import { isNewVisitor } from '../http/admit.ts'
import { writeCookie } from '../http/callers/cookies.ts'
import { type Context, type Operation, personOperation, visitorOperation } from '../http/operation.ts'
import { SUCCESS, Success } from '../http/output/success.ts'
import { addPasskey, listPasskeys, removePasskey, renamePasskey, startPasskey } from './passkeys.ts'
import {
  AddPasskey,
  CreationOptions,
  Passkey,
  Passkeys,
  RemovePasskey,
  RenamePasskey,
  RequestOptions,
  SignInWithPasskey,
  StartPasskey,
} from './schema.ts'
import { signInWithPasskey, startPasskeySignIn } from './signin.ts'

const area = 'Account'
const path = '/account/v1/passkey'

/** What a result has beside its answer: the cookie that goes with it. */
interface WithCookie {
  readonly cookie: string | undefined
}
const cookieAnswer = {
  headersOf: ({ cookie }: WithCookie): Record<string, string> => (cookie === undefined ? {} : { 'set-cookie': cookie }),
}

/** The challenge is bound to the cookie, so a first visitor gets one. */
const newCookieOf = ({ environment, request, who }: Context<Visitor>): string | undefined =>
  isNewVisitor(environment, request) ? writeCookie(environment.cookie, who.browserToken) : undefined

export const passkeyOperations: readonly Operation[] = [
  personOperation({
    name: 'listPasskeys',
    summary: 'Lists your passkeys, the oldest first',
    method: 'GET',
    path: `${path}s`,
    area,
    input: Nothing,
    place: 'query',
    answer: Passkeys,
    errors: [],
    run: ({ db, who }) => listPasskeys(db, who),
  }),
  personOperation({
    name: 'startPasskey',
    summary: 'Gives what a browser needs to make a passkey, for 5 minutes',
    method: 'POST',
    path: `${path}/options`,
    area,
    input: StartPasskey,
    place: 'body',
    answer: CreationOptions,
    errors: ['impossibleNow', 'wrongCredentials'],
    run: ({ db, who, environment }, input) => startPasskey(db, who, input, environment.relyingParty),
  }),
  personOperation({
    name: 'addPasskey',
    summary: 'Adds the passkey that the browser made',
    method: 'POST',
    path,
    area,
    input: AddPasskey,
    place: 'body',
    answer: Passkey,
    errors: ['duplicate', 'impossibleNow', 'alreadyUsed'],
    run: ({ db, who, environment }, input) =>
      addPasskey(db, who, input, environment.relyingParty, environment.messages),
  }),
  personOperation({
    name: 'renamePasskey',
    summary: 'Gives one of your passkeys another name',
    method: 'POST',
    path: `${path}/rename`,
    area,
    input: RenamePasskey,
    place: 'body',
    answer: Success,
    errors: ['notFound'],
    run: async ({ db, who }, input) => {
      await renamePasskey(db, who, input)
      return SUCCESS
    },
  }),
  personOperation({
    name: 'removePasskey',
    summary: 'Removes one of your passkeys: nobody can sign in with it any more',
    method: 'POST',
    path: `${path}/remove`,
    area,
    input: RemovePasskey,
    place: 'body',
    answer: Success,
    errors: ['wrongCredentials', 'notFound'],
    run: async ({ db, who, environment }, input) => {
      await removePasskey(db, who, input, environment.messages)
      return SUCCESS
    },
  }),
  visitorOperation({
    name: 'startPasskeySignIn',
    summary: 'Gives what a browser needs to ask for a passkey, for 5 minutes',
    method: 'POST',
    path: `${path}/signin/options`,
    area,
    input: Nothing,
    place: 'body',
    answer: RequestOptions,
    ...cookieAnswer,
    answerHeaders: { 'Set-Cookie': 'For a first visitor: the answer must come from the browser that asked' },
    errors: [],
    run: async (context) => ({
      ...startPasskeySignIn(context.who, context.environment.relyingParty),
      cookie: newCookieOf(context),
    }),
  }),
  visitorOperation({
    name: 'signInWithPasskey',
    summary: 'Signs you in with a passkey, in this browser',
    method: 'POST',
    path: `${path}/signin`,
    area,
    input: SignInWithPasskey,
    place: 'body',
    answer: Me,
    ...cookieAnswer,
    answerHeaders: { 'Set-Cookie': 'The browser is signed in with it' },
    errors: ['wrongCredentials'],
    run: async ({ db, who, environment }, { response, keep = false }) => {
      const { handle, name, browser } = await signInWithPasskey(
        db,
        who,
        { response, isKept: keep },
        environment.relyingParty,
        environment.name,
      )
      return { handle, name, cookie: writeCookie(environment.cookie, browser.token, browser.maxAgeSeconds) }
    },
  }),
]
