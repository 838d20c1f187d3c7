import { readPersonId } from '../../identity/people/people.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import { type Caller, findPersonId } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { notify } from '../../kernel/database/listener.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { isLine } from '../../kernel/lines.ts'
import { type AddressPolicy, findUriMistake } from '../../kernel/outbound/outbound.ts'
import { isScope, readScopes, SCOPES, type Scopes, showScopes } from '../../kernel/scopes.ts'
import { endSessionsInApp, REVOKED, type Revocation } from '../../kernel/sessions/sessions.ts'
import { appEvents } from './events.ts'
import { type ProofSettings, setProof } from './proof.ts'
import { findLaunchMistake, findRedirectUriMistake, isLaunchOf } from './redirect-uris.ts'
import { findDifferences, isAppKey, isOrigin } from './rules.ts'
import { hashSecret, MAX_SECRETS, makeSecret, type SecretKeys, type SecretSeal } from './secrets.ts'
import * as store from './store.ts'

/** The NOTIFY topic that tells every process that the settings of an app have changed. */
export const APPS_CHANGED = 'apps-changed'

/** The size of a block, the unit of storage quotas. */
export const BLOCK_BYTES = 1024
export const DEFAULT_STORAGE_BLOCKS = (100 * 1024 * 1024) / BLOCK_BYTES

const PREFIX: Record<EnvironmentName, string> = { production: 'gs-', sandbox: 'gs-sbx-' }

/** Makes a client ID. Its prefix shows which environment issued it. */
export const makeClientId = (environment: EnvironmentName, name: string): string => PREFIX[environment] + name

export interface App {
  readonly id: number
  readonly clientId: string
  readonly name: string
  readonly isBasicEnabled: boolean
  readonly hasAnonymous: boolean
}

/** Reads the app with this client ID. If there is none or it is not approved, throws an error that says what to do. */
export async function readApp(db: Db, clientId: string, environment: EnvironmentName): Promise<App> {
  const row = await db.first(store.findByClientId, { client: clientId })
  if (!row) throw fail('appNotUsable', whyUnknown(clientId, environment))
  if (row.status !== 'approved')
    throw fail('appNotUsable', `The app ${clientId} is ${row.status}; contact an administrator`)
  return {
    id: row.id,
    clientId: row.client_id,
    name: row.name,
    isBasicEnabled: row.basic_enabled,
    hasAnonymous: row.anonymous_enabled,
  }
}

/** Whether the other environment issued this client ID. */
export function isForeignClientId(clientId: string, environment: EnvironmentName): boolean {
  const isSandboxId = clientId.startsWith(PREFIX.sandbox)
  return environment === 'production' ? isSandboxId : !isSandboxId && clientId.startsWith(PREFIX.production)
}

export function whyUnknown(clientId: string, environment: EnvironmentName): string {
  const isForeign = isForeignClientId(clientId, environment)
  if (environment === 'production' && isForeign)
    return 'This client ID was issued by the sandbox; use it at the sandbox URL, or create the app in production'
  if (isForeign)
    return 'This client ID was issued by production; use it at the production URL, or create the app in the sandbox'
  return 'There is no app with this client ID in this environment'
}

/**
 * Records the person's consent to an app and to these scopes; without scopes, to all that the app has registered. Returns
 * the person's user id in this app, which is created at the first sign-in. It is random, so that two apps cannot find
 * out that they have the same user.
 */
export async function ensureAppUser(
  db: Db,
  who: Caller,
  what: { appId: number; personId: number; scopes?: Scopes },
): Promise<string> {
  const { appId: app, personId, scopes } = what
  const row = (await db.first(store.ensureUser, {
    user: makeId(),
    app,
    person: personId,
    scopes: scopes ? [...scopes] : null,
    now: who.at,
  }))!
  // The tokens of sessions that asked for everything may now be used for more.
  if (row.is_changed) await db.transaction((tx) => notify(tx, REVOKED, { personId } satisfies Revocation))
  return row.user_id
}

