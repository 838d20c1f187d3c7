import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import { isSameHandle } from '../../identity/people/handles.ts'
import { findSignedIn, type OpenedBrowser } from '../../kernel/browsers/browsers.ts'
import { ProviderRequired, providerPath } from '../../kernel/browsers/required.ts'
import { findPerson } from '../../kernel/caller.ts'
import { fail, failOauth, PlatformError } from '../../kernel/errors.ts'
import { makeCsrfToken } from '../../kernel/http/callers/csrf.ts'
import { type FormProblem, OUTDATED, readProblem } from '../../kernel/http/pages/form-problem.ts'
import {
  formPage,
  type Page,
  type PageContext,
  type PageRedirect,
  type ShownPage,
  viewPage,
} from '../../kernel/http/pages/page.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import { PASSKEY_SCRIPT, signInPage } from '../../kernel/pages/account/signin-page.ts'
import { consentPage, signInLead } from '../../kernel/pages/oauth/consent-page.ts'
import { BASE_URL, CLIENT_ID, CODE_VERIFIER } from '../../kernel/samples.ts'
import { showScopes } from '../../kernel/scopes.ts'
import { tokenPolicy } from '../../kernel/sessions/sessions.ts'
import { signIn } from '../account/account.ts'
import { listDemoPeople } from '../account/demo.ts'
import { findConsent } from '../apps/apps.ts'
import { isUser, readIdTokenHint } from '../openid/openid.ts'
import { listOwnWays } from '../providers/connections.ts'
import { findWay, hasProviders } from '../providers/signin.ts'
import {
  type AuthorizationParams,
  type AuthorizationRequest,
  afterSignIn,
  type Dialect,
  readAuthorizationRequest,
  refusalUri,
} from './authorize.ts'
import { DEPRECATION_HEADERS } from './deprecation.ts'
import { queryOf } from './request-query.ts'
import {
  AuthorizationQuery,
  ConsentForm,
  SignInForm,
  StandardAuthorizationQuery,
  StandardConsentForm,
  StandardSignInForm,
} from './schema.ts'
import { allowApp, denyApp, passThrough, scopesOf } from './signin.ts'
import { hasSignedInSince, needsSignIn, noteSince } from './since.ts'

const PATHS: Record<Dialect, { signin: string; consent: string }> = {
  own: { signin: '/oauth/signin', consent: '/oauth/consent' },
  rfc: { signin: '/oauth/v2/signin', consent: '/oauth/v2/consent' },
}

