import { tellProvider } from '../../kernel/browsers/required.ts'
import { Me } from '../../kernel/browsers/schema.ts'
import type { Visitor } from '../../kernel/caller.ts'
import { person, visitor } from '../../kernel/http/callers/callers.ts'
import { findBrowserToken, writeCookie } from '../../kernel/http/callers/cookies.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Context, type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { PASSKEY_ID, PASSWORD, RESET_CODE } from '../../kernel/samples.ts'
import {
  addPasskey,
  listPasskeys,
  relyingParty,
  removePasskey,
  renamePasskey,
  startFirstPasskey,
  startPasskey,
} from './passkeys.ts'
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
  StartFirstPasskey,
  StartPasskey,
} from './schema.ts'
import { signInWithPasskey, startPasskeySignIn } from './signin.ts'

const op = operationsIn({ area: 'Account', who: person })

/** A result that also sets the browser's cookie, unless `cookie` is undefined. */
interface WithCookie {
  readonly cookie: string[] | undefined
}
const cookieAnswer = {
  headersOf: ({ cookie }: WithCookie): Record<string, string[]> =>
    cookie === undefined ? {} : { 'set-cookie': cookie },
}

/** Returns the header that sets a new cookie if the browser has none, because challenges are bound to the cookie. */
const newCookieOf = ({ environment, request, who }: Context<Visitor>): string[] | undefined =>
  findBrowserToken(environment, request) === undefined
    ? writeCookie(environment, { token: who.browserToken })
    : undefined

