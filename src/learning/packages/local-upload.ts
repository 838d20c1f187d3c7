import { createHash } from 'node:crypto'
import { readByKey } from '../../apps/organisations/organisations.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { withTemporary } from '../content/temporary.ts'
import { readFileName, readStorage } from '../content/upload.ts'
import { readPackageUnchecked } from './packages.ts'
import { PART_BYTES } from './resumable-schema.ts'
import * as store from './resumable-store.ts'
import { create, finish, storePart, type Upload } from './resumable-upload.ts'
import { addPackageUnchecked } from './upload.ts'

/** A file on the machine of an operator. */
interface LocalFile {
  readonly organisation: string
  readonly name: string
  readonly bytes: number
  /** Reads the file from one byte to another, which is included. */
  open(start: number, end: number): AsyncIterable<Buffer>
}

type OnProgress = (bytes: number) => void

/** Stores a package for an operator. A large file is stored in parts, so that an interrupted run goes on. */
export async function addLocalPackage(
  db: Db,
  who: Caller,
  what: LocalFile,
  environment: Environment,
  onProgress: OnProgress = () => undefined,
) {
  if (what.bytes > PART_BYTES.most) return addInParts(db, who, what, environment, onProgress)
  const file = Object.assign(what.open(0, what.bytes - 1), { bytes: what.bytes })
  return addPackageUnchecked(db, who, { ...what, file }, environment)
}

async function addInParts(db: Db, who: Caller, what: LocalFile, environment: Environment, onProgress: OnProgress) {
  const { id, key } = await readByKey(db, what.organisation)
  const access = await readStorage(db, { id, key })
  const name = readFileName(what.name)
  const before = await db.first(store.findUnfinished, { organisation: id, name, bytes: what.bytes, now: who.at })
  const isSame = before !== undefined && (await hasSameParts(db, before, what))
  const upload = isSame ? before : await create(db, who, { ...what, access, person: null }, environment)
  for (let offset = upload.received_bytes; offset < what.bytes; offset += PART_BYTES.most) {
    onProgress(offset)
    const partEnd = Math.min(offset + PART_BYTES.most, what.bytes) - 1
    const part = { upload: { ...upload, received_bytes: offset }, offset, part: what.open(offset, partEnd) }
    await storePart(db, who, part, environment, (run) => withTemporary(environment, PART_BYTES.most, run))
  }
  onProgress(what.bytes)
  const whole = {
    upload: { ...upload, received_bytes: what.bytes },
    access: await readStorage(db, access),
    person: null,
  }
  const packageId = await finish(db, who, whole, environment, (run) => withTemporary(environment, what.bytes, run))
  return readPackageUnchecked(db, packageId)
}

/** Tells whether the parts of an interrupted upload are of this file. Another file may have the same name and size. */
async function hasSameParts(db: Db, upload: Upload, what: LocalFile): Promise<boolean> {
  for (const { start, bytes, sha256 } of await db.all(store.listParts, { upload: upload.id })) {
    const hash = createHash('sha256')
    for await (const chunk of what.open(start, start + bytes - 1)) hash.update(chunk)
    if (hash.digest('hex') !== sha256) return false
  }
  return true
}