/**
 * Enrols people as users of apps, so that others can find them there. They are still asked for consent at their first
 * sign-in. Existing users and withdrawn consents are not changed. All rows are sent in one statement, so callers should
 * pass at most about 1000 per call.
 */
export async function enrolUsers(
  tx: Tx,
  who: Caller,
  rows: readonly { readonly appId: number; readonly personId: number }[],
): Promise<void> {
  await tx.all(store.enrolUsers, {
    people: [...new Set(rows.map(({ personId }) => personId))],
    rows: JSON.stringify(
      rows.map(({ appId, personId }) => ({ user_id: makeId(), app_id: appId, person_id: personId })),
    ),
    now: who.at,
  })
}

export const listAppsOfPerson = (db: Db, what: { personId: number }) =>
  db.all(store.listOfPerson, { person: what.personId })

/** Returns the apps that a person uses or owns, for the data export. */
export async function exportApps(db: Db, personId: number) {
  const person = { person: personId }
  const [uses, owned] = await Promise.all([db.all(store.listUses, person), db.all(store.listOwned, person)])
  return {
    uses: uses.map((row) => ({
      clientId: row.client_id,
      name: row.name,
      userId: row.user_id,
      sinceDate: row.consented_at,
      // Null if the person was enrolled by an organisation and has not been asked for consent yet.
      allowedDate: row.allowed_at,
      withdrawnDate: row.withdrawn_at,
      // Null if everything that the app has registered was allowed.
      scopes: row.scopes,
    })),
    owns: owned.map((row) => ({
      clientId: row.client_id,
      name: row.name,
      status: row.status,
      createdDate: row.created_at,
    })),
  }
}

/**
 * Withdraws a person's consent to an app. The person's sessions in the app end at once, in every process. The user id
 * stays, in case the person consents again. Opening a session locks the row of the consent, so a session that is being
 * opened concurrently is either ended here or refused.
 */
export function withdrawConsent(db: Db, who: Caller, what: { clientId: string; personId: number }): Promise<void> {
  return db.transaction(async (tx) => {
    const { personId } = what
    const withdrawn = await tx.first(store.withdraw, { client: what.clientId, person: personId, now: who.at })
    if (!withdrawn) throw fail('notFound', 'You have not consented to an app with this client ID')
    const appId = withdrawn.app_id
    await recordAudit(tx, who, { action: 'consent.withdrawn', personId, appId })
    await endSessionsInApp(tx, who, { personId, appId, reason: 'consent withdrawn' })
  })
}

/**
 * Takes scopes from what a person has allowed an app. The person's sessions in the app end at once, in every process, so
 * the app has to sign the person in again, and to ask before it gets these scopes back.
 */
export function withdrawScopes(
  db: Db,
  who: Caller,
  what: { clientId: string; personId: number; scopes: readonly string[] },
): Promise<void> {
  return db.transaction(async (tx) => {
    const { personId } = what
    const scopes = SCOPES.filter((scope) => what.scopes.includes(scope))
    const withdrawn = await tx.first(store.withdrawScopes, {
      client: what.clientId,
      person: personId,
      scopes,
      all: [...SCOPES],
    })
    if (!withdrawn) throw fail('notFound', 'You have not allowed an app with this client ID to do this')
    const appId = withdrawn.app_id
    const detail = { scopes: showScopes(scopes) }
    await recordAudit(tx, who, { action: 'consent.scopes-withdrawn', personId, appId, detail })
    await endSessionsInApp(tx, who, { personId, appId, reason: 'scopes withdrawn' })
  })
}

/** Proof that a person signed in and consented to an app: the epochs of the person and of the consent at that time. */
export interface Proof {
  readonly appId: number
  readonly personId: number
  readonly personEpoch: number
  readonly consentEpoch: number
}

/**
 * Returns the person's user id in the app if the proof is still valid; undefined if the password has been changed, the
 * consent withdrawn or the person disabled. Locks the person and the consent until the transaction ends. Every way of
 * signing in to an app must call this in the transaction that opens the session.
 */
export async function confirmAppUser(tx: Tx, { appId, personId, personEpoch, consentEpoch }: Proof) {
  return (await tx.first(store.lockUser, { app: appId, person: personId, personEpoch, consentEpoch }))?.user_id
}