export const passkeyOperations: readonly Operation[] = [
  op('GET /account/v1/passkeys', {
    name: 'listPasskeys',
    summary: 'List your passkeys',
    description:
      "Returns the caller's passkeys, oldest first. `lastUsedDate` is null for a passkey that has not been used yet. The keys themselves are never shown.",
    input: Nothing,
    output: json(Passkeys),
    run: ({ db, who }) => listPasskeys(db, who),
  }),
  op('POST /account/v1/passkey/options', {
    name: 'startPasskey',
    summary: 'Begin creating a passkey',
    description:
      "Returns the options for creating a passkey, valid for 5 minutes: step one of two. Pass them to `navigator.credentials.create`, then call `addPasskey`. The cookie alone is not enough: also send the password, or a proof signed by one of the caller's passkeys; a user can have at most 20 passkeys.",
    example: { request: { password: PASSWORD } },
    input: StartPasskey,
    output: json(CreationOptions),
    errors: ['impossibleNow', 'wrongCredentials'],
    run: ({ db, who, environment }, input) => startPasskey(db, who, input, environment.get(relyingParty)),
  }),
  op('POST /account/v1/passkey/proof/options', {
    name: 'startPasskeyProof',
    summary: 'Begin a passkey proof',
    description:
      'Returns the options for a proof by passkey, valid for 5 minutes, for users without a password who create or delete a passkey. Pass them to `navigator.credentials.get`, and send the signed result as `proof`. The proof works once, in the same browser.',
    input: Nothing,
    output: json(RequestOptions),
    refusesIdempotencyKey: true,
    run: async ({ who, environment }) => startProof(who, environment.get(relyingParty)),
  }),
  op('POST /account/v1/passkey', {
    name: 'addPasskey',
    summary: 'Create a passkey',
    description:
      'Saves the passkey that the browser created: step two of two. Send the credential as its `toJSON()` returns it; a challenge works only once, so if it fails, begin again. The user gets a message about the new passkey.',
    example: {
      request: {
        name: 'Laptop',
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
      fill: { response: 'The credential that the browser created from the options of startPasskey' },
    },
    input: AddPasskey,
    output: json(Passkey),
    errors: ['duplicate', 'impossibleNow', 'alreadyUsed'],
    run: ({ db, who, environment }, input) =>
      addPasskey(db, who, input, environment.get(relyingParty), environment.get(messagePolicy)),
  }),
  op('POST /account/v1/passkey/link/options', {
    name: 'startFirstPasskey',
    summary: 'Begin setting up with a passkey',
    description:
      'Returns the options for creating the passkey of a new account, with the code from the link of the invitation: step one of two. Pass them to `navigator.credentials.create`, then call `addFirstPasskey`. Refused if the account has a password or a passkey.',
    example: { request: { code: RESET_CODE }, fill: { code: 'The code in the link of the message' } },
    who: visitor,
    input: StartFirstPasskey,
    output: json(CreationOptions, {
      ...cookieAnswer,
      headers: { 'Set-Cookie': 'A cookie for a new visitor: step two must come from the same browser' },
    }),
    errors: ['alreadyUsed', 'unknownCode', 'impossibleNow'],
    run: async (context, input) => {
      const { db, who, environment } = context
      const options = await startFirstPasskey(
        db,
        who,
        input,
        environment.get(relyingParty),
        environment.get(messagePolicy),
      )
      return { ...options, cookie: newCookieOf(context) }
    },
  }),
  op('POST /account/v1/passkey/rename', {
    name: 'renamePasskey',
    summary: 'Rename a passkey',
    description:
      'Changes the name, of 1 to 100 characters, with which the caller tells their passkeys apart. The device that holds the passkey keeps its own name for it.',
    example: {
      request: { passkeyId: PASSKEY_ID, name: 'Old laptop' },
      fill: { passkeyId: 'An id from listPasskeys. Create a passkey in your account first' },
    },
    input: RenamePasskey,
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => renamePasskey(db, who, input),
  }),
  op('POST /account/v1/passkey/remove', {
    name: 'removePasskey',
    summary: 'Delete a passkey',
    description:
      "Deletes one of the caller's passkeys, for example of a lost or sold device; nobody can sign in with it any more. The cookie alone is not enough: also send the password, or a proof signed by one of the caller's passkeys. Browsers that signed in with the passkey stay signed in, and the user gets a message.",
    example: {
      request: { passkeyId: PASSKEY_ID, password: PASSWORD },
      fill: { passkeyId: 'An id from listPasskeys. Create a passkey in your account first' },
    },
    input: RemovePasskey,
    output: success(),
    errors: ['wrongCredentials', 'impossibleNow', 'notFound'],
    run: ({ db, who, environment }, input) =>
      removePasskey(db, who, input, environment.get(relyingParty), environment.get(messagePolicy)),
  }),
  op('POST /account/v1/passkey/signin/options', {
    name: 'startPasskeySignIn',
    summary: 'Begin passkey sign-in',
    description:
      'Returns the options for signing in with a passkey, valid for 5 minutes: step one of two. Pass them to `navigator.credentials.get`; no handle is needed, because the user chooses the passkey on the device. Keep the cookie: step two must come from the same browser.',
    who: visitor,
    input: Nothing,
    output: json(RequestOptions, {
      ...cookieAnswer,
      headers: { 'Set-Cookie': 'A cookie for a new visitor: step two must come from the same browser' },
    }),
    run: async (context) => ({
      ...startPasskeySignIn(context.who, context.environment.get(relyingParty)),
      cookie: newCookieOf(context),
    }),
  }),
  op('POST /account/v1/passkey/signin', {
    name: 'signInWithPasskey',
    summary: 'Complete passkey sign-in',
    description:
      "Signs this browser in with a passkey: step two of two. Send the browser's signed credential as its `toJSON()` returns it. An error does not say why; start again with step one.",
    example: {
      request: {
        response: {
          id: 'kR7wTq2ZbX0nYc5Vf8JmLg',
          rawId: 'kR7wTq2ZbX0nYc5Vf8JmLg',
          type: 'public-key',
          response: {
            clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoi4oCmIn0',
            authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
            signature: 'MEUCIQDx7Rk2Vn5Tq8Zb1Yc4Wj9Lf6Hd3Ps0Ga5Te8Ru2IgIhAKb8Xv1Zn6Yc5Wt2Rj9Lq7Mf3Hp0',
            userHandle: 'pS3vNf6YxQ1kZt8Wm0Rb5Hc7Jd2Lg9Xa4Ue6Oi3TyBw',
          },
          clientExtensionResults: {},
        },
      },
      fill: { response: 'The credential that the browser returned for the options of startPasskeySignIn' },
    },
    who: visitor,
    input: SignInWithPasskey,
    output: json(Me, { ...cookieAnswer, headers: { 'Set-Cookie': 'The cookie that signs the browser in' } }),
    errors: ['wrongCredentials', 'forbidden'],
    run: async ({ db, who, environment }, { response, keep = false }) => {
      const { handle, name, browser } = await signInWithPasskey(
        db,
        who,
        { response, isKept: keep },
        environment.get(relyingParty),
        environment.name,
      ).catch(tellProvider(environment, who))
      return { handle, name, cookie: writeCookie(environment, browser) }
    },
  }),
]
