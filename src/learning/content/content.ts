import { readByKey } from '../../apps/organisations/organisations.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { wordsIn } from '../../kernel/database/words.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { readToken, signFile } from './links.ts'
import { TYPE_GROUPS } from './media-types.ts'
import { type FileAccess, mayDelete, mayUseFiles } from './roles.ts'
import type {
  FileUsage,
  LinkedFile,
  ListFiles,
  ListOrganisationStorage,
  NameFile,
  NameOrganisation,
  OrganisationStorage,
  SetFileLimit,
  StoredFile,
} from './schema.ts'
import * as store from './store.ts'

const NO_ACCESS = 'There is no organisation with this key, or you cannot use its files'

/** Reads an organisation whose files the caller may use. */
export async function readAccess(db: Db, who: PersonCaller, organisation: string) {
  const row = await db.first(store.findAccess, { person: who.personId, organisation })
  if (!row || !mayUseFiles(row)) throw fail('forbidden', NO_ACCESS)
  return row
}

interface FileKeys {
  /** Key of the organisation. Files of other organisations are not found. */
  readonly organisation: string
  readonly keys: readonly string[]
}

/** Finds files by their ids, for other rooms. */
export const findFiles = (db: Db, { organisation, keys }: FileKeys) =>
  db.all(store.findFiles, { organisation, keys: [...keys] })

/** Finds files by their ids, with URLs for somebody who may read them. */
export async function linkFiles(db: Db, what: FileKeys, environment: Environment): Promise<LinkedFile[]> {
  const files = await findFiles(db, what)
  return files.map((file) => ({
    fileId: file.key,
    name: file.name,
    mediaType: file.media_type,
    bytes: file.bytes,
    url: signFile(environment, file),
  }))
}

/** Returns the types of files of the organisation of a course. Until the transaction ends, they cannot be deleted. */
export async function lockFiles(
  tx: Tx,
  { course, keys }: { readonly course: number; readonly keys: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  if (keys.length === 0) return new Map()
  const files = await tx.all(store.lockFiles, { course, keys: [...new Set(keys)].sort() })
  return new Map(files.map(({ key, media_type: mediaType }) => [key, mediaType]))
}

/** Finds the file of a link that has not expired. */
export async function findLinked(environment: Environment, token: string) {
  const link = readToken(environment, 'content links', token)
  const file = link && (await environment.db.first(store.findByKey, { key: link.key }))
  return file && { ...file, expiresMs: link.expiresMs }
}

export async function listFiles(
  db: Db,
  who: PersonCaller,
  what: ListFiles,
  environment: Environment,
): Promise<Page<StoredFile>> {
  const access = await readAccess(db, who, what.organisation)
  const rows = await db.all(store.listFiles[what.sort ?? '-created'], {
    person: who.personId,
    organisation: access.id,
    words: wordsIn(what.query),
    types: what.type === undefined ? null : [...TYPE_GROUPS[what.type]],
    keys: what.fileIds === undefined ? null : [...what.fileIds],
    ...spanOf(what),
  })
  return pageOf(
    rows.map((row) => toFile(row, access, environment)),
    rows[0]?.total ?? 0,
    what,
  )
}

export async function readFile(db: Db, who: PersonCaller, key: string, access: FileAccess, environment: Environment) {
  return toFile((await db.first(store.findFile, { person: who.personId, key }))!, access, environment)
}

/** Deletes a file. Its bytes are deleted by upkeep, unless another file has the same content. */
export function deleteFile(db: Db, who: PersonCaller, { fileId }: NameFile): Promise<void> {
  return db.transaction(async (tx) => {
    const file = await tx.first(store.findFile, { person: who.personId, key: fileId })
    const access = file && (await tx.first(store.findAccess, { person: who.personId, organisation: file.organisation }))
    if (!file || !access || !mayUseFiles(access))
      throw fail('forbidden', 'There is no file with this id, or you cannot use it')
    if (!mayDelete(access, file.is_author))
      throw fail('forbidden', 'Only the owners of the organisation and the person who uploaded a file can delete it')
    await tx.first(store.lockStorage, { organisation: access.id })
    await tx.first(store.lockFile, { file: file.id })
    const use = await tx.first(store.findUse, { key: fileId })
    if (use)
      throw fail(
        'impossibleNow',
        `The lesson ${use.lesson} of the course ${use.course} uses this file, so it cannot be deleted`,
      )
    const gone = await tx.first(store.deleteFile, { file: file.id })
    if (!gone) return
    await tx.first(store.changeUsed, { organisation: access.id, bytes: -gone.bytes })
    const detail = { organisation: file.organisation, before: file.name }
    await recordAudit(tx, who, { action: 'file.removed', personId: who.personId, detail })
  })
}

export async function readFileUsage(
  db: Db,
  who: PersonCaller,
  what: NameOrganisation,
  environment: Environment,
): Promise<FileUsage> {
  return toUsage(await readAccess(db, who, what.organisation), environment)
}

/** Lists how much storage organisations use, for administrators. */
export async function listOrganisationStorage(
  db: Db,
  what: ListOrganisationStorage,
  environment: Environment,
): Promise<Page<OrganisationStorage>> {
  const statement = store.listStorage[what.sort ?? '-used']
  const rows = await db.all(statement, { words: wordsIn(what.query), ...spanOf(what) })
  const docs = rows.map((row) => {
    const { organisation, usedBytes, limitBytes } = toUsage(row, environment)
    const { name, files, packages } = row
    return { organisation, name, usedBytes, limitBytes, ownLimit: row.limit !== null, files, packages }
  })
  return pageOf(docs, rows[0]?.total ?? 0, what)
}

/** Sets the storage of an organisation. Files that exceed it stay. */
export function setFileLimit(
  db: Db,
  who: PersonCaller,
  { organisation, limitBytes }: SetFileLimit,
  environment: Environment,
): Promise<FileUsage> {
  return db.transaction(async (tx) => {
    const { id, key } = await readByKey(tx, organisation)
    const { used, limit } = (await tx.first(store.lockStorage, { organisation: id }))!
    const after = limitBytes ?? null
    await tx.first(store.setLimit, { organisation: id, limit: after })
    const detail = { organisation: key, before: limit, after }
    await recordAudit(tx, who, { action: 'organisation.storage', personId: who.personId, detail })
    return toUsage({ key, used, limit: after }, environment)
  })
}

export const toUsage = (
  row: { readonly key: string; readonly used: number | null; readonly limit: number | null },
  { config }: Environment,
): FileUsage => ({
  organisation: row.key,
  usedBytes: row.used ?? 0,
  limitBytes: row.limit ?? config.ORGANISATION_FILES_BYTES,
  largestFileBytes: config.FILE_BYTES,
})

type FileRow = Omit<RowOf<typeof store.findFile>, 'id' | 'organisation_id'>

const toFile = (row: FileRow, access: FileAccess, environment: Environment): StoredFile => ({
  fileId: row.key,
  organisation: row.organisation,
  name: row.name,
  mediaType: row.media_type,
  bytes: row.bytes,
  url: signFile(environment, row),
  author: row.author,
  createdDate: row.created_at,
  may: { delete: mayDelete(access, row.is_author) },
})
