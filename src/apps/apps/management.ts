import { randomBytes } from 'node:crypto'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { readLine, readName } from '../../kernel/lines.ts'
import { managed } from '../../kernel/managed.ts'
import type { AddressPolicy } from '../../kernel/outbound/outbound.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { readScopes } from '../../kernel/scopes.ts'
import { DEVELOPERS, memberRoles } from '../organisations/roles.ts'
import { addApp, addAppSecret, BLOCK_BYTES, changeApp, checkSettings, dropOldAppSecrets, setAppStatus } from './apps.ts'
import * as store from './management-store.ts'
import { proofOf } from './proof.ts'
import type {
  AppRecord,
  AppUserRecord,
  ChangeApp,
  ListApps,
  ListAppUsers,
  NameApp,
  NewApp,
  NewAppSecret,
  RegisterApp,
  SetAppStatus,
} from './schema.ts'
import type { SecretKeys } from './secrets.ts'

const managedApp = managed({
  find: (db, { person, key }) => db.first(store.findManaged, { person, client: key }),
  lock: (tx, key) => tx.first(store.holdApp, { client: key }),
  refusal: 'There is no app with this client ID, or you do not work on it',
})
export const readManaged = managedApp.read

export async function readOwnApp(db: Db, who: PersonCaller, what: NameApp): Promise<AppRecord> {
  return toApp(await readManaged(db, who, what.clientId), who)
}

export async function listManagedApps(db: Db, who: PersonCaller, what: ListApps): Promise<Page<AppRecord>> {
  const { organisation = null, status = null } = what
  const rows = await db.all(store.listManaged, { person: who.personId, organisation, status, ...spanOf(what) })
  return pageOf(
    rows.map((row) => toApp(row, who)),
    rows[0]?.total ?? 0,
    what,
  )
}

/** Lists the users of an app, with their user ids in that app. */
export async function listUsersOfApp(db: Db, who: PersonCaller, what: ListAppUsers): Promise<Page<AppUserRecord>> {
  const { id: app } = await readManaged(db, who, what.clientId)
  const rows = await db.all(store.listUsers[what.sort ?? '-since'], { app, ...spanOf(what) })
  const users = rows.map((row) => ({
    userId: row.user_id,
    anonymous: row.anonymous,
    sinceDate: row.consented_at,
    lastSeenDate: row.last_seen,
  }))
  return pageOf(users, rows[0]?.total ?? 0, what)
}

/** In production, an administrator must approve each new app; in the sandbox, new apps are approved at once. */
const FIRST_STATUS: Record<EnvironmentName, { status?: 'pending' }> = { production: { status: 'pending' }, sandbox: {} }

export async function registerOwnApp(
  db: Db,
  who: PersonCaller,
  what: RegisterApp,
  keys: SecretKeys,
  receivers: AddressPolicy,
): Promise<NewApp> {
  const organisation = await db.first(store.findOrganisation, {
    person: who.personId,
    organisation: what.organisation,
    developers: memberRoles(DEVELOPERS),
  })
  if (!organisation?.develops)
    throw fail('forbidden', 'There is no organisation with this key, or you are not one of its developers')
  return db.transaction(async (tx) => {
    const { clientId, secret } = await addApp(
      tx,
      who,
      {
        ...what,
        key: what.key ?? randomBytes(8).toString('hex'),
        name: readName(what.name),
        organisationId: organisation.id,
        owner: who.personId,
        ...FIRST_STATUS[keys.environment],
        redirectUris: what.redirectUris ?? [],
        origins: what.origins ?? [],
        isBasicEnabled: false,
        isImplicitEnabled: false,
        isDeviceEnabled: false,
        isPublic: what.public ?? false,
      },
      keys,
      receivers,
    )
    return { ...(await readOwnApp(tx, who, { clientId })), clientSecret: secret ?? null }
  })
}

/**
 * Changes an app. Changes take effect at once, even in an approved app; in production an administrator reviews them
 * afterwards.
 */
export function changeOwnApp(
  db: Db,
  who: PersonCaller,
  what: ChangeApp,
  environment: EnvironmentName,
  receivers: AddressPolicy,
): Promise<AppRecord> {
  const name = what.name === undefined ? undefined : readName(what.name)
  return db.transaction(async (tx) => {
    const app = await managedApp.lock(tx, who, what.clientId)
    const { clientId: _, ...change } = { ...what, name }
    checkSettings(change, app, receivers)
    const mustBeReviewed = environment === 'production' && !who.isAdministrator
    await changeApp(tx, who, { ...change, appId: app.id, mustBeReviewed })
    return readOwnApp(tx, who, what)
  })
}

/** Adds a second secret. Both are valid, so that the app's servers can switch to the new secret one after the other. */
export function addOwnSecret(db: Db, who: PersonCaller, what: NameApp, keys: SecretKeys): Promise<NewAppSecret> {
  return db.transaction(async (tx) => {
    await managedApp.lock(tx, who, what.clientId)
    return { clientSecret: await addAppSecret(tx, who, what, keys) }
  })
}

/** Revokes all secrets of an app except the newest. */
export function dropOwnSecrets(db: Db, who: PersonCaller, what: NameApp): Promise<AppRecord> {
  return db.transaction(async (tx) => {
    await managedApp.lock(tx, who, what.clientId)
    await dropOldAppSecrets(tx, who, what)
    return readOwnApp(tx, who, what)
  })
}

/**
 * Approves or suspends an app on behalf of an administrator. Suspending it invalidates its tokens at once, and needs a
 * reason, which the developers of the app read.
 */
export function decideApp(db: Db, who: PersonCaller, what: SetAppStatus): Promise<AppRecord> {
  const reason = readLine('reason', what.reason ?? '') || undefined
  if (what.status === 'suspended' && reason === undefined)
    throw fail('parameterMissing', 'reason is missing: tell the developers of the app why')
  return db.transaction(async (tx) => {
    const { clientId } = what
    if (!(await tx.first(store.holdApp, { client: clientId }))) throw fail('noSuchApp')
    const { status } = await readManaged(tx, who, clientId)
    if (status !== what.status)
      await setAppStatus(tx, who, { clientId, status: what.status as 'approved' | 'suspended', reason })
    return readOwnApp(tx, who, what)
  })
}

/** Parses the secrets, converting PostgreSQL's dates to the API's format. */
const readSecrets = (text: string): AppRecord['secrets'] =>
  JSON.parse(text, (name, value) =>
    typeof value === 'string' && name.endsWith('Date') ? new Date(value).toISOString() : value,
  )

const toApp = (row: RowOf<typeof store.findManaged>, who: PersonCaller): AppRecord => ({
  clientId: row.client_id,
  name: row.name,
  organisation: row.organisation,
  organisationName: row.organisation_name,
  owner: row.owner,
  status: row.status as AppRecord['status'],
  statusReason: row.status_reason,
  public: row.public_client,
  redirectUris: row.redirect_uris,
  launchUri: row.launch_uri,
  origins: row.origins,
  postLogoutRedirectUris: row.post_logout_redirect_uris,
  backchannelLogoutUri: row.backchannel_logout_uri,
  backchannelLogoutSessionRequired: row.backchannel_logout_session_required,
  scopes: [...(readScopes(row.scopes) ?? [])],
  secrets: readSecrets(row.secrets),
  users: row.users,
  storageUsed: row.blocks_used * BLOCK_BYTES,
  storageLimit: row.blocks_limit * BLOCK_BYTES,
  recordsUsed: row.records_bytes,
  createdDate: row.created_at,
  ...proofOf(row),
  may: { decide: who.isAdministrator },
})
