import { readByKey } from '../../apps/organisations/organisations.ts'
import type { Caller, PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail, PlatformError } from '../../kernel/errors.ts'
import { fileStore } from '../../kernel/files/storage.ts'
import { makeId } from '../../kernel/ids.ts'
import { readAccess } from '../content/content.ts'
import { readContentUrl } from '../content/links.ts'
import { receive, refuseFullDisk, runUpload } from '../content/temporary.ts'
import { freeStorage, keepContents, readFileName, takeStorage } from '../content/upload.ts'
import { readPackage } from './packages.ts'
import {
  type CreatePackageUpload,
  type NamePackageUpload,
  PART_BYTES,
  type PackageUpload,
  type StorePackagePart,
} from './resumable-schema.ts'
import * as store from './resumable-store.ts'
import type { PackageDetails } from './schema.ts'
import { addPackage, type OrganisationStorage, type Run } from './upload.ts'

/** Time without a new part after which an upload is deleted. */
const LIFETIME_MS = 24 * 60 * 60_000
/** Uploads that one person may have under way. */
const MOST_UNFINISHED = 10

export type Upload = RowOf<typeof store.findUpload>

/** Begins an upload in parts. Its announced size is taken from the storage of the organisation until it ends. */
export async function createPackageUpload(
  db: Db,
  who: PersonCaller,
  what: CreatePackageUpload,
  environment: Environment,
): Promise<PackageUpload> {
  readContentUrl(environment)
  const access = await readAccess(db, who, what.organisation)
  return toUpload(await create(db, who, { ...what, access, person: who.personId }, environment))
}

interface NewUpload extends CreatePackageUpload {
  readonly access: OrganisationStorage
  /** Null for an operator. */
  readonly person: number | null
}

export async function create(db: Db, who: Caller, what: NewUpload, environment: Environment): Promise<Upload> {
  const { access, bytes, person } = what
  const { PACKAGE_BYTES } = environment.config
  if (bytes > PACKAGE_BYTES)
    throw fail('bodyTooLarge', `The package has ${bytes} bytes; the limit is ${PACKAGE_BYTES} bytes`)
  await refuseFullDisk(environment, bytes)
  const [key, name] = [makeId(), readFileName(what.name)]
  const now = who.at
  return db.transaction(async (tx) => {
    await takeStorage(tx, access, bytes, environment)
    const unfinished = person === null ? undefined : await tx.first(store.countUnfinished, { person, now })
    if (unfinished && unfinished.count >= MOST_UNFINISHED)
      throw fail(
        'impossibleNow',
        `You have ${MOST_UNFINISHED} unfinished uploads: finish or delete one. They expire 24 hours after their last part`,
      )
    await tx.first(store.insertUpload, {
      ...{ key, organisation: access.id, name, bytes, person, now },
      expires: expiryAt(now),
    })
    return (await tx.first(store.findUpload, { key, person, now }))!
  })
}

const expiryAt = (now: Date): Date => new Date(now.getTime() + LIFETIME_MS)

/** Reads how much of an upload has arrived. */
export const readPackageUpload = async (db: Db, who: PersonCaller, what: NamePackageUpload): Promise<PackageUpload> =>
  toUpload(await find(db, who, what.uploadId))

async function find(db: Db, who: PersonCaller, key: string): Promise<Upload> {
  const upload = await db.first(store.findUpload, { key, person: who.personId, now: who.at })
  if (!upload) throw fail('forbidden', 'There is no upload with this id, or it is not yours, or it has expired')
  return upload
}

/**
 * Stores the next part of an upload. It becomes visible as a whole, so that a connection that is lost leaves nothing of
 * it. Sending the part before it again changes nothing.
 */
export async function storePackagePart(
  db: Db,
  who: PersonCaller,
  what: StorePackagePart,
  environment: Environment,
): Promise<PackageUpload> {
  const upload = await find(db, who, what.uploadId)
  await readAccess(db, who, upload.organisation)
  const uploader = { uploader: String(who.personId), bytes: what.part.bytes ?? 0 }
  await storePart(db, who, { ...what, upload }, environment, (run) => runUpload(environment, uploader, run))
  return readPackageUpload(db, who, what)
}

interface NewPart {
  readonly upload: Upload
  readonly offset: number
  readonly part: AsyncIterable<Buffer>
}

export async function storePart(db: Db, who: Caller, what: NewPart, environment: Environment, run: Run): Promise<void> {
  const { upload, offset, part } = what
  refuseEnded(upload)
  if (offset > upload.received_bytes) throw goOnAt(upload.received_bytes)
  await run(async (newPath) => {
    const path = newPath()
    const most = Math.min(PART_BYTES.most, upload.bytes - offset)
    const content = await receive(part, path, (_, bytes) => {
      if (bytes > most) throw fail('validationFailed', `part must have at most ${most} bytes at offset ${offset}`)
    })
    if (content.bytes === 0) throw fail('parameterMissing', 'The part is empty')
    if (content.bytes < PART_BYTES.least && content.bytes < most)
      throw fail('validationFailed', `part must have at least ${PART_BYTES.least} bytes, except at the end of the file`)
    await keepContents(db, who, [{ ...content, path }], environment)
    await db.transaction(async (tx) => {
      const row = { upload: upload.id, start: offset, ...content }
      const found = await tx.first(store.lockUpload, { upload: upload.id })
      if (!found?.is_open || (await tx.first(store.findPart, row))) return
      if (offset !== found.received_bytes) throw goOnAt(found.received_bytes)
      await tx.first(store.insertPart, { ...row, expires: expiryAt(who.at) })
    })
    return upload.key
  })
}