/** Returns the epoch and the scopes of a person's consent to an app, or undefined if there is no consent. */
export async function findConsent(db: Db, { appId, personId }: { appId: number; personId: number }) {
  const row = await db.first(store.findConsent, { app: appId, person: personId })
  return row && { epoch: row.epoch, scopes: readScopes(row.scopes) }
}

/** Approves or suspends an app. Every process refuses the tokens of a suspended app at once. */
export function setAppStatus(
  db: Db,
  who: Caller,
  what: { clientId: string; status: 'approved' | 'suspended'; reason?: string | undefined },
): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await tx.first(store.setStatus, { client: what.clientId, status: what.status })
    if (!row) throw fail('noSuchApp')
    await recordAudit(tx, who, {
      action: `app.${what.status}`,
      appId: row.id,
      ...(what.reason !== undefined && { detail: { reason: what.reason } }),
    })
    const payload = { app: row.id, status: what.status, reason: what.reason ?? null, by: findPersonId(who) ?? null }
    await appEvents.emit(tx, { kind: 'app.decided', subject: `app:${row.id}`, payload, at: who.at })
    await notify(tx, REVOKED, { appId: row.id } satisfies Revocation)
    await notify(tx, APPS_CHANGED, {})
  })
}

/** Sets the storage quota of an app. If the app uses more than a lowered quota, its data stays but cannot grow. */
export function setAppStorage(db: Db, who: Caller, what: { clientId: string; bytes: number }): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await tx.first(store.setStorageLimit, {
      client: what.clientId,
      blocks: Math.floor(what.bytes / BLOCK_BYTES),
    })
    if (!row) throw fail('noSuchApp')
    await recordAudit(tx, who, { action: 'app.storage', appId: row.app_id, detail: { bytes: what.bytes } })
  })
}

export interface AppSwitches {
  /** Whether anonymous users may be created; existing anonymous users are not affected. */
  readonly hasAnonymous?: boolean | undefined
  /** Whether every user of the app may set values in its public buckets. */
  readonly sharesBuckets?: boolean | undefined
}

/** Sets the given switches, and returns the values of all switches. */
export function setAppSwitches(
  db: Db,
  who: Caller,
  what: AppSwitches & { clientId: string },
): Promise<Required<AppSwitches>> {
  return db.transaction(async (tx) => {
    const { clientId, hasAnonymous = null, sharesBuckets = null } = what
    const row = await tx.first(store.setSwitches, {
      client: clientId,
      anonymous: hasAnonymous,
      sharedBuckets: sharesBuckets,
    })
    if (!row) throw fail('noSuchApp')
    const now = { hasAnonymous: row.anonymous_enabled, sharesBuckets: row.shared_buckets }
    await recordAudit(tx, who, { action: 'app.settings', appId: row.id, detail: now })
    return now
  })
}

export async function listOrigins(db: Db): Promise<Set<string>> {
  return new Set((await db.all(store.listOrigins, {})).map((row) => row.origin))
}

export const listApps = (db: Db) => db.all(store.listApps, {})

/** Deletes an app with all its data. Returns false if there is no such app. */
export function removeApp(db: Db, who: Caller, what: { clientId: string }): Promise<boolean> {
  return db.transaction(async (tx) => {
    const row = await tx.first(store.deleteApp, { client: what.clientId })
    if (!row) return false
    await recordAudit(tx, who, { action: 'app.removed', appId: row.id, detail: { clientId: what.clientId } })
    await notify(tx, REVOKED, { appId: row.id } satisfies Revocation)
    await notify(tx, APPS_CHANGED, {})
    return true
  })
}

/** Returns a checked list of scopes in the order of the catalogue. */
const toScopes = (scopes: readonly string[]): string[] => [...(readScopes(scopes) ?? [])]

/** How an app that uses OpenID Connect is told about sign-outs. */
export interface LogoutSettings {
  readonly postLogoutRedirectUris?: readonly string[] | undefined
  /** An empty text removes the receiver. */
  readonly backchannelLogoutUri?: string | undefined
  readonly backchannelLogoutSessionRequired?: boolean | undefined
}

