import { secretHashKeys } from '../../apps/apps/secrets.ts'
import { findSignedIn } from '../../kernel/browsers/browsers.ts'
import { type Caller, callerKey } from '../../kernel/caller.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail, PlatformError } from '../../kernel/errors.ts'
import { findBearer, lookUpHolder, recallHolder } from '../../kernel/http/callers/bearer.ts'
import {
  type AdmissionContext,
  appUser,
  type CallerKind,
  limitAddress,
  person,
} from '../../kernel/http/callers/callers.ts'
import { readBasic } from '../../kernel/http/callers/client-credentials.ts'
import { findBrowserToken } from '../../kernel/http/callers/cookies.ts'
import type { Need } from '../../kernel/http/operation.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import { rateLimit } from '../../kernel/limits/limits.ts'
import { includesScopes } from '../../kernel/scopes.ts'
import { findLaunch } from '../registrations/fetching.ts'
import type { LaunchRow } from '../registrations/registrations.ts'
import { bases } from '../statements/model/names.ts'
import { authenticateKey, type KeyHolder, noteUse, refuseExpired } from './authenticate.ts'
import { credentialCache } from './cache.ts'
import {
  callAsAdministrator,
  callAsKey,
  callAsLaunch,
  callAsUser,
  refuseOthers,
  type StoreCaller,
} from './credentials.ts'
import type { Scope } from './scopes.ts'

const keyLimit = rateLimit('key', (config) => ({
  perSecond: config.RATE_TOKEN_PER_SECOND,
  burst: config.RATE_TOKEN_BURST,
}))
const HOW =
  'Send a key of the record store as Authorization: Basic base64(key:secret), or an access token as Authorization: Bearer <token>'

/**
 * Callers of the record store: a key with its secret, a user of an app with an access token, content of a package with
 * the credential of its launch, or an administrator who is signed in to the platform's own pages.
 */
export const recordStore: CallerKind<StoreCaller> = {
  name: 'record store',
  challenge: 'Basic',
  security: (asked) => ['basic', ...appUser.security(asked), ...person.security(asked)],
  errors: (asked) => [
    ...new Set([
      ...appUser.errors(asked),
      ...person.errors(asked),
      ...(['wrongCredentials', 'unknownClient', 'forbidden', 'notForAnonymous'] as const),
    ]),
  ],
  keyOf: (who) => (who.credentialId === undefined ? (who.userId ?? callerKey(who)) : who.senderKey),
  admit: async (environment, request, asked) => {
    const header = request.oneHeader('authorization')
    if (header !== undefined && isLaunch(header)) return admitLaunch(environment, request, header)
    if (header !== undefined && /^basic(?: |$)/i.test(header)) return admitKey(environment, request, header)
    if (header !== undefined || (asked.isEmbedded && 'authorization' in request.query))
      return admitUser(environment, request, asked)
    if (findBrowserToken(environment, request) !== undefined) return admitPage(environment, request, asked)
    limitAddress(environment, request)
    throw fail('notAuthorized', HOW)
  },
  holds: async (environment, request) => {
    try {
      await checkAgain(environment, request)
      return true
    } catch (error) {
      // The stream stays open while the database is unavailable; the caller is checked again later.
      if (error instanceof PlatformError) return error.kind === 'notReady'
      throw error
    }
  },
}

/**
 * Throws if the caller of an open stream no longer has access. This counts towards no rate limit, because the caller
 * sent no request.
 */
async function checkAgain(environment: Environment, request: HttpRequest): Promise<void> {
  const { db, name, clock } = environment
  const who = { ...request.who, at: clock() }
  const header = request.oneHeader('authorization')
  if (header !== undefined && isLaunch(header)) {
    await findLaunch(db, who, readBasic(header)!.clientSecret ?? '', environment)
    return
  }
  if (header !== undefined && /^basic(?: |$)/i.test(header)) {
    const { scopes } = recallKey(environment, who, header) ?? (await lookUpKey(environment, who, header))
    // The stream ends if the key has lost a scope that it had when the stream was opened.
    for (const one of (request.who as StoreCaller).scopes)
      if (!scopes.has(one)) throw fail('forbidden', `The key no longer has the scope ${one}`)
    return
  }
  const token = findBearer(request, true)
  if (token !== undefined) {
    const { scopes } = recallHolder(environment, token, who.at) ?? (await lookUpHolder(environment, token, who.at))
    if (!includesScopes(scopes, ['statements'])) throw fail('scopeMissing')
    return
  }
  const found = await findSignedIn(db, findBrowserToken(environment, request) ?? '', name, who.at)
  if (!found) throw fail('notAuthorized', HOW)
  refuseOthers(found)
}