const goOnAt = (receivedBytes: number) =>
  fail(
    'conflict',
    `${receivedBytes} bytes of the file have arrived: send the part that begins at offset ${receivedBytes}`,
  )

function refuseEnded({ package: packageId, refusal }: Upload): void {
  if (refusal !== null) throw refusalOf(refusal)
  if (packageId !== null) throw fail('impossibleNow', `This upload has ended: it became the package ${packageId}`)
}

/**
 * Imports the package of an upload whose parts have all arrived, like `uploadPackage`. Repeating it returns the same
 * package, or the same refusal.
 */
export async function finishPackageUpload(
  db: Db,
  who: PersonCaller,
  what: NamePackageUpload,
  environment: Environment,
): Promise<PackageDetails> {
  readContentUrl(environment)
  const upload = await find(db, who, what.uploadId)
  const access = await readAccess(db, who, upload.organisation)
  const uploader = { uploader: String(who.personId), bytes: upload.bytes }
  const packageId = await finish(db, who, { upload, access, person: who.personId }, environment, (run) =>
    runUpload(environment, uploader, run),
  )
  return readPackage(db, who, { packageId }, environment)
}

type EndOfUpload = Pick<NewUpload, 'access' | 'person'> & { readonly upload: Upload }

/** Returns the id of the package. */
export async function finish(
  db: Db,
  who: Caller,
  what: EndOfUpload,
  environment: Environment,
  run: Run,
): Promise<string> {
  const { upload, access, person } = what
  if (upload.package !== null) return upload.package
  refuseEnded(upload)
  if (upload.received_bytes < upload.bytes) throw goOnAt(upload.received_bytes)
  const file = Object.assign(readParts(db, upload, environment), { bytes: upload.bytes })
  // The archive's own bytes are reserved until the package takes them.
  const own = { ...access, used: (access.used ?? 0) - upload.reserved_bytes }
  const release = (tx: Tx) => releaseStorage(tx, access, upload)
  try {
    const added = await addPackage(db, who, { name: upload.name, file, access: own, person, release }, environment, run)
    await end(db, access, upload, { package: added, refusal: null })
    return added
  } catch (problem) {
    // Other problems, such as a lost database, can pass, so the upload stays and can be finished again.
    if (problem instanceof PlatformError && problem.kind === 'validationFailed')
      await end(db, access, upload, {
        package: null,
        refusal: JSON.stringify({ message: problem.message, faults: problem.faults ?? null }),
      })
    throw problem
  }
}

/** Reads the parts of an upload, one after the other. */
async function* readParts(db: Db, { id }: Upload, environment: Environment): AsyncGenerator<Buffer> {
  const files = environment.get(fileStore)
  for (const part of await db.all(store.listParts, { upload: id }))
    yield* (await files.open(part, { start: 0, end: part.bytes - 1 })) as AsyncIterable<Buffer>
}

const releaseStorage = async (tx: Tx, { id }: OrganisationStorage, upload: Upload): Promise<void> => {
  await freeStorage(tx, { id }, 0)
  const reserved = await tx.first(store.endReservation, { upload: upload.id })
  if (reserved && reserved.bytes > 0) await freeStorage(tx, { id }, reserved.bytes)
}

/** Notes what became of an upload, and gives up its parts, which upkeep deletes. */
const end = (
  db: Db,
  access: OrganisationStorage,
  upload: Upload,
  result: { readonly package: string | null; readonly refusal: string | null },
): Promise<void> =>
  db.transaction(async (tx) => {
    await releaseStorage(tx, access, upload)
    await tx.first(store.endUpload, { upload: upload.id, ...result })
    await tx.all(store.deleteParts, { upload: upload.id })
  })

function refusalOf(text: string): PlatformError {
  const { message, faults } = JSON.parse(text) as { message: string; faults: readonly object[] | null }
  const problem = fail('validationFailed', message)
  problem.faults = faults ?? undefined
  return problem
}

/** Deletes an upload with its parts. A package that it became stays. */
export async function deletePackageUpload(db: Db, who: PersonCaller, what: NamePackageUpload): Promise<void> {
  const upload = await find(db, who, what.uploadId)
  const { id } = await readByKey(db, upload.organisation)
  await db.transaction(async (tx) => {
    await freeStorage(tx, { id }, 0)
    const gone = await tx.first(store.deleteUpload, { upload: upload.id })
    if (gone) await freeStorage(tx, { id }, gone.bytes)
  })
}

/** Deletes the uploads that got no part for a day, and frees their storage. */
export async function removeExpiredUploads({ db, clock, stopping }: Environment): Promise<void> {
  while (!stopping.aborted) {
    const now = clock()
    const expired = await db.first(store.findExpired, { now })
    if (!expired) return
    await db.transaction(async (tx) => {
      await freeStorage(tx, { id: expired.organisation }, 0)
      const gone = await tx.first(store.deleteExpired, { upload: expired.id, now })
      if (gone) await freeStorage(tx, { id: expired.organisation }, gone.bytes)
    })
  }
}

const toUpload = (row: Upload): PackageUpload => ({
  uploadId: row.key,
  organisation: row.organisation,
  name: row.name,
  bytes: row.bytes,
  receivedBytes: row.received_bytes,
  expiresDate: row.expires_at,
  packageId: row.package,
})