/** The settings of an app that uses OpenID Connect. */
export interface OpenIdSettings extends LogoutSettings, ProofSettings {}

export interface NewApp extends OpenIdSettings {
  readonly key: string
  readonly name: string
  readonly organisationId?: number
  /** The person responsible for the app: a handle or a person id. */
  readonly owner?: string | number | undefined
  /** The status of the new app; `approved` by default. */
  readonly status?: 'pending'
  readonly redirectUris: readonly string[]
  readonly launchUri?: string | undefined
  readonly origins: readonly string[]
  /** The scopes that the app may ask for; all if missing or empty. */
  readonly scopes?: readonly string[] | undefined
  readonly isBasicEnabled: boolean
  readonly isImplicitEnabled: boolean
  readonly isDeviceEnabled: boolean
  readonly isPublic: boolean
  /** Whether PKCE is required; true by default. */
  readonly isPkceRequired?: boolean
  /** Whether secrets are also stored encrypted, because the platform itself uses them to call the app (a plugin). */
  readonly areSecretsSealed?: boolean
}

/** Registers an app. Returns its client ID and, if the app proves itself with a secret, its first secret. */
export function addApp(
  db: Db,
  who: Caller,
  what: NewApp,
  keys: SecretKeys,
  receivers: AddressPolicy = ANY_RECEIVER,
): Promise<{ clientId: string; appId: number; secret: string | undefined }> {
  checkNewApp(what, receivers)
  const clientId = makeClientId(keys.environment, what.key)
  return db.transaction(async (tx) => {
    const row = await tx.first(store.insertApp, {
      client: clientId,
      name: what.name.normalize('NFC'),
      organisation: what.organisationId ?? null,
      owner: typeof what.owner === 'string' ? await readPersonId(tx, what.owner) : (what.owner ?? null),
      status: what.status ?? 'approved',
      public: what.isPublic,
      pkce: what.isPkceRequired ?? true,
      sealed: what.areSecretsSealed ?? false,
      implicit: what.isImplicitEnabled,
      device: what.isDeviceEnabled,
      basic: what.isBasicEnabled,
      blocks: DEFAULT_STORAGE_BLOCKS,
      uris: [...what.redirectUris],
      launch: what.launchUri || null,
      origins: [...what.origins],
      scopes: what.scopes?.length ? toScopes(what.scopes) : null,
      now: who.at,
    })
    if (!row) throw fail('duplicate', `An app with the client ID ${clientId} already exists`)
    await setLogout(tx, row.id, what)
    await setProof(tx, row.id, what)
    const app = { id: row.id, clientId, isSealed: what.areSecretsSealed }
    const hasSecret = !what.isPublic && what.tokenEndpointAuthMethod !== 'private_key_jwt'
    const secret = hasSecret ? await insertSecret(tx, who, app, keys) : undefined
    await recordAudit(tx, who, { action: 'app.added', appId: row.id })
    await notify(tx, APPS_CHANGED)
    return { clientId, appId: row.id, secret }
  })
}

const setLogout = async (tx: Tx, appId: number, what: LogoutSettings): Promise<void> => {
  const { postLogoutRedirectUris: uris, backchannelLogoutUri, backchannelLogoutSessionRequired } = what
  if (uris === undefined && backchannelLogoutUri === undefined && backchannelLogoutSessionRequired === undefined) return
  await tx.first(store.setLogout, {
    app: appId,
    uris: uris ? [...new Set(uris)].sort() : null,
    receiver: backchannelLogoutUri ?? null,
    sessionRequired: backchannelLogoutSessionRequired ?? null,
  })
}

export interface AppChange extends OpenIdSettings {
  readonly name?: string | undefined
  /** The handle of the owner. */
  readonly owner?: string | undefined
  readonly redirectUris?: readonly string[] | undefined
  /** An empty text removes the launch URI. */
  readonly launchUri?: string | undefined
  readonly origins?: readonly string[] | undefined
  /** An empty list stands for all. */
  readonly scopes?: readonly string[] | undefined
  readonly isBasicEnabled?: boolean | undefined
  readonly isImplicitEnabled?: boolean | undefined
  readonly isDeviceEnabled?: boolean | undefined
}

