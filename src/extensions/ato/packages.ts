import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { readLine, readName } from '../../kernel/lines.ts'
import { managed } from '../../kernel/managed.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { atoEvents } from './events.ts'
import { checkUri, MAX_DISTRIBUTIONS, MAX_PACKAGES } from './rules.ts'
import type {
  AddDistribution,
  AddPackage,
  Distribution,
  ListPackages,
  NamePackage,
  Package,
  PackageEntry,
  RemoveDistribution,
} from './schema.ts'
import * as store from './store.ts'

/** Reads and locks packages. Throws for packages of apps that the caller does not develop. */
const own = managed({
  find: (db, { person, key }) => db.first(store.findPackage, { person, package: key }),
  lock: (tx, key) => tx.first(store.lockPackage, { package: key }),
  refusal: 'There is no package with this id, or you do not work on its app',
})

/** Locks a package, and counts its distributions, requests and open requests. */
export async function lockPackage(tx: Tx, who: PersonCaller, packageId: string) {
  const row = await own.lock(tx, who, packageId)
  return { row, ...(await tx.first(store.countOfPackage, { package: row.id }))! }
}

export function addPackage(db: Db, who: PersonCaller, what: AddPackage): Promise<Package> {
  const name = readName(what.name)
  const phone = lineOrNull('companyPhone', what.companyPhone)
  return db.transaction(async (tx) => {
    const app = await tx.first(store.lockApp, { person: who.personId, client: what.clientId })
    if (!app) throw fail('forbidden', 'There is no app with this client ID, or you do not work on it')
    const { count } = (await tx.first(store.countPackages, { app: app.id }))!
    if (count >= MAX_PACKAGES)
      throw fail('impossibleNow', `An app can have at most ${MAX_PACKAGES} packages; delete one first`)
    const key = makeId()
    await tx.first(store.insertPackage, { key, app: app.id, name, phone, now: who.at })
    return readPackage(tx, who, { packageId: key })
  })
}

export async function readPackage(db: Db, who: PersonCaller, what: NamePackage): Promise<Package> {
  const row = await own.read(db, who, what.packageId)
  return { ...toEntry(row), distributions: await readDistributions(db, row.id) }
}

export async function listPackages(db: Db, who: PersonCaller, what: ListPackages): Promise<Page<PackageEntry>> {
  const rows = await db.all(store.listPackages, { person: who.personId, client: what.clientId, ...spanOf(what) })
  return pageOf(rows.map(toEntry), rows[0]?.total ?? 0, what)
}

/** Deletes the package with its distributions and closed requests. Throws while a request about the package is open. */
export function removePackage(db: Db, who: PersonCaller, what: NamePackage): Promise<void> {
  return db.transaction(async (tx) => {
    const { row, open } = await lockPackage(tx, who, what.packageId)
    if (open > 0) throw fail('impossibleNow', 'This package has an open request: cancel it first')
    await tx.first(store.deletePackage, { package: row.id })
  })
}

export function addDistribution(db: Db, who: PersonCaller, what: AddDistribution): Promise<Package> {
  const name = readName(what.name)
  const [platform, version] = [lineOrNull('platform', what.platform), lineOrNull('version', what.version)]
  checkUri(what.uri)
  return db.transaction(async (tx) => {
    const { row, distributions } = await lockPackage(tx, who, what.packageId)
    if (distributions >= MAX_DISTRIBUTIONS)
      throw fail('impossibleNow', `A package can have at most ${MAX_DISTRIBUTIONS} distributions; delete one first`)
    const key = makeId()
    const fields = { key, package: row.id, name, platform, version, uri: what.uri, now: who.at }
    await tx.first(store.insertDistribution, fields)
    const { distributions: all, ...entry } = await readPackage(tx, who, what)
    await notifyPlugins(tx, who, { packageId: row.id, kind: 'distribution-added', about: all.at(-1)!, all })
    return { ...entry, distributions: all }
  })
}

export async function removeDistribution(db: Db, who: PersonCaller, what: RemoveDistribution): Promise<Package> {
  const { distributionId: distribution } = what
  const notYours = () => fail('forbidden', 'There is no distribution with this id, or you do not work on its app')
  const found = await db.first(store.findPackageOfDistribution, { distribution })
  if (!found) throw notYours()
  const packageId = found.package
  return db.transaction(async (tx) => {
    await tx.first(store.lockPackage, { package: packageId })
    const row = await tx.first(store.findPackage, { person: who.personId, package: packageId })
    const before = row ? await readDistributions(tx, row.id) : []
    const about = before.find(({ id }) => id === distribution)
    if (!row || !about) throw notYours()
    await tx.first(store.deleteDistribution, { distribution })
    const all = before.filter((one) => one !== about)
    await notifyPlugins(tx, who, { packageId: row.id, kind: 'distribution-removed', about, all })
    return { ...toEntry(row), distributions: all }
  })
}

/** Queues the complete list of distributions for the plugin of every open request about the package. */
async function notifyPlugins(
  tx: Tx,
  who: PersonCaller,
  what: { packageId: number; kind: string; about: Distribution; all: readonly Distribution[] },
): Promise<void> {
  const requests = await tx.all(store.recordDistribution, {
    package: what.packageId,
    kind: what.kind,
    person: who.personId,
    now: who.at,
    detail: JSON.stringify({ distribution: what.about }),
  })
  const events = requests.flatMap(({ id, key, plugin_id: plugin }) => {
    // The plugin of this request was removed, so there is nobody to notify.
    if (plugin === null) return []
    const payload = { plugin, document: { requestId: key, distributions: what.all } }
    return [{ kind: 'distributions.changed' as const, subject: `request:${id}`, payload, at: who.at }]
  })
  await atoEvents.emit(tx, ...events)
}

export async function readDistributions(db: Db, packageId: number): Promise<Distribution[]> {
  const rows = await db.all(store.listDistributions, { package: packageId })
  return rows.map(({ key: id, name, platform, version, uri, added_at: added }) => ({
    id,
    name,
    platform,
    version,
    uri,
    addedDate: added,
  }))
}

const lineOrNull = (field: string, text: string | undefined): string | null => readLine(field, text ?? '') || null

const toEntry = (row: Omit<RowOf<typeof store.listPackages>, 'total'>): PackageEntry => ({
  packageId: row.key,
  clientId: row.client_id,
  name: row.name,
  companyPhone: row.phone,
  createdDate: row.created_at,
})
