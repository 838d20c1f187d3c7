import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { wordsIn } from '../../kernel/database/words.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { readAccess } from '../content/content.ts'
import { readFilesOrigin, readPackageOrigin, readToken, signKey } from '../content/links.ts'
import { type FileAccess, mayDelete } from '../content/roles.ts'
import { freeStorage } from '../content/upload.ts'
import type { ReadItem, ReadPackage } from './importing.ts'
import type {
  ContentPackage,
  ListPackageItems,
  ListPackages,
  NamePackage,
  PackageDetails,
  PackageItem,
} from './schema.ts'
import * as store from './store.ts'

/** Lists the packages of an organisation, newest first. */
export async function listPackages(db: Db, who: PersonCaller, what: ListPackages): Promise<Page<ContentPackage>> {
  const access = await readAccess(db, who, what.organisation)
  const rows = await db.all(store.listPackages, {
    person: who.personId,
    organisation: access.id,
    words: wordsIn(what.query),
    ...spanOf(what),
  })
  return pageOf(
    rows.map((row) => toPackage(row, access)),
    rows[0]?.total ?? 0,
    what,
  )
}

const NO_PACKAGE = 'There is no package with this id, or you cannot use it'

/** Finds a package that the caller may use, with the caller's rights. */
async function findUsable(db: Db, who: PersonCaller, key: string) {
  const row = await db.first(store.findPackage, { person: who.personId, key })
  if (!row) throw fail('forbidden', NO_PACKAGE)
  const access = await readAccess(db, who, row.organisation).catch((problem) => {
    throw problem.kind === 'forbidden' ? fail('forbidden', NO_PACKAGE) : problem
  })
  return { row, access }
}

export async function readPackage(
  db: Db,
  who: PersonCaller,
  { packageId }: NamePackage,
  environment: Environment,
): Promise<PackageDetails> {
  const { row, access } = await findUsable(db, who, packageId)
  const found = await db.first(store.findStructure, { package: row.id })
  const usage = (await db.first(store.findCourses, { person: who.personId, package: row.id }))!
  const structure = JSON.parse(found!.structure) as ReadPackage['structure']
  const { id, title, description, objectives, notes } = structure
  return {
    ...toPackage({ ...row, ...usage }, access),
    url: `${readFilesOrigin(environment)}/o/${signKey(environment, 'package originals', row.key)}/${encodeURIComponent(row.name)}`,
    ...('edition' in structure && { edition: structure.edition }),
    // Packages of the release before this one have no notes.
    notes: [...(notes ?? [])],
    course: { id, title, description, objectives: [...objectives] },
  }
}

/** Reads what an operator sees of a package. */
export async function readPackageUnchecked(db: Db, key: string) {
  const row = (await db.first(store.findPackage, { person: null, key }))!
  const found = await db.first(store.findStructure, { package: row.id })
  const { notes } = JSON.parse(found!.structure) as ReadPackage['structure']
  return { ...row, notes: notes ?? [] }
}

/** Lists the blocks and units of a package, in the order of the document. */
export async function listPackageItems(db: Db, who: PersonCaller, what: ListPackageItems): Promise<Page<PackageItem>> {
  const { row } = await findUsable(db, who, what.packageId)
  const rows = await db.all(store.listItems, { package: row.id, ...spanOf(what) })
  return pageOf(rows.map(toItem), row.units + row.blocks, what)
}

/** The kinds of items by their positions, for each package by its id. */
export type PackageItems = ReadonlyMap<string, ReadonlyMap<number, string>>

interface WantedItems {
  /** Key of the organisation. Packages of other organisations are not found. */
  readonly organisation: string
  readonly items: readonly { readonly package: string; readonly item: number }[]
}

/** Finds items of packages, for the lessons that show them. */
export const findItems = async (db: Db, what: WantedItems): Promise<PackageItems> =>
  toItems(await db.all(store.findItems, toWanted(what)))

/** Finds items of packages. Until the transaction ends, these packages cannot be deleted. */
export const lockItems = async (tx: Tx, what: WantedItems): Promise<PackageItems> =>
  toItems(await tx.all(store.lockItems, toWanted(what)))

const toWanted = ({ organisation, items }: WantedItems) => ({
  organisation,
  wanted: JSON.stringify(items.map((one) => ({ key: one.package, position: one.item }))),
})

