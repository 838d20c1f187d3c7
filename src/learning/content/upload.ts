import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Caller, PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import type { Content } from '../../kernel/files/contents.ts'
import { removeUnusedFiles } from '../../kernel/files/removal.ts'
import { fileStore } from '../../kernel/files/storage.ts'
import { makeId } from '../../kernel/ids.ts'
import { readName } from '../../kernel/lines.ts'
import { readAccess, readFile, toUsage } from './content.ts'
import { readContentUrl } from './links.ts'
import { Inspector, nameFor } from './media-types.ts'
import { storageFull } from './rules.ts'
import type { StoredFile, UploadFile } from './schema.ts'
import * as store from './store.ts'
import { ABANDONED_MS, receive, runUpload, uploadFolder } from './temporary.ts'

/** Names of files without a folder, and without characters that no file system or header carries. */
const FORBIDDEN = /[/\\:*?"<>|]/g

/** A name for a file that a client has sent. */
export const readFileName = (name: string): string => readName(name).replaceAll(FORBIDDEN, '_')

/**
 * Stores a file of an organisation. It is streamed to a temporary file first, because its hash, type and size are known
 * only at its end. Sending the same file again returns the first one.
 */
export async function uploadFile(
  db: Db,
  who: PersonCaller,
  what: UploadFile,
  environment: Environment,
): Promise<StoredFile> {
  readContentUrl(environment)
  const given = readFileName(what.name)
  const access = await readAccess(db, who, what.organisation)
  const leftBytes = readRoom(access, what.file.bytes ?? 0, environment)
  const upload = { uploader: String(who.personId), bytes: what.file.bytes ?? 0 }
  return runUpload(environment, upload, async (newPath) => {
    const path = newPath()
    const inspector = new Inspector()
    const content = await receive(what.file, path, (chunk, bytes) => {
      if (bytes > leftBytes) throw storageFull(toUsage(access, environment))
      inspector.add(chunk)
    })
    if (content.bytes === 0) throw fail('parameterMissing', 'The file is empty')
    const type = await inspector.end(path, given)
    await keepContents(db, who, [{ ...content, path }], environment)
    const name = nameFor(given, type)
    const key = await insert(db, who, { access, name, mediaType: type.mediaType, ...content }, environment)
    return await readFile(db, who, key, access, environment)
  })
}

interface Storage {
  readonly id: number
  readonly key: string
  readonly used: number | null
  readonly limit: number | null
}

/** Reads the storage of an organisation. */
export async function readStorage(db: Db, { id, key }: Pick<Storage, 'id' | 'key'>): Promise<Storage> {
  return { id, key, ...((await db.first(store.findStorage, { organisation: id })) ?? { used: null, limit: null }) }
}

/** Returns how many bytes an organisation can still store. Refuses what is larger. */
export function readRoom(access: Storage, bytes: number, environment: Environment): number {
  const usage = toUsage(access, environment)
  const leftBytes = usage.limitBytes - usage.usedBytes
  if (bytes > leftBytes) throw storageFull(usage)
  return leftBytes
}

/** Moves files at once to the store that are to be written to it. */
const KEPT_AT_ONCE = 8

/**
 * Stores temporary files under their hashes. Until somebody refers to them, they are protected from upkeep for an hour.
 */
export async function keepContents(
  db: Db,
  who: Caller,
  contents: readonly (Content & { readonly path: string })[],
  environment: Environment,
): Promise<void> {
  const different = [...new Map(contents.map((one) => [one.sha256, one])).values()]
  const rows = different.map(({ sha256, bytes }) => ({ sha256, bytes }))
  await db.all(store.useContents, { rows: JSON.stringify(rows), now: who.at })
  const files = environment.get(fileStore)
  const left = different[Symbol.iterator]()
  const keepNext = async () => {
    for (const { sha256, bytes, path } of left) await files.keep({ sha256, bytes }, path)
  }
  await Promise.all(Array.from({ length: KEPT_AT_ONCE }, keepNext))
}

/** Locks the storage of an organisation, so that those who store something there take turns. */
export const lockStorage = (tx: Tx, { id }: Pick<Storage, 'id'>) => tx.first(store.lockStorage, { organisation: id })

/** Counts bytes towards the storage of an organisation, which is locked until the end of the transaction. */
export async function takeStorage(
  tx: Tx,
  { id, key }: Pick<Storage, 'id' | 'key'>,
  bytes: number,
  environment: Environment,
): Promise<void> {
  const storage = (await tx.first(store.lockStorage, { organisation: id }))!
  readRoom({ ...storage, id, key }, bytes, environment)
  await tx.first(store.changeUsed, { organisation: id, bytes })
}

/** Gives back the storage of something that was deleted. */
export async function freeStorage(tx: Tx, { id }: Pick<Storage, 'id'>, bytes: number): Promise<void> {
  await tx.first(store.lockStorage, { organisation: id })
  await tx.first(store.changeUsed, { organisation: id, bytes: -bytes })
}

interface NewFile {
  readonly access: { readonly id: number; readonly key: string }
  readonly name: string
  readonly mediaType: string
  readonly bytes: number
  readonly sha256: string
}

/** Adds a file if the organisation still has room for it. Uploads to one organisation take turns here. */
const insert = (db: Db, who: PersonCaller, file: NewFile, environment: Environment): Promise<string> =>
  db.transaction(async (tx) => {
    const { access, name, mediaType, bytes, sha256 } = file
    const organisation = access.id
    await lockStorage(tx, access)
    const same = await tx.first(store.findSame, { organisation, sha256, name })
    if (same) return same.key
    await takeStorage(tx, access, bytes, environment)
    const key = makeId()
    const person = who.personId
    await tx.first(store.insertFile, {
      key,
      organisation,
      name,
      media_type: mediaType,
      bytes,
      sha256,
      person,
      now: who.at,
    })
    return key
  })

const folderOfUploads = service(uploadFolder)

/** The limits of the settings, for imports. */
export const fileLimits = service(({ config }) => ({
  organisationBytes: config.ORGANISATION_FILES_BYTES,
  fileBytes: config.FILE_BYTES,
}))

/** Stores the bytes of an imported file. Can be repeated, because the part of an import may be written again. */
export async function keepBytes(
  tx: Tx,
  who: Caller,
  { sha256, bytes }: { readonly sha256: string; readonly bytes: Buffer },
  get: Environment['get'],
): Promise<void> {
  const content = { sha256, bytes: bytes.length }
  await tx.first(store.useContents, { rows: JSON.stringify([content]), now: who.at })
  const folder = get(folderOfUploads)
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${makeId()}.part`)
  try {
    await writeFile(path, bytes, { flag: 'wx', mode: 0o600, flush: true })
    await get(fileStore).keep(content, path)
  } finally {
    await rm(path, { force: true })
  }
}

/**
 * Deletes the bytes that no file refers to: of deleted files, and of uploads that failed after their bytes were stored.
 */
export async function removeUnused(environment: Environment): Promise<void> {
  const before = new Date(environment.clock().getTime() - ABANDONED_MS)
  const takeUnused = async (tx: Tx) => (await tx.first(store.deleteUnused, { before }))?.sha256
  await removeUnusedFiles(environment, environment.get(fileStore), takeUnused)
}