/**
 * Changes the given fields of an app. The caller must have locked the app and checked the fields (`checkSettings`).
 * With `mustBeReviewed`, a change of an approved app is added to the list that administrators review.
 */
export async function changeApp(
  tx: Tx,
  who: Caller,
  what: AppChange & { appId: number; mustBeReviewed?: boolean },
): Promise<void> {
  const { appId, mustBeReviewed = false, ...change } = what
  const changes = Object.entries(change).filter(([, value]) => value !== undefined)
  if (changes.length === 0) return
  const name = change.name?.normalize('NFC')
  const was = (await tx.first(store.readReviewedFields, { app: appId }))!
  const before = findDifferences(
    {
      name: was.name,
      redirectUris: was.redirect_uris,
      launchUri: was.launch_uri ?? '',
      origins: was.origins,
      postLogoutRedirectUris: was.post_logout_redirect_uris,
      backchannelLogoutUri: was.backchannel_logout_uri ?? '',
    },
    { ...change, name },
  )
  const needsReview = mustBeReviewed && was.status === 'approved' && Object.keys(before).length > 0
  const scopes = change.scopes && toScopes(change.scopes)
  await tx.first(store.changeApp, {
    app: appId,
    name: name ?? null,
    owner: change.owner === undefined ? null : await readPersonId(tx, change.owner),
    uris: change.redirectUris ? [...change.redirectUris] : null,
    launch: change.launchUri ?? null,
    origins: change.origins ? [...change.origins] : null,
    scopes: scopes ?? null,
    basic: change.isBasicEnabled ?? null,
    implicit: change.isImplicitEnabled ?? null,
    device: change.isDeviceEnabled ?? null,
    changed: needsReview ? who.at : null,
  })
  await setLogout(tx, appId, change)
  const proof = await setProof(tx, appId, change)
  const lines = changes.map(([name, value]) => [name, Array.isArray(value) ? value.join(' ') : value])
  const detail = { ...Object.fromEntries(lines), ...before, ...proof }
  await recordAudit(tx, who, { action: 'app.changed', appId, detail })
  if (change.origins) await notify(tx, APPS_CHANGED)
  // The tokens stay valid, and may be used for more or for less.
  if (scopes && scopes.join() !== readScopes(was.scopes)?.join())
    await notify(tx, REVOKED, { appId } satisfies Revocation)
}

/** Like `changeApp`, but takes a client ID, and locks the app. */
export function changeAppByClientId(db: Db, who: Caller, what: AppChange & { clientId: string }): Promise<void> {
  const { clientId, ...change } = what
  return db.transaction(async (tx) => {
    const app = await tx.first(store.lockApp, { client: clientId })
    if (!app) throw fail('noSuchApp')
    checkSettings(change, await showApp(tx, { clientId }))
    await changeApp(tx, who, { appId: app.id, ...change })
  })
}

/** Returns all details of an app, for operators. */
export async function showApp(db: Db, what: { clientId: string }) {
  const row = await db.first(store.showApp, { client: what.clientId })
  if (!row) throw fail('noSuchApp')
  return row
}

interface SettingFault {
  /** JSON pointer of the value in the request (RFC 6901). */
  readonly pointer: string
  readonly message: string
  /** The end of a sentence that begins with the value and "must". */
  readonly must: string
}

/**
 * Throws if settings of an app are invalid, and lists everything that is wrong. `stored` are the settings that the app
 * has: its launch URI must fit its redirect URIs, whichever of them changes.
 */
