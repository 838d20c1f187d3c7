import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { wordsIn } from '../../kernel/database/words.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { readAccess } from '../content/content.ts'
import { readContentUrl, readToken, signKey } from '../content/links.ts'
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
  const { id, title, description, objectives } = JSON.parse(found!.structure) as ReadPackage['structure']
  return {
    ...toPackage(row, access),
    url: `${readContentUrl(environment)}/o/${signKey(environment, 'package originals', row.key)}/${encodeURIComponent(row.name)}`,
    course: { id, title, description, objectives: [...objectives] },
  }
}

/** Reads what an operator sees of a package. */
export const readPackageUnchecked = async (db: Db, key: string) =>
  (await db.first(store.findPackage, { person: null, key }))!

/** Lists the blocks and units of a package, in the order of the document. */
export async function listPackageItems(db: Db, who: PersonCaller, what: ListPackageItems): Promise<Page<PackageItem>> {
  const { row } = await findUsable(db, who, what.packageId)
  const rows = await db.all(store.listItems, { package: row.id, ...spanOf(what) })
  return pageOf(rows.map(toItem), row.units + row.blocks, what)
}

/** Deletes a package. Its files are deleted by upkeep, unless others have the same content. */
export async function deletePackage(db: Db, who: PersonCaller, { packageId }: NamePackage): Promise<void> {
  const { row, access } = await findUsable(db, who, packageId)
  if (!mayDelete(access, row.is_author))
    throw fail('forbidden', 'Only the owners of the organisation and the person who uploaded a package can delete it')
  await db.transaction(async (tx) => {
    // Uploads to the organisation wait here, so that none of them finds the package that is being deleted.
    await freeStorage(tx, access, 0)
    const gone = await tx.first(store.deletePackage, { package: row.id })
    if (!gone) return
    await freeStorage(tx, access, gone.stored_bytes)
    const detail = { organisation: row.organisation, before: row.title }
    await recordAudit(tx, who, { action: 'package.removed', personId: who.personId, detail })
  })
}

/**
 * Returns the URL of the files of a package: the path of a file follows it. Everybody can read them until it expires.
 * The caller decides who gets it.
 */
export const signPackage = (environment: Environment, { key }: { readonly key: string }): string =>
  `${readContentUrl(environment)}/p/${signKey(environment, 'package links', key)}/`

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

type PackageRow = Omit<RowOf<typeof store.findPackage>, 'id'>

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
  may: { delete: mayDelete(access, row.is_author) },
})

function toItem({ position, parent, kind, item }: RowOf<typeof store.listItems>): PackageItem {
  const { path: _path, extensions: _extensions, ...shown } = JSON.parse(item) as ReadItem['item'] & { path?: string }
  const { objectives, requires, collateralCredit } = shown
  return {
    ...{ position, parent, kind, ...shown },
    ...{ objectives: [...objectives], requires: [...requires], collateralCredit: [...collateralCredit] },
  }
}
