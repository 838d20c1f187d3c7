import { type FileHandle, rm } from 'node:fs/promises'
import { readByKey } from '../../apps/organisations/organisations.ts'
import { Gate } from '../../kernel/bounds/gate.ts'
import type { Caller, PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import type { Content } from '../../kernel/files/contents.ts'
import { makeId } from '../../kernel/ids.ts'
import { readAccess } from '../content/content.ts'
import { readContentUrl } from '../content/links.ts'
import { checkDisk, receive, runUpload, withTemporary } from '../content/temporary.ts'
import { keepContents, lockStorage, readFileName, readRoom, readStorage, takeStorage } from '../content/upload.ts'
import { type Check, openPackage, type ReadPackage } from './importing.ts'
import { mediaTypeOf } from './media-types.ts'
import { readPackage, readPackageUnchecked } from './packages.ts'
import type { PackageDetails, UploadPackage } from './schema.ts'
import * as store from './store.ts'
import { readContents } from './zip.ts'

/**
 * Stores a content package of an organisation. It is streamed to a temporary file and checked as a whole; then its
 * files are unpacked, and the last transaction makes it visible. Sending the same package again returns the first one.
 */
export async function uploadPackage(
  db: Db,
  who: PersonCaller,
  what: UploadPackage,
  environment: Environment,
): Promise<PackageDetails> {
  readContentUrl(environment)
  const access = await readAccess(db, who, what.organisation)
  const upload = { uploader: String(who.personId), bytes: what.file.bytes ?? 0 }
  const key = await addPackage(db, who, { ...what, access, person: who.personId }, environment, (run) =>
    runUpload(environment, upload, run),
  )
  return readPackage(db, who, { packageId: key }, environment)
}

/** Stores a package for an operator. */
export async function addPackageUnchecked(
  db: Db,
  who: Caller,
  what: Pick<NewUpload, 'name' | 'file'> & { readonly organisation: string },
  environment: Environment,
) {
  const access = await readStorage(db, await readByKey(db, what.organisation))
  const key = await addPackage(db, who, { ...what, access, person: null }, environment, (run) =>
    withTemporary(environment, what.file.bytes ?? 0, run),
  )
  return readPackageUnchecked(db, key)
}

export interface OrganisationStorage {
  readonly id: number
  readonly key: string
  readonly used: number | null
  readonly limit: number | null
}
interface NewUpload {
  readonly name?: string
  readonly file: AsyncIterable<Buffer> & { readonly bytes: number | undefined }
  readonly access: OrganisationStorage
  /** Who uploaded it; null for an operator. */
  readonly person: number | null
  /** Frees what an upload in parts has reserved for the package. */
  readonly release?: (tx: Tx) => Promise<void>
}
export type Run = (work: (newPath: () => string) => Promise<string>) => Promise<string>

/** Adds a package for somebody who was allowed to. Returns its id. */
export async function addPackage(
  db: Db,
  who: Caller,
  what: NewUpload,
  environment: Environment,
  run: Run,
): Promise<string> {
  const { access, file } = what
  const name = readFileName(what.name ?? 'package.zip')
  const leftBytes = readRoom(access, file.bytes ?? 0, environment)
  return run(async (newPath) => {
    const path = newPath()
    const original = await receive(file, path, (_, bytes) => {
      if (bytes > leftBytes) readRoom(access, bytes, environment)
    })
    if (original.bytes === 0) throw fail('parameterMissing', 'The file is empty')
    const same = await db.first(store.findSame, { organisation: access.id, sha256: original.sha256 })
    if (same) return same.key
    const check: Check = (work) => environment.get(checks).run(access.key, work)
    return openPackage(path, check, async (found, archive) => {
      const bytes = original.bytes + found.bytes
      readRoom(access, bytes, environment)
      await checkDisk(environment, found.bytes)
      const files = await unpack(db, who, { found, archive }, { newPath, environment })
      // The archive is still open, but may be moved: its bytes stay the same.
      await keepContents(db, who, [{ ...original, path }], environment)
      return db.transaction((tx) => insert(tx, who, { ...what, name, original, found, files, bytes }, environment))
    })
  })
}

/** Packages that are checked at once. A large document takes a hundred times its size while it is read. */
const checks = service(() => new Gate({ atOnce: 2 }))

interface UnpackedFile extends Content {
  readonly path: string
  readonly media_type: string
}

/** Files that are unpacked before they are stored together: how many, and how many bytes of them. */
const BATCH_FILES = 200
const BATCH_BYTES = 64 * 2 ** 20

/** Unpacks the files of an archive into the store, under their hashes. */
async function unpack(
  db: Db,
  who: Caller,
  { found, archive }: { found: ReadPackage; archive: FileHandle },
  { newPath, environment }: { newPath: () => string; environment: Environment },
): Promise<UnpackedFile[]> {
  const files: UnpackedFile[] = []
  let batch: (Content & { path: string })[] = []
  const keepBatch = async () => {
    if (batch.length === 0) return
    await keepContents(db, who, batch, environment)
    // Those that were stored before are still here.
    await Promise.all(batch.map(({ path }) => rm(path, { force: true })))
    batch = []
  }
  let batchBytes = 0
  for (const entry of found.entries) {
    if (environment.stopping.aborted) throw fail('notReady', 'The platform is stopping; try again shortly', 5)
    const path = newPath()
    const content = await receive(readContents(archive, entry), path)
    files.push({ ...content, path: entry.path, media_type: mediaTypeOf(entry.path) })
    batch.push({ ...content, path })
    batchBytes += content.bytes
    if (batch.length < BATCH_FILES && batchBytes < BATCH_BYTES) continue
    await keepBatch()
    batchBytes = 0
  }
  await keepBatch()
  return files
}

interface NewPackage extends Pick<NewUpload, 'access' | 'person' | 'release'> {
  readonly name: string
  readonly original: Content
  readonly found: ReadPackage
  readonly files: readonly UnpackedFile[]
  readonly bytes: number
}

/** Adds the rows of a package. Uploads to one organisation take turns here, so that equal ones find the first. */
async function insert(tx: Tx, who: Caller, what: NewPackage, environment: Environment): Promise<string> {
  const { access, person, name, original, found, files, bytes, release } = what
  const { sha256 } = original
  const organisation = access.id
  await lockStorage(tx, access)
  const same = await tx.first(store.findSame, { organisation, sha256 })
  if (same) return same.key
  await release?.(tx)
  await takeStorage(tx, access, bytes, environment)
  const key = makeId()
  const { kind, title, units, blocks } = found
  const row = await tx.first(store.insertPackage, {
    ...{ key, organisation, kind, title, name, sha256, bytes: original.bytes, stored_bytes: bytes },
    ...{ files: files.length, units, blocks, structure: JSON.stringify(found.structure), person, now: who.at },
  })
  for (const rows of inBatches(files)) await tx.all(store.insertFiles, { package: row!.id, rows: JSON.stringify(rows) })
  for (const rows of inBatches(found.items))
    await tx.all(store.insertItems, { package: row!.id, rows: JSON.stringify(rows) })
  return key
}

const BATCH_ROWS = 500

function* inBatches<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += BATCH_ROWS) yield rows.slice(at, at + BATCH_ROWS)
}
