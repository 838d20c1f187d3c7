import {
  ALL,
  addFirstPasskey,
  alsoRemovePasskeys,
  listPasskeys,
  type PasskeysToRemove,
} from '../../identity/passkeys/passkeys.ts'
import type { Passkey } from '../../identity/passkeys/schema.ts'
import { startEpoch } from '../../identity/people/changes.ts'
import { type AlongWithPassword, changeOwnPassword, confirmPerson, verifyPerson } from '../../identity/people/people.ts'
import { readReset, resetPassword } from '../../identity/people/resets.ts'
import {
  type JoinedBySignUp,
  type JoinWithLink,
  type SignUp,
  signUp,
  signUpMember,
} from '../../identity/people/sign-up.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import {
  endBrowser,
  findSignedIn,
  isBrowserKept,
  listBrowsers,
  moveBrowser,
  type OpenedBrowser,
  openBrowser,
} from '../../kernel/browsers/browsers.ts'
import { refuseRequired } from '../../kernel/browsers/required.ts'
import type { Caller, PersonCaller, Visitor } from '../../kernel/caller.ts'
import type { Config, EnvironmentName } from '../../kernel/config.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import type { MessagePolicy } from '../../kernel/messages/messages.ts'
import { intersectScopes, SCOPES } from '../../kernel/scopes.ts'
import { endOwnSession, endSessionsOfPerson, listSessionsOfPerson } from '../../kernel/sessions/sessions.ts'
import { listAppsOfPerson, withdrawConsent, withdrawScopes } from '../apps/apps.ts'
import { joinByLink } from '../organisations/organisations.ts'
import { joinWithLink } from '../organisations/sign-up.ts'
import { removeConnections } from '../providers/connections.ts'
import { findProviderOf, offerSignOut } from '../providers/signout.ts'
import { isUuid } from './rules.ts'

export interface PasswordSignIn {
  readonly handle: string
  readonly password: string
  /** Whether the person stays signed in after the browser is closed. */
  readonly isKept: boolean
}

/** Signs a person in to the platform itself, in this browser. */
export async function signIn(
  db: Db,
  who: Visitor,
  { handle, password, isKept }: PasswordSignIn,
  environment: EnvironmentName,
): Promise<OpenedBrowser> {
  const person = await verifyPerson(db, who, { handle, password })
  return db.transaction(async (tx) => {
    await confirmPerson(tx, person)
    return openBrowser(tx, who, { personId: person.id, epoch: person.epoch, door: 'password', isKept }, environment)
  })
}

/** Like `signIn`, and also returns the person. */
export async function signInAndTell(
  db: Db,
  who: Visitor,
  what: PasswordSignIn,
  environment: EnvironmentName,
): Promise<SignedInHere> {
  return tellSignedIn(db, who, await signIn(db, who, what, environment), environment)
}

interface SignedInHere {
  readonly handle: string
  readonly name: string
  readonly isAdministrator: boolean
  readonly browser: OpenedBrowser
}

async function tellSignedIn(
  db: Db,
  who: Visitor,
  browser: OpenedBrowser,
  environment: EnvironmentName,
): Promise<SignedInHere> {
  const person = await findSignedIn(db, browser.token, environment, who.at)
  if (!person) throw fail('wrongCredentials', 'The password was changed in the meantime; sign in again')
  return { handle: person.handle, name: person.name, isAdministrator: person.isAdministrator, browser }
}

/** Creates an account with the code of an e-mailed link, and signs the person in to this browser. */
export async function signUpAndTell(
  db: Db,
  who: Visitor,
  what: SignUp,
  config: Pick<Config, 'SIGN_UP'>,
  messages: MessagePolicy,
): Promise<SignedInHere> {
  const join: JoinWithLink = async (tx, joined) => {
    await joinWithLink(who)(tx, joined)
    await refuseRequired(tx, { personId: joined.personId, epoch: undefined })
  }
  const { id, epoch } = await signUp(db, who, what, config, messages, join)
  const opened = { personId: id, epoch, door: 'sign-up', isKept: false } as const
  return tellSignedIn(db, who, await openBrowser(db, who, opened, messages.environment), messages.environment)
}

