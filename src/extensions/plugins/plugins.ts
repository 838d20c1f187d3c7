import { randomBytes } from 'node:crypto'
import {
  addApp,
  addAppSecret,
  changeApp,
  checkSettings,
  dropOldAppSecrets,
  removeApp,
  setAppStatus,
} from '../../apps/apps/apps.ts'
import { secretKeys } from '../../apps/apps/secrets.ts'
import { DEVELOPERS, memberRoles } from '../../apps/organisations/roles.ts'
import { type AuditEntry, recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller, PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { readName } from '../../kernel/lines.ts'
import { managed } from '../../kernel/managed.ts'
import { findAddressMistake, outbound } from '../../kernel/outbound/outbound.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { checkPermissions, checkPurposes, findMissing } from './rules.ts'
import type {
  ActivatePlugin,
  ChangePlugin,
  GiveOrganisation,
  GrantPermissions,
  ListPlugins,
  NamePlugin,
  NewPlugin,
  NewPluginSecret,
  Plugin,
  PluginKind,
  RegisterPlugin,
} from './schema.ts'
import * as store from './store.ts'

/** Reads and locks plugins. Throws for plugins that the caller does not develop. */
const { read: readManaged, lock: lockManaged } = managed({
  find: (db, { person, key }) => db.first(store.findManaged, { person, client: key }),
  lock: (tx, key) => tx.first(store.lockPlugin, { client: key }),
  refusal: 'There is no plugin with this client ID, or you do not work on it',
})

export async function readPlugin(db: Db, who: PersonCaller, what: NamePlugin): Promise<Plugin> {
  return toPlugin(await readManaged(db, who, what.clientId))
}

export async function listPlugins(db: Db, who: PersonCaller, what: ListPlugins): Promise<Page<Plugin>> {
  const { organisation = null } = what
  const rows = await db.all(store.listManaged, { person: who.personId, organisation, ...spanOf(what) })
  return pageOf(rows.map(toPlugin), rows[0]?.total ?? 0, what)
}

type Fields = Pick<ChangePlugin, 'addresses' | 'permissions'>

/**
 * Throws if an address or a permission is not allowed. Runs before the transaction, because resolving host names may
 * take a while.
 */
async function checkFields(kind: PluginKind, { addresses = {}, permissions = [] }: Fields, environment: Environment) {
  checkPurposes(kind, Object.keys(addresses))
  checkPermissions(kind, permissions)
  for (const [purpose, uri] of Object.entries(addresses)) {
    if (typeof uri !== 'string') continue
    const mistake = await findAddressMistake(uri, environment.get(outbound))
    if (mistake) throw fail('validationFailed', `addresses.${purpose} must ${mistake}`)
  }
}

export async function registerPlugin(
  db: Db,
  who: PersonCaller,
  what: RegisterPlugin,
  environment: Environment,
): Promise<NewPlugin> {
  const organisation = await db.first(store.findOrganisation, {
    person: who.personId,
    organisation: what.organisation,
    developers: memberRoles(DEVELOPERS),
  })
  if (!organisation?.develops)
    throw fail('forbidden', 'There is no organisation with this key, or you are not one of its developers')
  const kind = what.kind as PluginKind
  await checkFields(kind, what, environment)
  const { redirectUris = [], permissions = [], addresses = {} } = what
  return db.transaction(async (tx) => {
    const { clientId, clientSecret, appId, pluginId } = await addPlugin(
      tx,
      who,
      {
        kind,
        key: what.key ?? randomBytes(8).toString('hex'),
        name: readName(what.name),
        description: what.description ?? '',
        organisationId: organisation.id,
        ownerId: who.personId,
        redirectUris,
      },
      environment,
    )
    await writeFields(tx, who, { id: pluginId, app_id: appId }, { addresses, permissions })
    return { ...(await readPlugin(tx, who, { clientId })), clientSecret }
  })
}

/** Creates the app, the plugin and its first secret, which is stored encrypted. The plugin has no permissions yet. */
export async function addPlugin(
  tx: Tx,
  who: Caller,
  what: {
    kind: PluginKind
    key: string
    name: string
    description: string
    organisationId: number
    ownerId: number | undefined
    redirectUris: readonly string[]
  },
  { get }: Pick<Environment, 'get'>,
) {
  const { kind, description, ownerId, ...app } = what
  const made = await addApp(
    tx,
    who,
    {
      ...app,
      owner: ownerId,
      status: 'pending',
      origins: [],
      isBasicEnabled: false,
      isImplicitEnabled: false,
      isDeviceEnabled: false,
      isPublic: false,
      // The platform starts the sign-in of a plugin's users, so the plugin cannot have a PKCE verifier.
      isPkceRequired: false,
      areSecretsSealed: true,
    },
    get(secretKeys),
  )
  const { clientId, appId, secret } = made
  const row = await tx.first(store.insertPlugin, { app: appId, kind, description, now: who.at })
  return { clientId, clientSecret: secret!, appId, pluginId: row!.id }
}

export async function changePlugin(
  db: Db,
  who: PersonCaller,
  what: ChangePlugin,
  environment: Environment,
): Promise<Plugin> {
  const { kind } = await readManaged(db, who, what.clientId)
  await checkFields(kind as PluginKind, what, environment)
  const name = what.name === undefined ? undefined : readName(what.name)
  checkSettings({ name, redirectUris: what.redirectUris })
  return db.transaction(async (tx) => {
    const plugin = await lockManaged(tx, who, what.clientId)
    await changeApp(tx, who, { appId: plugin.app_id, name, redirectUris: what.redirectUris })
    const { description } = what
    if (description !== undefined) await tx.first(store.changePlugin, { plugin: plugin.id, description, active: null })
    await writeFields(tx, who, plugin, what)
    const changed = await readManaged(tx, who, what.clientId)
    if (changed.is_active) refuseIncomplete(changed)
    return toPlugin(changed)
  })
}

async function writeFields(
  tx: Tx,
  who: Caller,
  plugin: { id: number; app_id: number },
  { addresses = {}, permissions }: Fields,
) {
  const audit = (entry: Pick<AuditEntry, 'action' | 'detail'>) =>
    recordAudit(tx, who, { ...entry, appId: plugin.app_id })
  for (const [purpose, uri] of Object.entries(addresses)) {
    const address = { plugin: plugin.id, purpose }
    if (typeof uri === 'string') await tx.first(store.setAddress, { ...address, uri })
    else await tx.first(store.deleteAddress, address)
    await audit({ action: 'plugin.address', detail: { purpose, uri } })
  }
  if (permissions === undefined) return
  await tx.all(store.requestPermissions, { plugin: plugin.id, permissions: [...permissions], now: who.at })
  await audit({ action: 'plugin.permissions-asked', detail: { permissions: permissions.join(' ') } })
}

/** Throws if the plugin lacks something that an active plugin needs. */
function refuseIncomplete(row: RowOf<typeof store.findManaged>): void {
  const { kind, addresses, permissions, redirectUris } = toPlugin(row)
  const missing = findMissing({
    kind: kind as PluginKind,
    granted: permissions.flatMap(({ permission, grantedDate }) => (grantedDate === null ? [] : [permission])),
    purposes: addresses.map(({ purpose }) => purpose),
    redirectUris,
  })
  if (missing) throw fail('impossibleNow', `An active plugin needs ${missing}`)
}

export function activatePlugin(db: Db, who: PersonCaller, what: ActivatePlugin): Promise<Plugin> {
  return db.transaction(async (tx) => {
    const plugin = await lockManaged(tx, who, what.clientId)
    if (what.active) refuseIncomplete(plugin)
    await tx.first(store.changePlugin, { plugin: plugin.id, description: null, active: what.active })
    const action = what.active ? 'plugin.activated' : 'plugin.deactivated'
    await recordAudit(tx, who, { action, appId: plugin.app_id })
    return toPlugin({ ...plugin, is_active: what.active })
  })
}

/** Deletes the plugin with everything that belongs to it. */
export async function removePlugin(db: Db, who: PersonCaller, what: NamePlugin): Promise<void> {
  await readManaged(db, who, what.clientId)
  await removeApp(db, who, what)
}

/** Adds a second secret. Both are valid until the old one is dropped, so that the plugin can switch over. */
export function addSecret(
  db: Db,
  who: PersonCaller,
  what: NamePlugin,
  environment: Environment,
): Promise<NewPluginSecret> {
  return db.transaction(async (tx) => {
    await lockManaged(tx, who, what.clientId)
    return { clientSecret: await addAppSecret(tx, who, what, environment.get(secretKeys)) }
  })
}

/** Deletes all secrets but the newest, which the platform then uses. */
export function dropOldSecrets(db: Db, who: PersonCaller, what: NamePlugin): Promise<Plugin> {
  return db.transaction(async (tx) => {
    await lockManaged(tx, who, what.clientId)
    await dropOldAppSecrets(tx, who, what)
    return readPlugin(tx, who, what)
  })
}

/**
 * Grants these permissions to a plugin and revokes all others; only administrators may do this. Throws if the plugin
 * has not requested all of them. The first grant also approves the plugin.
 */
export function grantPermissions(db: Db, who: PersonCaller, what: GrantPermissions): Promise<Plugin> {
  const { clientId } = what
  return db.transaction(async (tx) => {
    await tx.first(store.lockPlugin, { client: clientId })
    const plugin = await tx.first(store.findByClientId, { client: clientId })
    if (!plugin) throw fail('notFound', 'There is no plugin with this client ID')
    const unknown = what.permissions.find((one) => !plugin.asked.includes(one))
    if (unknown !== undefined)
      throw fail(
        'validationFailed',
        `The plugin does not request ${unknown}; it requests ${plugin.asked.join(', ') || 'nothing'}`,
      )
    await tx.all(store.grantPermissions, { plugin: plugin.id, permissions: [...what.permissions], now: who.at })
    const detail = { by: who.personId, permissions: what.permissions.join(' ') }
    await recordAudit(tx, who, { action: 'plugin.permissions-granted', appId: plugin.app_id, detail })
    if (plugin.status === 'pending' && what.permissions.length > 0)
      await setAppStatus(tx, who, { clientId, status: 'approved' })
    return readPlugin(tx, who, { clientId })
  })
}

/**
 * Gives a plugin access to the people of an organisation, or takes it away. Only owners of the organisation and
 * administrators may do so.
 */
export function giveOrganisation(db: Db, who: PersonCaller, what: GiveOrganisation): Promise<void> {
  return db.transaction(async (tx) => {
    const organisation = await tx.first(store.findOrganisation, {
      developers: memberRoles(DEVELOPERS),
      person: who.personId,
      organisation: what.organisation,
    })
    if (!organisation?.owns) throw fail('forbidden', 'There is no organisation with this key, or you do not own it')
    const plugin = await tx.first(store.findByClientId, { client: what.clientId })
    if (!plugin) throw fail('notFound', 'There is no plugin with this client ID')
    const both = { plugin: plugin.id, organisation: organisation.id }
    if (what.given) await tx.first(store.giveOrganisation, { ...both, now: who.at })
    else await tx.first(store.takeOrganisation, both)
    const detail = { by: who.personId, organisation: what.organisation, given: what.given }
    await recordAudit(tx, who, { action: 'plugin.organisation', appId: plugin.app_id, detail })
  })
}

/** Parses JSON from PostgreSQL and normalises its dates to ISO 8601 in UTC. */
const readDated = <T>(text: string): T =>
  JSON.parse(text, (name, value) =>
    typeof value === 'string' && /(?:Date|Since)$/.test(name) ? new Date(value).toISOString() : value,
  )

const toPlugin = (row: RowOf<typeof store.findManaged>): Plugin => ({
  clientId: row.client_id,
  kind: row.kind,
  name: row.name,
  description: row.description,
  organisation: row.organisation,
  organisationName: row.organisation_name,
  owner: row.owner,
  status: row.status,
  active: row.is_active,
  addresses: readDated(row.addresses),
  redirectUris: row.redirect_uris,
  permissions: readDated(row.permissions),
  organisations: row.organisations,
  secrets: readDated(row.secrets),
  createdDate: row.created_at,
})