/** Content of a package, with the credential of its launch. */
export const contentCaller: CallerKind<StoreCaller & { readonly launch: LaunchRow }> = {
  name: 'content',
  challenge: 'Basic',
  security: () => ['basic'],
  errors: () => ['notAuthorized', 'wrongCredentials', 'forbidden'],
  keyOf: (who) => who.senderKey,
  admit: async (environment, request) => {
    const header = request.oneHeader('authorization')
    if (header !== undefined && isLaunch(header)) {
      const who = await admitLaunch(environment, request, header)
      return { ...who, launch: who.launch! }
    }
    limitAddress(environment, request)
    throw fail(
      'notAuthorized',
      'Send the credential that the fetch URL of the launch returned, as Authorization: Basic',
    )
  },
}

/** The start of the header of content: `launch` in Base64. Keys of the record store begin otherwise. */
const LAUNCH_HEADER = /^basic bGF1bmNo/i
const isLaunch = (header: string): boolean => LAUNCH_HEADER.test(header)

async function admitLaunch(environment: Environment, request: HttpRequest, header: string): Promise<StoreCaller> {
  const { db, get } = environment
  try {
    const { clientSecret = '' } = readBasic(header)!
    const launch = await findLaunch(db, request.who, clientSecret, environment)
    request.limit(get(keyLimit), `launch ${launch.launch_id}`)
    return callAsLaunch(request.who, launch, environment)
  } catch (error) {
    // A valid credential has a limit of its own. Any other request counts towards the limit of the network.
    if (request.limitPolicy === undefined) limitAddress(environment, request)
    throw error
  }
}

async function admitKey(environment: Environment, request: HttpRequest, header: string): Promise<StoreCaller> {
  const { db, get } = environment
  const { who } = request
  const holder = recallKey(environment, who, header) ?? (await lookUpKeyOf(environment, request, header))
  request.limit(get(keyLimit), holder.key)
  await noteUse(db, who, holder)
  return callAsKey(who, holder)
}

/**
 * Looks up a key that is not cached. Because this costs a database query, the request also counts towards the rate
 * limit of its IP address.
 */
function lookUpKeyOf(environment: Environment, request: HttpRequest, header: string): Promise<KeyHolder> {
  limitAddress(environment, request)
  return lookUpKey(environment, request.who, header)
}

function recallKey({ get }: Environment, who: Caller, header: string): KeyHolder | undefined {
  const cache = get(credentialCache)
  const known = cache.get(cache.hash(header), who.at)
  if (known) refuseExpired(who, known)
  return known
}

async function lookUpKey({ db, name, get }: Environment, who: Caller, header: string): Promise<KeyHolder> {
  const { clientId: key, clientSecret: secret } = readBasic(header)!
  if (secret === undefined) throw fail('wrongCredentials', 'The secret is missing')
  const cache = get(credentialCache)
  const mark = cache.mark()
  const policy = { environment: name, secretHashKeys: get(secretHashKeys), homePage: get(bases).homePage }
  const holder = await authenticateKey(db, who, { key, secret }, policy)
  cache.remember(cache.hash(header), holder, who.at, mark)
  return holder
}

async function admitUser(
  environment: Environment,
  request: HttpRequest,
  asked: AdmissionContext,
): Promise<StoreCaller> {
  const who = await appUser.admit(environment, request, asked)
  if (who.isAnonymous)
    throw fail('notForAnonymous', 'The record store is not open to anonymous users; sign in with an account')
  return callAsUser(environment.db, who, environment)
}

async function admitPage(
  environment: Environment,
  request: HttpRequest,
  asked: AdmissionContext,
): Promise<StoreCaller> {
  return callAsAdministrator(await person.admit(environment, request, asked), environment)
}

/** Requires that the caller has at least one of these scopes. */
export const scope = (...any: Scope[]): Need<StoreCaller> => {
  const names = any.join(' or ')
  return {
    name: `scope ${names}`,
    errors: ['forbidden'],
    check: ({ who }) => {
      if (!any.some((one) => who.scopes.has(one)))
        throw fail('forbidden', `This requires the scope ${names}; the caller has ${[...who.scopes].join(', ')}`)
    },
  }
}