/** Joins an organisation with the code of an e-mailed link, and the account that the caller has. */
export const joinAsMember = (
  db: Db,
  who: PersonCaller,
  what: { code: string },
  messages: MessagePolicy,
): Promise<JoinedBySignUp> => signUpMember(db, who, what, messages, joinWithLink(who))

/**
 * Signs the person out of the platform in this browser. If they came from the provider of an organisation, returns the
 * path of a page that offers to sign out there too.
 */
export async function signOut(db: Db, who: PersonCaller, environment: Environment): Promise<string | undefined> {
  const provider = await findProviderOf(db, environment, who)
  await endBrowser(db, who, { browserId: who.browserId, personId: who.personId })
  return provider ? offerSignOut(environment, who, provider) : undefined
}

/** Lists the caller's apps, each with its open sessions. */
export async function listOwnApps(db: Db, who: PersonCaller) {
  const [apps, sessions] = await Promise.all([listAppsOfPerson(db, who), listSessionsOfPerson(db, who, who)])
  const byApp = Map.groupBy(sessions, (session) => session.app_id)
  return apps.map((app) => ({
    clientId: app.client_id,
    name: app.name,
    owner: app.owner,
    sinceDate: app.consented_at,
    allowedDate: app.allowed_at,
    scopes: app.allowed_at === null ? [] : [...(intersectScopes(app.scopes, app.user_scopes) ?? SCOPES)],
    sessions: (byApp.get(app.id) ?? []).map((session) => ({
      sessionId: session.id,
      device: session.device,
      door: session.door,
      createdDate: session.created_at,
      lastUsedDate: session.refreshed_at,
    })),
  }))
}

/** Lists the browsers in which the caller is signed in to the platform itself. */
export async function listOwnBrowsers(db: Db, who: PersonCaller) {
  return (await listBrowsers(db, who)).map((browser) => ({
    browserId: browser.id,
    device: browser.device,
    address: browser.address,
    createdDate: browser.created_at,
    lastUsedDate: browser.last_used_at,
    isCurrent: browser.id === who.browserId,
  }))
}

export async function endOneSession(db: Db, who: PersonCaller, what: { sessionId: string }): Promise<void> {
  // Refuse anything but a UUID here, because any other text would make the SQL statement fail.
  if (!isUuid(what.sessionId)) throw fail('notFound', 'You have no session with this id')
  await endOwnSession(db, who, { ...what, personId: who.personId, reason: 'ended by its owner' })
}

export async function endOneBrowser(db: Db, who: PersonCaller, what: { browserId: string }): Promise<void> {
  const isEnded = isUuid(what.browserId) && (await endBrowser(db, who, { ...what, personId: who.personId }))
  if (!isEnded) throw fail('notFound', 'You are not signed in to a browser with this id')
}

/**
 * Ends all sessions and browsers of the person except this browser. Starting a new epoch first locks the person's row,
 * so a session that is being opened concurrently is either ended or refused. Passkeys stay valid and are returned.
 */
export async function endEverythingElse(db: Db, who: PersonCaller): Promise<Passkey[]> {
  await db.transaction(async (tx) => {
    await endOtherBrowsers(tx, who)
    await endSessionsOfPerson(tx, who, { personId: who.personId, reason: 'ended by their owner' })
  })
  return listPasskeys(db, who)
}

/**
 * Signs a person out of all browsers but this one. This browser moves to a new epoch, and everything that belongs to
 * the old epoch (other browsers, codes, links) stops working. Throws if another browser has done this first, because
 * this browser is then signed out.
 */