export function checkSettings(
  what: Pick<AppChange, 'name' | 'redirectUris' | 'launchUri' | 'origins' | 'scopes' | keyof LogoutSettings>,
  stored?: { readonly launch_uri: string | null; readonly redirect_uris: readonly string[] },
  receivers: AddressPolicy = ANY_RECEIVER,
): void {
  const { name, redirectUris, launchUri, origins, scopes } = what
  const launch = launchUri ?? stored?.launch_uri
  const faults: SettingFault[] = [
    ...findNameFaults(name),
    ...(redirectUris ?? []).flatMap(findRedirectUriFaults),
    ...(origins ?? []).flatMap(findOriginFaults),
    ...(scopes ?? []).flatMap(findScopeFaults),
    ...(launch && (redirectUris || launchUri !== undefined)
      ? findLaunchFaults(launch, redirectUris ?? stored?.redirect_uris ?? [])
      : []),
    ...findLogoutFaults(what, receivers),
  ]
  if (faults.length === 0) return
  const refusal = fail('validationFailed', faults.map(({ message }) => message).join('; '))
  refusal.faults = faults.map(({ pointer, must }) => ({ pointer, must }))
  throw refusal
}

const findNameFaults = (name: string | undefined): SettingFault[] =>
  name === undefined || (name !== '' && isLine(name))
    ? []
    : [
        {
          pointer: '/name',
          message: 'The name of an app must be one line of at most 254 characters',
          must: 'be one line of at most 254 characters',
        },
      ]

function findRedirectUriFaults(uri: string, i: number): SettingFault[] {
  const must = findRedirectUriMistake(uri)
  return must === undefined
    ? []
    : [{ pointer: `/redirectUris/${i}`, message: `The redirect URI ${uri} must ${must}`, must }]
}

/**
 * For operators, who may also name an address of this machine. The platform sends nothing there unless PLUGIN_ADDRESSES
 * permits it.
 */
const ANY_RECEIVER: AddressPolicy = { allowsLoopback: true }
const MAX_POST_LOGOUT_URIS = 10

function findLogoutFaults(what: LogoutSettings, receivers: AddressPolicy): SettingFault[] {
  const { postLogoutRedirectUris: uris = [], backchannelLogoutUri: receiver } = what
  const faults = uris.flatMap((uri, i) => {
    const must = findRedirectUriMistake(uri)
    const pointer = `/postLogoutRedirectUris/${i}`
    return must === undefined ? [] : [{ pointer, message: `The post-logout redirect URI ${uri} must ${must}`, must }]
  })
  if (uris.length > MAX_POST_LOGOUT_URIS) {
    const must = `have at most ${MAX_POST_LOGOUT_URIS} entries`
    faults.push({ pointer: '/postLogoutRedirectUris', message: `postLogoutRedirectUris must ${must}`, must })
  }
  const must = receiver ? findUriMistake(receiver, receivers) : undefined
  if (must !== undefined)
    faults.push({ pointer: '/backchannelLogoutUri', message: `backchannelLogoutUri must ${must}`, must })
  return faults
}

const findOriginFaults = (origin: string, i: number): SettingFault[] =>
  isOrigin(origin)
    ? []
    : [
        {
          pointer: `/origins/${i}`,
          message: `${origin} is not an origin; one looks like https://app.example.org`,
          must: 'be an origin, such as https://app.example.org',
        },
      ]

const findScopeFaults = (scope: string, i: number): SettingFault[] =>
  isScope(scope)
    ? []
    : [
        {
          pointer: `/scopes/${i}`,
          message: `${scope} is not a scope; the scopes are ${SCOPES.join(', ')}`,
          must: `be one of ${SCOPES.join(', ')}`,
        },
      ]

/** A launch may pass a code, so it may only lead to a registered redirect URI. */
function findLaunchFaults(uri: string, redirectUris: readonly string[]): SettingFault[] {
  const isRegistered = redirectUris.some((registered) => isLaunchOf(uri, registered))
  const must =
    findLaunchMistake(uri) ?? (isRegistered ? undefined : 'be one of the redirect URIs, with or without a query')
  return must === undefined ? [] : [{ pointer: '/launchUri', message: `launchUri must ${must}`, must }]
}

function checkNewApp(what: NewApp, receivers: AddressPolicy): void {
  if (!isAppKey(what.key))
    throw fail('validationFailed', 'A key is 1 to 60 lower-case letters, digits or -, and does not start with sbx-')
  checkSettings(what, undefined, receivers)
}

