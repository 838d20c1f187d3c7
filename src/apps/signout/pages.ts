import { findPerson, type PersonCaller } from '../../kernel/caller.ts'
import {
  formPage,
  type Page,
  type PageAnswer,
  type PageContext,
  type ShownPage,
  viewPage,
} from '../../kernel/http/pages/page.ts'
import { signedOutPage, signOutPage, stillSignedInPage } from '../../kernel/pages/oauth/logout-page.ts'
import { CLIENT_ID } from '../../kernel/samples.ts'
import { findProviderOf, offerSignOut } from '../providers/signout.ts'
import { LogoutForm, LogoutQuery, logoutFields } from './schema.ts'
import { endHinted, type LogoutParams, type LogoutRequest, readLogoutRequest, signOutHere } from './signout.ts'

const PATH = '/oauth/v2/logout'
const CONFIRM_PATH = '/oauth/v2/logout/confirm'

/** Writes the request as a query string. The order of the parameters is fixed, because CSRF tokens depend on it. */
function queryOf(params: LogoutParams): string {
  const names = Object.keys(logoutFields) as (keyof LogoutParams)[]
  const given = names.flatMap((name): [string, string][] => (params[name] === undefined ? [] : [[name, params[name]]]))
  return String(new URLSearchParams(given))
}

/**
 * The purpose of CSRF tokens. It contains the whole request, so that the form of one request cannot be submitted for
 * another.
 */
const confirmPurpose = (params: LogoutParams): string => `oauth.logout ${queryOf(params)}`

/** Sends the browser back to the app, or shows that the person is signed out. */
const leave = ({ redirect, problem }: LogoutRequest, isEnded: boolean): PageAnswer => ({
  ...(redirect !== undefined
    ? { redirect }
    : {
        title: 'Signed out',
        body: signedOutPage({ problem }),
        ...(problem !== undefined && !isEnded && { status: 400 }),
      }),
  ...(isEnded && { browser: 'end' }),
})

function ask(context: PageContext, params: LogoutParams, request: LogoutRequest, again?: string): ShownPage {
  const { appName, problem } = request
  return {
    title: 'Sign out?',
    leadsToApp: true,
    ...(again !== undefined ? { status: 403 } : problem !== undefined ? { status: 400 } : {}),
    body: signOutPage({
      handle: context.who.person!.handle,
      app: appName,
      problem: again ?? problem,
      action: `${CONFIRM_PATH}?${queryOf(params)}`,
      csrfToken: context.csrfToken(confirmPurpose(params)),
    }),
  }
}

/** Signs the person out. If they came from the provider of an organisation, they can sign out there too. */
async function end(context: PageContext, person: PersonCaller, request: LogoutRequest): Promise<PageAnswer> {
  const { db, environment } = context
  const provider = await findProviderOf(db, environment, person)
  await signOutHere(db, person, request)
  if (!provider) return leave(request, true)
  const { redirect: continueAt } = request
  return { redirect: offerSignOut(environment, person, { ...provider, continueAt }), browser: 'end' }
}

/**
 * Ends the sign-in at once if a valid ID token of the person proves that the app may ask; otherwise asks the person.
 */
async function view(context: PageContext, params: LogoutParams, again?: string): Promise<PageAnswer> {
  const { db, who, environment } = context
  const request = await readLogoutRequest(environment, who, params)
  const person = findPerson(who)
  if (!person) {
    if (request.hint && request.problem === undefined) await endHinted(db, who, request.hint)
    return leave(request, false)
  }
  if (again !== undefined || !request.isOfPerson || request.problem !== undefined)
    return ask(context, params, request, again)
  return end(context, person, request)
}

export const signOutPages: readonly Page[] = [
  viewPage({
    name: 'logoutPage',
    path: PATH,
    summary: 'Open the sign-out page',
    description:
      'Signs the user out of this browser, and of the apps that use OpenID Connect in it (OpenID Connect RP-Initiated Logout 1.0). With a valid `id_token_hint` this happens at once; otherwise the user is asked. Then it redirects to `post_logout_redirect_uri`, if that is registered.',
    example: { request: { client_id: CLIENT_ID } },
    input: LogoutQuery,
    run: (context, params) => view(context, params),
  }),
  // An app may also send the request as a form. Browsers send no cookie with a form of another site, but they send it
  // with the redirect that follows.
  formPage({
    name: 'logoutForm',
    path: PATH,
    input: LogoutQuery,
    from: 'either',
    run: async (_context, params) => ({ redirect: `${PATH}?${queryOf(params)}`, browser: 'keep' }),
  }),
  viewPage({
    name: 'logoutConfirmPage',
    path: CONFIRM_PATH,
    input: LogoutQuery,
    run: (context, params) => view(context, params),
  }),
  formPage({
    name: 'logoutConfirmForm',
    path: CONFIRM_PATH,
    input: LogoutForm,
    from: 'either',
    purpose: ({ decision: _, ...params }) => confirmPurpose(params),
    showAgain: (context, { decision: _, ...params }) => view(context, params, 'This page had expired. Choose again.'),
    run: async (context, { decision, ...params }) => {
      const { who, environment } = context
      const request = await readLogoutRequest(environment, who, params)
      const person = findPerson(who)
      if (!person) return leave(request, false)
      if (decision === 'stay') return { title: 'Still signed in', body: stillSignedInPage({ handle: person.handle }) }
      return end(context, person, request)
    },
  }),
]