async function endOtherBrowsers(tx: Tx, who: PersonCaller): Promise<void> {
  const { personId, browserId } = who
  const epoch = await startEpoch(tx, { personId, epoch: who.epoch })
  if (!epoch || !(await moveBrowser(tx, { browserId, personId, epoch })))
    throw fail('notAuthorized', 'You were signed out of this browser in the meantime; sign in again')
  await recordAudit(tx, who, { action: 'sign-out.elsewhere', personId })
}

export const withdrawApp = (db: Db, who: PersonCaller, what: { clientId: string }): Promise<void> =>
  withdrawConsent(db, who, { ...what, personId: who.personId })

export const withdrawAppScopes = (
  db: Db,
  who: PersonCaller,
  what: { clientId: string; scopes: readonly string[] },
): Promise<void> => withdrawScopes(db, who, { ...what, personId: who.personId })

/** The result of setting a new password: the new browser session, and the passkeys that still work. */
export interface RenewedPassword {
  readonly browser: OpenedBrowser
  readonly passkeys: readonly Passkey[]
}

/** Removes the passkeys that are named. With all of them, the connections to providers are removed too. */
export function alsoRemoveWays(
  who: Caller,
  what: PasskeysToRemove,
  messages: MessagePolicy,
): { also: AlongWithPassword } {
  const { also } = alsoRemovePasskeys(who, what, messages)
  return {
    also: async (tx, person) => {
      await also(tx, person)
      if (what.removePasskeys?.includes(ALL))
        await removeConnections(tx, { ...who, personId: person.personId }, { isAll: false })
    },
  }
}

/** Changes the password. All sessions end, but the person stays signed in to this browser with a new cookie. */
export async function renewPassword(
  db: Db,
  who: PersonCaller,
  what: PasskeysToRemove & { password: string; newPassword: string },
  messages: MessagePolicy,
): Promise<RenewedPassword> {
  // The new password would open nothing.
  await refuseRequired(db, who)
  const isKept = await isBrowserKept(db, who.browserId)
  const change = { ...what, ...alsoRemoveWays(who, what, messages) }
  const { id, epoch } = await changeOwnPassword(db, who, change, messages)
  const browser = await openBrowser(db, who, { personId: id, epoch, door: 'password', isKept }, messages.environment)
  return { browser, passkeys: await listPasskeys(db, { personId: id }) }
}

/** Sets a new account up with a passkey and the code of an e-mailed link, and signs the person in to this browser. */
export async function setUpWithPasskey(
  db: Db,
  who: Visitor,
  what: { code: string; response: unknown },
  party: Parameters<typeof addFirstPasskey>[3],
  messages: MessagePolicy,
): Promise<SignedInHere> {
  const also = async (tx: Tx, owner: { personId: number; epoch: number }) => {
    await joinByLink(tx, who, owner.personId)
    await refuseRequired(tx, owner)
  }
  const { id, epoch } = await addFirstPasskey(db, who, { ...what, also }, party, messages)
  const opened = { personId: id, epoch, door: 'passkey', isKept: false } as const
  return tellSignedIn(db, who, await openBrowser(db, who, opened, messages.environment), messages.environment)
}

/** Sets a new password with the code of an e-mailed link, and signs the person in to this browser. */
export async function replaceForgotten(
  db: Db,
  who: Visitor,
  what: PasskeysToRemove & { code: string; password: string },
  messages: MessagePolicy,
): Promise<RenewedPassword> {
  const { also } = alsoRemoveWays(who, what, messages)
  const owner = await readReset(db, who, what, messages)
  await refuseRequired(db, owner)
  const { id, epoch } = await resetPassword(
    db,
    who,
    {
      ...what,
      also: async (tx, person) => {
        await also(tx, person)
        await joinByLink(tx, who, person.personId)
        await refuseRequired(tx, { personId: person.personId, epoch: owner.epoch })
      },
    },
    messages,
  )
  const browser = await openBrowser(
    db,
    who,
    { personId: id, epoch, door: 'reset', isKept: false },
    messages.environment,
  )
  return { browser, passkeys: await listPasskeys(db, { personId: id }) }
}