/** Adds a second secret. Both are valid, so that the app's servers can switch to the new secret one after the other. */
export function addAppSecret(db: Db, who: Caller, what: { clientId: string }, keys: SecretKeys): Promise<string> {
  return db.transaction(async (tx) => {
    const app = await tx.first(store.lockApp, { client: what.clientId })
    if (!app) throw fail('noSuchApp')
    if (app.public_client) throw fail('impossibleNow', 'A public client has no secrets')
    const found = await tx.first(store.countSecrets, { app: app.id })
    if (found && found.count >= MAX_SECRETS)
      throw fail('impossibleNow', `The app already has ${MAX_SECRETS} secrets; revoke the old one first`)
    const { clientId } = what
    const secret = await insertSecret(tx, who, { id: app.id, clientId, isSealed: app.secrets_sealed }, keys)
    await recordAudit(tx, who, { action: 'app.secret-added', appId: app.id })
    return secret
  })
}

async function insertSecret(
  tx: Tx,
  who: Caller,
  app: { id: number; clientId: string; isSealed: boolean | undefined },
  { environment, hashKey, seal }: SecretKeys,
): Promise<string> {
  const secret = makeSecret(environment)
  const sealed = app.isSealed ? seal.seal(app.clientId, secret) : null
  await tx.first(store.insertSecret, { app: app.id, hash: hashSecret(secret, hashKey), sealed, now: who.at })
  return secret
}

const SEALED_AT_ONCE = 100

/**
 * Encrypts every stored secret again with the first key, after which the other keys are no longer needed. Returns how
 * many secrets were encrypted again.
 */
export async function resealSecrets(db: Db, seal: SecretSeal): Promise<number> {
  let count = 0
  for await (const { id, client_id: clientId, sealed } of readSealed(db)) {
    if (seal.isCurrent(sealed)) continue
    const again = seal.seal(clientId, seal.open(clientId, sealed))
    if (await db.first(store.reseal, { secret: id, before: sealed, sealed: again })) count++
  }
  return count
}

/** Returns how many stored secrets none of the keys can decrypt. */
export async function countUnreadableSecrets(db: Db, seal: SecretSeal): Promise<number> {
  let count = 0
  for await (const { sealed } of readSealed(db)) if (!seal.canOpen(sealed)) count++
  return count
}

async function* readSealed(db: Db) {
  for (let after = 0; ; ) {
    const rows = await db.all(store.listSealed, { after, limit: SEALED_AT_ONCE })
    for (const { sealed, ...row } of rows) if (sealed !== null) yield { ...row, sealed }
    if (rows.length < SEALED_AT_ONCE) return
    after = rows.at(-1)!.id
  }
}

/** Lists client IDs with a secret that was not used since the secret key was changed, and so needs the previous key. */
export const listUnusedSecrets = async (db: Db, what: { since: Date; limit: number }): Promise<string[]> =>
  (await db.all(store.listUnused, what)).map(({ client_id }) => client_id)

/** Revokes all secrets except the newest. Returns how many were revoked. */
export function dropOldAppSecrets(db: Db, who: Caller, what: { clientId: string }): Promise<number> {
  return db.transaction(async (tx) => {
    const app = await tx.first(store.lockApp, { client: what.clientId })
    if (!app) throw fail('noSuchApp')
    const dropped = (await tx.all(store.deleteOldSecrets, { app: app.id })).length
    if (dropped > 0)
      await recordAudit(tx, who, { action: 'app.secrets-dropped', appId: app.id, detail: { count: dropped } })
    return dropped
  })
}

/**
 * Lists when each secret of an app was created and last used, oldest first. The secrets cannot be shown, because they
 * are stored as hashes.
 */
export async function listAppSecrets(
  db: Db,
  what: { clientId: string },
): Promise<{ createdAt: string; lastUsedAt: string | undefined }[]> {
  if (!(await db.first(store.findByClientId, { client: what.clientId }))) throw fail('noSuchApp')
  const rows = await db.all(store.listSecrets, { client: what.clientId })
  return rows.map((row) => ({ createdAt: row.created_at, lastUsedAt: row.last_used_at ?? undefined }))
}
