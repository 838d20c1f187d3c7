import { normaliseHandle } from '../../identity/people/handles.ts'
import { endEverything } from '../../identity/people/people.ts'
import type { AuditAction } from '../../kernel/audit/actions.ts'
import { type AuditEntry, recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { readLine } from '../../kernel/lines.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { type SecretSeal, secretSeal } from '../apps/secrets.ts'
import { lockManaged, readManaged } from '../organisations/organisations.ts'
import { discover, sealName } from './discovery.ts'
import { addressesOf, type Metadata, readGroupRoles, readIssuer, toDomain } from './rules.ts'
import {
  isHigher,
  type ListFailures,
  type NameIdentity,
  type NameProvider,
  type Provider,
  type ProviderFailure,
  type SetProvider,
  type SetProviderMode,
} from './schema.ts'
import * as store from './store.ts'

/** Reads what the owners of an organisation see of its provider, also while none is connected. */
export async function readProvider(
  db: Db,
  who: PersonCaller,
  { organisation }: NameProvider,
  environment: Pick<Environment, 'url'>,
): Promise<Provider> {
  return present(db, await readManaged(db, who, organisation), environment)
}

/** Returns what the owners see of the provider of an organisation. */
export async function present(
  db: Db,
  { id, key }: { readonly id: number; readonly key: string },
  environment: Pick<Environment, 'url'>,
): Promise<Provider> {
  const row = await db.first(store.findProvider, { organisation: key })
  const use = await db.first(store.findUse, { organisation: id })
  const breakGlass = await db.all(store.listBreakGlass, { organisation: id })
  const domains = await db.all(store.listDomains, { organisation: id })
  return {
    organisation: key,
    issuer: row?.issuer ?? null,
    clientId: row?.client_id ?? null,
    mode: (row?.mode ?? 'off') as Provider['mode'],
    createsAccounts: row?.creates_accounts ?? false,
    groupsClaim: row?.groups_claim ?? null,
    groupRoles: row ? (JSON.parse(row.group_roles) as Provider['groupRoles']) : [],
    testedDate: row && row.tested_version === row.version ? (use?.tested_at ?? null) : null,
    breakGlass: breakGlass.map(({ handle }) => handle),
    domains: domains.map(toDomain),
    ...addressesOf(environment.url, key),
    people: use?.people ?? 0,
  }
}

/** Connects a provider, or changes its settings. Another issuer or client has to be tested before people can use it. */
export async function setProvider(
  db: Db,
  who: PersonCaller,
  what: SetProvider,
  environment: Environment,
): Promise<Provider> {
  await readManaged(db, who, what.organisation)
  const read = readSettings(what)
  // The provider is asked before the transaction, which must not wait for other servers.
  const metadata = what.issuer === undefined ? undefined : await discover(environment, readIssuer(what.issuer))
  return db.transaction(async (tx) => {
    const organisation = await lockManaged(tx, who, what.organisation)
    const before = await tx.first(store.findProvider, { organisation: organisation.key })
    const after = change(before, what, { ...read, metadata })
    const isReplaced = before !== undefined && before.version !== after.version
    const seal = environment.get(secretSeal)
    const isNewSecret =
      before !== undefined &&
      after.secret !== undefined &&
      seal.open(sealName(organisation.key), before.sealed_secret) !== after.secret
    await tx.first(store.setProvider, {
      organisation: organisation.id,
      issuer: after.metadata.issuer,
      client: after.client,
      secret: after.secret === undefined ? before!.sealed_secret : seal.seal(sealName(organisation.key), after.secret),
      metadata: JSON.stringify(after.metadata),
      readAt: metadata ? who.at : before!.read_at,
      mode: isReplaced ? 'off' : (before?.mode ?? 'off'),
      creates: after.creates,
      claim: after.claim,
      roles: JSON.stringify(after.roles),
      version: after.version,
      isTested: hasSameClaims(before, after) && !isNewSecret,
      now: who.at,
    })
    await audit(tx, who, before ? 'provider.changed' : 'provider.connected', {
      organisation: organisation.key,
      issuer: after.metadata.issuer,
      clientId: after.client,
      createsAccounts: after.creates,
      groupsClaim: after.claim,
      groups: after.roles.length,
      ...(before && after.secret !== undefined && { secret: 'changed' }),
      ...(isReplaced && { before: before.issuer, mode: 'off' }),
    })
    return present(tx, organisation, environment)
  })
}

/** Whether the provider, its client and the groups stay the same, which a test has shown to work. */
const hasSameClaims = (before: store.ProviderRow | undefined, after: ReturnType<typeof change>): boolean =>
  before?.version === after.version &&
  before.groups_claim === after.claim &&
  before.group_roles === JSON.stringify(after.roles)

/** Checks the settings that do not depend on those that are stored. */
const readSettings = (what: SetProvider) => ({
  client: what.clientId === undefined ? undefined : readLine('clientId', what.clientId),
  secret: what.clientSecret === undefined ? undefined : readSecret(what.clientSecret),
  claim: what.groupsClaim === undefined ? undefined : readLine('groupsClaim', what.groupsClaim) || null,
  roles: what.groupRoles === undefined ? undefined : readGroupRoles(what.groupRoles),
})

function readSecret(text: string): string | undefined {
  if (!/^[\x20-\x7e]*$/.test(text)) throw fail('validationFailed', 'clientSecret must have plain characters only')
  return text.trim() || undefined
}

/** The settings after a change. Fields that are left out stay the same. */
function change(
  before: store.ProviderRow | undefined,
  what: SetProvider,
  read: ReturnType<typeof readSettings> & { readonly metadata: Metadata | undefined },
) {
  const metadata = read.metadata ?? (before && (JSON.parse(before.metadata) as Metadata))
  const client = read.client || before?.client_id
  if (!metadata) throw fail('parameterMissing', 'issuer is missing')
  if (client === undefined) throw fail('parameterMissing', 'clientId is missing')
  const isSame = before?.issuer === metadata.issuer && before.client_id === client
  // The stored secret must not be sent to another server because somebody changed the address.
  if (!isSame && read.secret === undefined)
    throw fail('parameterMissing', 'clientSecret is missing: another issuer or client needs its own')
  return {
    metadata,
    client,
    secret: read.secret,
    creates: what.createsAccounts ?? before?.creates_accounts ?? false,
    claim: read.claim === undefined ? (before?.groups_claim ?? null) : read.claim,
    roles: read.roles ?? (before ? readGroupRoles(JSON.parse(before.group_roles)) : []),
    version: isSame ? before.version : (before?.version ?? 0) + 1,
  }
}

/** Turns a provider on or off, and sets the break-glass accounts. */
export function setProviderMode(
  db: Db,
  who: PersonCaller,
  what: SetProviderMode,
  environment: Pick<Environment, 'url'>,
): Promise<Provider> {
  return db.transaction(async (tx) => {
    const organisation = await lockManaged(tx, who, what.organisation)
    const row = await tx.first(store.findProvider, { organisation: organisation.key })
    if (!row) throw fail('impossibleNow', 'No provider is connected: connect one first')
    if (what.breakGlass) await setBreakGlass(tx, organisation.id, what.breakGlass)
    // Settings that were changed must not shut out the owners who want to lower the mode.
    if (isHigher(what.mode, row.mode) && row.tested_version !== row.version)
      throw fail('impossibleNow', 'Test the provider with an account first')
    const breakGlass = await tx.all(store.listBreakGlass, { organisation: organisation.id })
    if (what.mode === 'enforced' && !breakGlass.some((one) => one.is_usable))
      throw fail(
        'impossibleNow',
        breakGlass.length === 0
          ? 'Choose at least one owner who can still sign in without the provider, in case it fails'
          : 'None of the break-glass accounts has a password or a passkey: let one of these owners set a password first',
      )
    await tx.first(store.setMode, { organisation: organisation.id, mode: what.mode, now: who.at })
    await audit(tx, who, 'provider.mode', {
      organisation: organisation.key,
      before: row.mode,
      after: what.mode,
      breakGlass: breakGlass.map(({ handle }) => handle).join(' '),
    })
    return present(tx, organisation, environment)
  })
}

async function setBreakGlass(tx: Tx, organisation: number, given: readonly string[]): Promise<void> {
  const handles = [...new Set(given.map(normaliseHandle))]
  const owners = await tx.all(store.findOwners, { organisation, handles })
  const other = handles.find((handle) => !owners.some((owner) => owner.handle_key === handle))
  if (other !== undefined)
    throw fail(
      'validationFailed',
      `@${other} is not an owner of this organisation: choose owners as break-glass accounts`,
    )
  await tx.all(store.replaceBreakGlass, { organisation, people: owners.map((owner) => owner.person_id) })
}

/** Disconnects a provider. Its people keep their accounts and their other ways to sign in. */
export function removeProvider(db: Db, who: PersonCaller, { organisation }: NameProvider): Promise<void> {
  return db.transaction(async (tx) => {
    const { id, key } = await lockManaged(tx, who, organisation)
    const gone = await tx.first(store.deleteProvider, { organisation: id })
    if (!gone) throw fail('notFound', 'No provider is connected')
    await audit(tx, who, 'provider.removed', { organisation: key, before: gone.issuer, people: gone.people })
  })
}

/** Disconnects a member from the provider, and ends their sessions. */
export function unlinkIdentity(db: Db, who: PersonCaller, what: NameIdentity): Promise<void> {
  return db.transaction(async (tx) => {
    const { id, key } = await lockManaged(tx, who, what.organisation)
    const gone = await tx.first(store.deleteIdentity, { organisation: id, handle: normaliseHandle(what.handle) })
    if (!gone) throw fail('notFound', 'No member with this handle has signed in with the provider')
    const detail = { organisation: key, by: who.personId }
    await recordAudit(tx, who, { action: 'provider.unlinked', personId: gone.person_id, detail })
    await endEverything(tx, who, { handle: gone.handle, detail })
  })
}

/** Lists recent sign-ins that failed, newest first. */
export async function listFailures(db: Db, who: PersonCaller, what: ListFailures): Promise<Page<ProviderFailure>> {
  const { id } = await readManaged(db, who, what.organisation)
  const rows = await db.all(store.listFailures, { organisation: id, ...spanOf(what) })
  const failures = rows.map(({ at: date, total: _, ...failure }): ProviderFailure => ({ date, ...failure }))
  return pageOf(failures, rows[0]?.total ?? 0, what)
}

const audit = (tx: Tx, who: PersonCaller, action: AuditAction, detail: NonNullable<AuditEntry['detail']>) =>
  recordAudit(tx, who, { action, personId: who.personId, detail })

const RESEALED_AT_ONCE = 100

/** Encrypts client secrets of providers again with the current key. Returns how many. */
export async function resealProviders(db: Db, seal: SecretSeal): Promise<number> {
  let [count, after] = [0, 0]
  for (;;) {
    const rows = await db.all(store.listSealed, { after, limit: RESEALED_AT_ONCE })
    for (const { id, key, sealed_secret: before } of rows) {
      after = id
      if (seal.isCurrent(before)) continue
      const sealed = seal.seal(sealName(key), seal.open(sealName(key), before))
      if (await db.first(store.reseal, { organisation: id, before, sealed })) count++
    }
    if (rows.length < RESEALED_AT_ONCE) return count
  }
}
