import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Gate } from '../../kernel/bounds/gate.ts'
import type { Caller, PersonCaller } from '../../kernel/caller.ts'
import { type Db, hasCode, type Tx } from '../../kernel/database/database.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
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

/** Limits the uploads at once, because each of them takes a connection and space for a temporary file. */
const uploads = service(
  () =>
    new Gate({
      atOnce: 50,
      perKey: 4,
      waiting: 0,
      refusal: () => fail('tooManyRequests', 'Too many files are being uploaded; try again shortly', 5),
    }),
)

/** Names of files without a folder, and without characters that no file system or header carries. */
const FORBIDDEN = /[/\\:*?"<>|]/g
/** A temporary file to which nothing was written for this long belongs to a process that has ended. */
const ABANDONED_MS = 60 * 60_000

const lowDisk = () => fail('notReady', 'The disk for files is almost full; try again later', 60)

const uploadFolder = ({ config, name }: Environment): string => join(config.DATA_DIR, 'uploads', name)

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
  const given = readName(what.name).replaceAll(FORBIDDEN, '_')
  const access = await readAccess(db, who, what.organisation)
  const usage = toUsage(access, environment)
  const leftBytes = usage.limitBytes - usage.usedBytes
  if ((what.file.bytes ?? 0) > leftBytes) throw storageFull(usage)
  return environment.get(uploads).run(String(who.personId), async () => {
    const folder = uploadFolder(environment)
    await mkdir(folder, { recursive: true })
    await checkDisk(environment, folder, what.file.bytes ?? 0)
    const path = join(folder, `${makeId()}.part`)
    try {
      const { type, ...content } = await receive(what.file, path, given, () => storageFull(usage), leftBytes)
      const name = nameFor(given, type)
      await db.first(store.useContent, { ...content, now: who.at })
      await environment.get(fileStore).keep(content, path)
      const key = await insert(db, who, { access, name, mediaType: type.mediaType, ...content }, environment)
      return await readFile(db, who, key, access, environment)
    } catch (problem) {
      throw hasCode(problem, 'ENOSPC') ? lowDisk() : problem
    } finally {
      await rm(path, { force: true })
    }
  })
}

/** Writes a file to disk as it arrives, and determines its hash and type. */
async function receive(file: UploadFile['file'], path: string, name: string, full: () => Error, leftBytes: number) {
  const hash = createHash('sha256')
  const inspector = new Inspector()
  let bytes = 0
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of file) {
      bytes += chunk.length
      if (bytes > leftBytes) throw full()
      inspector.add(chunk)
      hash.update(chunk)
      await handle.writeFile(chunk)
    }
    if (bytes === 0) throw fail('parameterMissing', 'The file is empty')
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { sha256: hash.digest('hex'), bytes, type: await inspector.end(path, name) }
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
    const storage = (await tx.first(store.lockStorage, { organisation }))!
    const same = await tx.first(store.findSame, { organisation, sha256, name })
    if (same) return same.key
    const usage = toUsage({ ...storage, key: access.key }, environment)
    if (usage.usedBytes + bytes > usage.limitBytes) throw storageFull(usage)
    const key = makeId()
    await tx.first(store.changeUsed, { organisation, bytes })
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
  await tx.first(store.useContent, { ...content, now: who.at })
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

/** Refuses a file that the disk has no room for. The disk of files can be another one than that of the database. */
async function checkDisk({ config, name }: Environment, folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const reserve = name === 'sandbox' ? config.SANDBOX_DISK_RESERVE_BYTES : config.DISK_RESERVE_BYTES
  if (bavail * bsize - bytes < reserve) throw lowDisk()
}

/** Deletes the temporary files of processes that were killed during an upload. */
export async function removeAbandoned(environment: Environment): Promise<void> {
  const folder = uploadFolder(environment)
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(join(folder, name), { force: true })
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
