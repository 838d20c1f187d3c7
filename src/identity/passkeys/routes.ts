import { Me } from '../../kernel/browsers/schema.ts'
import type { Visitor } from '../../kernel/caller.ts'
import { person, visitor } from '../../kernel/http/callers/callers.ts'
import { findBrowserToken, writeCookie } from '../../kernel/http/callers/cookies.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Context, type Operation, operation } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { examples } from './examples.ts'
import { addPasskey, listPasskeys, relyingParty, removePasskey, renamePasskey, startPasskey } from './passkeys.ts'
import { startProof } from './proof.ts'
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
  readonly cookie: string[] | undefined
}
const cookieAnswer = {
  headersOf: ({ cookie }: WithCookie): Record<string, string[]> =>
    cookie === undefined ? {} : { 'set-cookie': cookie },
}

/** The challenge is bound to the cookie, so a first visitor gets one. */
const newCookieOf = ({ environment, request, who }: Context<Visitor>): string[] | undefined =>
  findBrowserToken(environment, request) === undefined
    ? writeCookie(environment, { token: who.browserToken })
    : undefined

export const passkeyOperations: readonly Operation[] = [
  operation({
    who: person,
    name: 'listPasskeys',
    ...examples.listPasskeys,
    summary: 'Lists your passkeys, the oldest first',
    method: 'GET',
    path: `${path}s`,
    area,
    input: Nothing,
    from: 'query',
    output: json(Passkeys),
    errors: [],
    run: ({ db, who }) => listPasskeys(db, who),
  }),
  operation({
    who: person,
    name: 'startPasskey',
    ...examples.startPasskey,
    summary: 'Returns the options for creating a passkey, valid for 5 minutes',
    method: 'POST',
    path: `${path}/options`,
    area,
    input: StartPasskey,
    from: 'body',
    output: json(CreationOptions),
    errors: ['impossibleNow', 'wrongCredentials'],
    run: ({ db, who, environment }, input) => startPasskey(db, who, input, environment.get(relyingParty)),
  }),
  operation({
    who: person,
    name: 'startPasskeyProof',
    ...examples.startPasskeyProof,
    summary: 'Returns the options for a proof by passkey, valid for 5 minutes',
    method: 'POST',
    path: `${path}/proof/options`,
    area,
    input: Nothing,
    from: 'body',
    output: json(RequestOptions),
    isUnrepeatable: true,
    errors: [],
    run: async ({ who, environment }) => startProof(who, environment.get(relyingParty)),
  }),
  operation({
    who: person,
    name: 'addPasskey',
    ...examples.addPasskey,
    summary: 'Adds the passkey that the browser created',
    method: 'POST',
    path,
    area,
    input: AddPasskey,
    from: 'body',
    output: json(Passkey),
    errors: ['duplicate', 'impossibleNow', 'alreadyUsed'],
    run: ({ db, who, environment }, input) =>
      addPasskey(db, who, input, environment.get(relyingParty), environment.get(messagePolicy)),
  }),
  operation({
    who: person,
    name: 'renamePasskey',
    ...examples.renamePasskey,
    summary: 'Renames one of your passkeys',
    method: 'POST',
    path: `${path}/rename`,
    area,
    input: RenamePasskey,
    from: 'body',
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => renamePasskey(db, who, input),
  }),
  operation({
    who: person,
    name: 'removePasskey',
    ...examples.removePasskey,
    summary: 'Removes one of your passkeys: nobody can sign in with it any more',
    method: 'POST',
    path: `${path}/remove`,
    area,
    input: RemovePasskey,
    from: 'body',
    output: success(),
    errors: ['wrongCredentials', 'impossibleNow', 'notFound'],
    run: ({ db, who, environment }, input) =>
      removePasskey(db, who, input, environment.get(relyingParty), environment.get(messagePolicy)),
  }),
  operation({
    who: visitor,
    name: 'startPasskeySignIn',
    ...examples.startPasskeySignIn,
    summary: 'Returns the options for signing in with a passkey, valid for 5 minutes',
    method: 'POST',
    path: `${path}/signin/options`,
    area,
    input: Nothing,
    from: 'body',
    output: json(RequestOptions, {
      ...cookieAnswer,
      headers: { 'Set-Cookie': 'For a first visitor: the answer must come from the browser that asked' },
    }),
    errors: [],
    run: async (context) => ({
      ...startPasskeySignIn(context.who, context.environment.get(relyingParty)),
      cookie: newCookieOf(context),
    }),
  }),
  operation({
    who: visitor,
    name: 'signInWithPasskey',
    ...examples.signInWithPasskey,
    summary: 'Signs you in with a passkey, in this browser',
    method: 'POST',
    path: `${path}/signin`,
    area,
    input: SignInWithPasskey,
    from: 'body',
    output: json(Me, { ...cookieAnswer, headers: { 'Set-Cookie': 'The browser is signed in with it' } }),
    errors: ['wrongCredentials'],
    run: async ({ db, who, environment }, { response, keep = false }) => {
      const { handle, name, browser } = await signInWithPasskey(
        db,
        who,
        { response, isKept: keep },
        environment.get(relyingParty),
        environment.name,
      )
      return { handle, name, cookie: writeCookie(environment, browser) }
    },
  }),
]
