import { endBrowser } from '../../kernel/browsers/browsers.ts'
import { type Caller, findPerson, type PersonCaller, type Visitor } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { sidOf } from '../../kernel/logouts/logouts.ts'
import { endSessionsOfSid } from '../../kernel/sessions/sessions.ts'
import { verifyToken } from '../signing/signing.ts'
import * as store from './store.ts'

/** The parameters that an app may send to the logout page. */
export interface LogoutParams {
  readonly id_token_hint?: string
  readonly client_id?: string
  readonly post_logout_redirect_uri?: string
  readonly state?: string
}

/** The sign-in that a valid ID token is about. */
interface Hint {
  readonly appId: number
  readonly personId: number
  readonly userId: string
  readonly sid: string | undefined
}

export interface LogoutRequest {
  readonly appName: string | undefined
  readonly hint: Hint | undefined
  /** True if the ID token is about the person who is signed in in this browser, who need not be asked. */
  readonly isOfPerson: boolean
  /** The browser is sent to this address afterwards. If it is undefined, our own page is shown. */
  readonly redirect: string | undefined
  /** Describes a mistake in the request. If there is one, the person has to confirm, and no redirect follows. */
  readonly problem: string | undefined
}

const PROBLEMS = {
  hint: 'The app sent an ID token that is not valid here.',
  mixed: 'The app sent an ID token that was issued to another app.',
  app: 'The app that sent you here is unknown, or is not approved.',
  nameless: 'The app that sent you here did not say which app it is, so you cannot return to it.',
  uri: 'The app wants you to return to an address that it has not registered.',
}

/** Reads a logout request. Whatever is wrong with it, the person can still sign out. */
export async function readLogoutRequest(
  environment: Environment,
  who: Visitor,
  params: LogoutParams,
): Promise<LogoutRequest> {
  const { id_token_hint: token, client_id: given, post_logout_redirect_uri: uri, state } = params
  const claims = token === undefined ? undefined : await readHint(environment, who, token)
  const clientId = claims?.clientId ?? given
  const found =
    clientId && (await environment.db.first(store.findParties, { client: clientId, user: claims?.sub ?? null }))
  const app = found && found.status === 'approved' ? found : undefined
  const problem =
    token !== undefined && !claims
      ? PROBLEMS.hint
      : claims && given !== undefined && given !== claims.clientId
        ? PROBLEMS.mixed
        : clientId !== undefined && !app
          ? PROBLEMS.app
          : uri !== undefined && !app
            ? PROBLEMS.nameless
            : uri !== undefined && !app!.uris.includes(uri)
              ? PROBLEMS.uri
              : undefined
  const hint =
    problem !== PROBLEMS.mixed && claims && app && app.person_id !== null
      ? { appId: app.id, personId: app.person_id, userId: claims.sub, sid: claims.sid }
      : undefined
  return {
    appName: app?.name,
    hint,
    isOfPerson: hint !== undefined && hint.personId === findPerson(who)?.personId,
    redirect: problem === undefined && uri !== undefined ? withState(uri, state) : undefined,
    problem,
  }
}

/** Reads an ID token of this environment. It may have expired; its key must not have been withdrawn. */
async function readHint(environment: Environment, who: Caller, token: string) {
  const claims = await verifyToken(environment, who, { token, type: 'JWT' })
  const { aud, sub, sid } = claims ?? {}
  const [clientId, ...others] = Array.isArray(aud) ? aud : [aud]
  if (typeof clientId !== 'string' || others.length > 0 || typeof sub !== 'string') return undefined
  return { clientId, sub, sid: typeof sid === 'string' ? sid : undefined }
}

/** Appends the state. The rest of the URI stays as it was registered. */
function withState(uri: string, state: string | undefined): string {
  if (state === undefined) return uri
  const start = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&'
  return `${uri}${start}state=${encodeURIComponent(state)}`
}

/** Signs the person out of this browser, and of the apps that signed them in here. */
export const signOutHere = (db: Db, who: PersonCaller, { hint, isOfPerson }: LogoutRequest): Promise<void> =>
  db.transaction(async (tx) => {
    await endBrowser(tx, who, { browserId: who.browserId, personId: who.personId })
    if (!hint || !isOfPerson) return
    const here = sidOf({ appId: hint.appId, browserId: who.browserId, sessionId: '' })
    if (hint.sid !== here) await endHinted(tx, who, hint)
  })

/** Ends the app's sessions of the sign-in that an ID token is about, if nobody is signed in in this browser. */
export async function endHinted(db: Db, who: Caller, { sid, ...hint }: Hint): Promise<void> {
  if (sid !== undefined) await endSessionsOfSid(db, who, { ...hint, sid, reason: 'signed out by the app' })
}