const toItems = (rows: readonly RowOf<typeof store.findItems>[]): PackageItems =>
  new Map(
    [...Map.groupBy(rows, ({ key }) => key)].map(([key, items]) => [
      key,
      new Map(items.flatMap(({ position, kind }) => (kind === null ? [] : [[position, kind]]))),
    ]),
  )

/** Deletes a package. Its files are deleted by upkeep, unless others have the same content. */
export async function deletePackage(db: Db, who: PersonCaller, { packageId }: NamePackage): Promise<void> {
  const { row, access } = await findUsable(db, who, packageId)
  if (!mayDelete(access, row.is_author))
    throw fail('forbidden', 'Only the owners of the organisation and the person who uploaded a package can delete it')
  await db.transaction(async (tx) => {
    // Uploads to the organisation wait here, so that none of them finds the package that is being deleted.
    await freeStorage(tx, access, 0)
    await tx.first(store.lockPackage, { package: row.id })
    await refuseIfUsed(tx, who, row.id)
    const gone = await tx.first(store.deletePackage, { package: row.id })
    if (!gone) return
    await freeStorage(tx, access, gone.stored_bytes)
    const detail = { organisation: row.organisation, before: row.title }
    await recordAudit(tx, who, { action: 'package.removed', personId: who.personId, detail })
  })
}

async function refuseIfUsed(tx: Tx, who: PersonCaller, id: number): Promise<void> {
  const use = await tx.first(store.findCourses, { person: who.personId, package: id })
  if (!use || use.course_count === 0) return
  const names = toCourses(use).map(({ name }) => name)
  const others = use.course_count - names.length
  if (others > 0) names.push(others === 1 ? 'another course' : `${others} other courses`)
  throw fail(
    'impossibleNow',
    `The package is used by ${names.join(', ')}. Remove its lessons from drafts, and delete the courses that were published with it; then it can be deleted`,
  )
}

/**
 * Returns the URL of the files of a package: the path of a file follows it. Everybody can read them until it expires.
 * The caller decides who gets it.
 */
export const signPackage = (environment: Environment, { key }: { readonly key: string }): string =>
  `${readPackageOrigin(environment, key)}/p/${signKey(environment, 'package links', key)}/`

/** Returns whether a token of `signPackage` is valid and has not expired. */
export const isPackageToken = (environment: Environment, token: string): boolean =>
  readToken(environment, 'package links', token) !== undefined

/** Finds a file of a package by a token of `signPackage` that has not expired. */
export async function findPackageFile(environment: Environment, token: string, path: string) {
  const link = readToken(environment, 'package links', token)
  const file = link && (await environment.db.first(store.findFile, { key: link.key, path }))
  return file && { ...file, expiresMs: link.expiresMs }
}

/** Finds the uploaded file of a package by a token that has not expired. */
export async function findOriginal(environment: Environment, token: string) {
  const link = readToken(environment, 'package originals', token)
  const file = link && (await environment.db.first(store.findOriginal, { key: link.key }))
  return file && { ...file, expiresMs: link.expiresMs }
}

type PackageRow = Omit<RowOf<typeof store.listPackages>, 'total'>

const toCourses = ({ courses }: Pick<PackageRow, 'courses'>): ContentPackage['courses'] => JSON.parse(courses)

const toPackage = (row: PackageRow, access: FileAccess): ContentPackage => ({
  packageId: row.key,
  organisation: row.organisation,
  kind: row.kind,
  title: row.title,
  name: row.name,
  bytes: row.bytes,
  storedBytes: row.stored_bytes,
  files: row.files,
  units: row.units,
  blocks: row.blocks,
  author: row.author,
  createdDate: row.created_at,
  courses: toCourses(row),
  courseCount: row.course_count,
  may: { delete: mayDelete(access, row.is_author) },
})

function toItem({ position, parent, kind, item }: RowOf<typeof store.listItems>): PackageItem {
  const { objectives, requires, collateralCredit, ...shown } = JSON.parse(item) as ReadItem['item']
  return {
    // The serializer leaves out fields that the schema does not declare, such as the sequencing.
    ...{ position, parent, kind, ...shown },
    ...{ objectives: [...objectives], requires: [...requires], collateralCredit: [...collateralCredit] },
  }
}