/** Characters that may appear in both a query and a header, except those that would end the value. */
const SENDABLE = /^[\w.~!$'()*+,;:@/?=%-]*$/

/**
 * Takes `state` from the URL without decoding it. Clients disagree whether `+` means a space, so the state is returned
 * exactly as it was sent.
 */
function keepState({ url }: PageContext['request'], { state, ...params }: AuthorizationParams): AuthorizationParams {
  if (state === undefined || state === '') return params
  // Split the query only at `&`, as the server does: the value of another parameter may contain `?state=`.
  const fields = url.slice(url.search(/[?#]/) + 1).split('&')
  const sent = fields.find((field) => field.startsWith('state='))?.slice('state='.length)
  return { ...params, state: sent !== undefined && SENDABLE.test(sent) ? sent : encodeURIComponent(state) }
}

const read = ({ db, who, environment }: PageContext, params: AuthorizationParams, dialect: Dialect) =>
  readAuthorizationRequest(db, params, {
    dialect,
    environment: environment.name,
    url: environment.url,
    readHint: (what) => readIdTokenHint(environment, who, what),
  })

const SIGN_IN_PURPOSE = 'oauth.signin'
/**
 * The purpose of CSRF tokens. It contains the whole request, so that a form for one app cannot be submitted for
 * another, and the scopes that the page lists, so that a form allows no others.
 */
const consentPurpose = (params: AuthorizationParams, asked: string): string =>
  `oauth.consent ${queryOf(params)} ${asked}`

/** Returns the scopes that the app of this request asks for now; an empty text if the request would be refused. */
async function readAsked(context: PageContext, params: AuthorizationParams, dialect: Dialect): Promise<string> {
  try {
    const request = await read(context, params, dialect)
    return 'redirect' in request ? '' : showScopes(scopesOf(request))
  } catch (error) {
    if (error instanceof PlatformError && error.status < 500) return ''
    throw error
  }
}

/**
 * Returns the request as the sign-in form sends it. Signing in with the form is what `prompt=login` asks for, so the
 * next step must not ask again. The `own` dialect drops the parameter; the other notes when the form was shown.
 */
const atForm = (context: PageContext, params: AuthorizationParams, dialect: Dialect): AuthorizationParams =>
  dialect === 'own' ? afterSignIn(params) : noteSince(context.environment, context.who, params)

async function showSignIn(
  context: PageContext,
  params: AuthorizationParams,
  { dialect, client }: AuthorizationRequest,
  problem?: FormProblem,
  handle?: string,
): Promise<ShownPage> {
  return {
    title: `Sign in to ${client.name}`,
    ...(problem && { status: problem.status, headers: problem.headers }),
    leadsToApp: true,
    scripts: [PASSKEY_SCRIPT],
    body: signInPage({
      heading: 'Sign in',
      lead: signInLead(client),
      problem: problem?.sentence,
      handle: handle ?? (dialect === 'rfc' ? params.login_hint : undefined),
      hasDemo: (await listDemoPeople(context.environment)).length > 0,
      hasProviders: await hasProviders(context.db),
      providers: await listOwnWays(context.db, context.who, pathAfter(context, params, dialect)),
      action: `${PATHS[dialect].signin}?${queryOf(atForm(context, params, dialect))}`,
      csrfToken: context.csrfToken(SIGN_IN_PURPOSE),
    }),
  }
}

async function showConsent(
  context: PageContext,
  params: AuthorizationParams,
  request: AuthorizationRequest,
  problem?: string,
): Promise<ShownPage> {
  const { dialect, client, redirectUri } = request
  const { signin, consent } = PATHS[dialect]
  const target = new URL(redirectUri)
  const { personId, handle } = context.who.person!
  const given = await findConsent(context.db, { appId: client.id, personId })
  const asked = scopesOf(request)
  return {
    title: `Allow ${client.name}?`,
    leadsToApp: true,
    body: consentPage({
      problem,
      app: client,
      scopes: { asked, allowed: given ? given.scopes : [] },
      handle,
      destination:
        target.host === '' || !/^https?:$/.test(target.protocol) ? `the app (${target.protocol})` : target.host,
      otherAccount: `${signin}?${queryOf({ ...params, prompt: 'login' })}`,
      action: `${consent}?${queryOf(params)}`,
      csrfToken: context.csrfToken(consentPurpose(params, showScopes(asked))),
    }),
  }
}

const DECIDE_AGAIN = 'This page had expired. Choose again.'

/** The request as the path at which it goes on after a sign-in at the provider of an organisation. */
const pathAfter = (context: PageContext, params: AuthorizationParams, dialect: Dialect): string =>
  `${PATHS[dialect].signin}?${queryOf(atForm(context, params, dialect))}`

/** Redirects to the provider of an organisation if it decides about what was typed, and not the password. */
async function findProviderWay(
  context: PageContext,
  params: AuthorizationParams,
  { dialect, prompts, maxAgeMs }: AuthorizationRequest,
  { handle, way, keep }: { handle: string; way: string | undefined; keep: boolean },
): Promise<PageRedirect | undefined> {
  const redirect = await findWay(context, {
    typed: handle,
    isAsked: way === 'organisation',
    next: pathAfter(context, params, dialect),
    isKept: keep,
    isFresh: prompts.has('login') || maxAgeMs !== undefined,
  })
  return redirect === undefined ? undefined : { redirect }
}

/** Redirects to the app. In the implicit flow, adds deprecation headers. */
function leaveFor({ environment }: PageContext, request: AuthorizationRequest, redirect: string): PageRedirect {
  if (request.responseType !== 'implicit') return { redirect }
  environment.log.warn({ clientId: request.client.clientId }, 'an app used the implicit flow, which is deprecated')
  return { redirect, headers: DEPRECATION_HEADERS }
}

/** Returns the next step of an authorization request: the sign-in page, the consent page or the redirect to the app. */
async function proceed(context: PageContext, params: AuthorizationParams, request: AuthorizationRequest) {
  const { prompts, client, hintedUserId } = request
  const refuseSilently = (name: string, sentence: string): PageRedirect => ({
    redirect: refusalUri(request, failOauth(name, 'impossibleNow', sentence)),
  })
  const person = findPerson(context.who)
  if (!person || needsSignIn(context.environment, params, request, person))
    return prompts.has('none')
      ? refuseSilently('login_required', 'Nobody is signed in, or not recently enough')
      : showSignIn(context, params, request)
  if (hintedUserId !== undefined) {
    const { personId } = person
    const isExpected = await isUser(context.db, { appId: client.id, personId, userId: hintedUserId })
    // The person who has just answered the form of this request is asked once and not again.
    const wasAsked = prompts.has('none') || hasSignedInSince(context.environment, params, person)
    if (!isExpected && wasAsked) return refuseSilently('login_required', 'Another user is signed in')
    if (!isExpected) return showSignIn(context, params, request)
  }
  const redirect = await passThrough(context.db, person, request, context.environment.get(tokenPolicy))
  if (redirect !== undefined) return leaveFor(context, request, redirect)
  return prompts.has('none')
    ? refuseSilently('consent_required', 'The user has to be asked, which needs a page')
    : showConsent(context, params, request)
}

/** Returns the request that a sign-in form has answered. */
const answered = (params: AuthorizationParams, dialect: Dialect): AuthorizationParams =>
  dialect === 'own' ? afterSignIn(params) : params

/**
 * Responds to the sign-in form with the next step itself, and never with a redirect to another page of the platform: an
 * old Android web view treats the first redirect as the one to the app.
 */
async function proceedSignedIn(
  browser: OpenedBrowser,
  context: PageContext,
  params: AuthorizationParams,
  request: AuthorizationRequest,
) {
  const { db, environment } = context
  const person = await findSignedIn(db, browser.token, environment.name, context.who.at)
  if (!person) throw fail('wrongCredentials', 'The password was changed in the meantime; sign in again')
  const who = { ...context.who, browserToken: browser.token, person }
  // The CSRF tokens of the next form must be bound to the new cookie.
  const csrfToken = (purpose: string) => makeCsrfToken(environment, who, purpose)
  // A form of another process, or a client without our pages, may not have noted when it was shown.
  const next = request.dialect === 'rfc' ? noteSince(context.environment, context.who, params) : params
  return { ...(await proceed({ ...context, who, csrfToken }, next, request)), browser, handle: person.handle }
}

/**
 * The sign-in path and the consent path both show the next step of the request, so either can be bookmarked or
 * reloaded.
 */
const viewFor = (dialect: Dialect) => async (context: PageContext, sent: AuthorizationParams) => {
  const params = keepState(context.request, sent)
  const request = await read(context, params, dialect)
  return 'redirect' in request ? request : proceed(context, params, request)
}

const EXAMPLE_REQUEST = {
  response_type: 'code',
  client_id: CLIENT_ID,
  redirect_uri: `${BASE_URL}/demo/callback`,
  state: 'crosswind',
}
const PKCE = { code_challenge: hash('sha256', CODE_VERIFIER, 'base64url'), code_challenge_method: 'S256' }

const pagesOf = (dialect: Dialect): Page[] => [
  viewPage({
    name: `signInPage${dialect === 'rfc' ? 'V2' : ''}`,
    path: PATHS[dialect].signin,
    summary: dialect === 'rfc' ? 'Open the sign-in page (v2)' : 'Open the sign-in page',
    description:
      dialect === 'rfc'
        ? 'Shows the standard sign-in page (RFC 6749 §4.1.1; PKCE is required), where the user allows or denies the app, and redirects to the app with a code or an error.'
        : 'Shows the sign-in page, where the user allows or denies the app, and redirects to the app with a code or an error.',
    example: { request: dialect === 'rfc' ? { ...EXAMPLE_REQUEST, ...PKCE } : EXAMPLE_REQUEST },
    input: dialect === 'rfc' ? StandardAuthorizationQuery : AuthorizationQuery,
    run: viewFor(dialect),
  }),
  formPage({
    name: `signInForm${dialect === 'rfc' ? 'V2' : ''}`,
    path: PATHS[dialect].signin,
    summary: dialect === 'rfc' ? 'Send the sign-in form (v2)' : 'Send the sign-in form',
    description:
      'Signs the user in and returns the consent page, or redirects to the app with a code if the user has allowed it before.',
    example: { request: dialect === 'rfc' ? { ...EXAMPLE_REQUEST, ...PKCE } : EXAMPLE_REQUEST },
    input: dialect === 'rfc' ? StandardSignInForm : SignInForm,
    from: 'either',
    purpose: () => SIGN_IN_PURPOSE,
    ...(dialect === 'rfc' && {
      // OpenID Connect Core §3.1.2.1: an app may send the authorization request by POST.
      findTarget: (
        { handle, password, keep: _, way: __, ...sent }: Static<typeof StandardSignInForm>,
        request: HttpRequest,
      ) =>
        handle === undefined && password === undefined
          ? `${PATHS.rfc.signin}?${queryOf(keepState(request, sent))}`
          : undefined,
    }),
    showAgain: async (context, { handle, password: _, keep: __, way: ___, ...sent }) => {
      const params = answered(keepState(context.request, sent), dialect)
      const request = await read(context, params, dialect)
      if ('redirect' in request) return request
      // Continue if this person has signed in meanwhile, in another tab or with this form before a reload. Otherwise
      // show the form again.
      const isSame = context.who.person && isSameHandle(context.who.person.handle, handle ?? '')
      return isSame ? proceed(context, params, request) : showSignIn(context, params, request, OUTDATED, handle)
    },
    run: async (context, { handle = '', password = '', keep = false, way, ...sent }) => {
      const params = answered(keepState(context.request, sent), dialect)
      const request = await read(context, params, dialect)
      if ('redirect' in request) return request
      const { db, who, environment } = context
      try {
        const elsewhere = await findProviderWay(context, params, request, { handle, way, keep })
        if (elsewhere) return elsewhere
        const browser = await signIn(db, who, { handle, password, isKept: keep }, environment.name)
        return await proceedSignedIn(browser, context, params, request)
      } catch (error) {
        if (error instanceof ProviderRequired) {
          const next = pathAfter(context, params, dialect)
          return { redirect: providerPath(environment, who, error, { next, isKept: keep }) }
        }
        return showSignIn(context, params, request, readProblem(error), handle)
      }
    },
  }),
  viewPage({
    name: `consentPage${dialect === 'rfc' ? 'V2' : ''}`,
    path: PATHS[dialect].consent,
    example: { request: dialect === 'rfc' ? { ...EXAMPLE_REQUEST, ...PKCE } : EXAMPLE_REQUEST },
    input: dialect === 'rfc' ? StandardAuthorizationQuery : AuthorizationQuery,
    run: viewFor(dialect),
  }),
  formPage({
    name: `consentForm${dialect === 'rfc' ? 'V2' : ''}`,
    path: PATHS[dialect].consent,
    input: dialect === 'rfc' ? StandardConsentForm : ConsentForm,
    from: 'either',
    purpose: async ({ decision: _, ...sent }, context) => {
      const params = keepState(context.request, sent)
      return consentPurpose(params, await readAsked(context, params, dialect))
    },
    // The form is older than a sign-in in another tab, so the person who is signed in now must decide again. Or it is
    // older than a scope of an app that asks for all that it has registered.
    showAgain: async (context, { decision: _, ...sent }) => {
      const params = keepState(context.request, sent)
      const request = await read(context, params, dialect)
      if ('redirect' in request) return request
      return context.who.person
        ? { ...(await showConsent(context, params, request, DECIDE_AGAIN)), status: 403 }
        : showSignIn(context, params, request, OUTDATED)
    },
    run: async (context, { decision, ...sent }) => {
      const params = keepState(context.request, sent)
      const request = await read(context, params, dialect)
      if ('redirect' in request) return request
      const { db, who, environment } = context
      const person = findPerson(who)
      if (!person || needsSignIn(context.environment, params, request, person)) return proceed(context, params, request)
      if (decision === 'deny') return { redirect: await denyApp(db, person, request) }
      const redirect =
        context.purpose === consentPurpose(params, showScopes(scopesOf(request)))
          ? await allowApp(db, person, request, environment.get(tokenPolicy))
          : undefined
      if (redirect !== undefined) return leaveFor(context, request, redirect)
      // The app has registered other scopes since the form was checked.
      const again = await read(context, params, dialect)
      return 'redirect' in again ? again : { ...(await showConsent(context, params, again, DECIDE_AGAIN)), status: 403 }
    },
  }),
]

export const oauthPages: readonly Page[] = [...pagesOf('own'), ...pagesOf('rfc')]
