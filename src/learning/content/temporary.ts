import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Gate } from '../../kernel/bounds/gate.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import type { Content } from '../../kernel/files/contents.ts'
import { makeId } from '../../kernel/ids.ts'

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

/** A temporary file to which nothing was written for this long belongs to a process that has ended. */
export const ABANDONED_MS = 60 * 60_000

const lowDisk = () => fail('notReady', 'The disk for files is almost full; try again later', 60)

/** The folder of temporary files. It is on the disk of stored files, because they are moved from it. */
export const uploadFolder = ({ config, name }: Pick<Environment, 'config' | 'name'>): string =>
  join(config.DATA_DIR, 'uploads', name)

/** A path for a new temporary file. */
type NewPath = () => string

interface Upload {
  /** Whose uploads are counted together. */
  readonly uploader: string
  /** The announced size. */
  readonly bytes: number
}

/**
 * Runs an upload, which is given paths for temporary files. They are deleted at its end. Refuses it if the disk has no
 * room for it, and if too many others are under way.
 */
export const runUpload = <T>(environment: Environment, upload: Upload, run: (newPath: NewPath) => Promise<T>) =>
  environment.get(uploads).run(upload.uploader, () => withTemporary(environment, upload.bytes, run))

/** Like `runUpload`, for operators, who are not counted. */
export async function withTemporary<T>(
  environment: Environment,
  bytes: number,
  run: (newPath: NewPath) => Promise<T>,
): Promise<T> {
  const folder = uploadFolder(environment)
  await refuseFullDisk(environment, bytes)
  const paths: string[] = []
  const newPath = () => {
    paths.push(join(folder, `${makeId()}.part`))
    return paths.at(-1)!
  }
  try {
    return await run(newPath)
  } catch (problem) {
    throw (problem as NodeJS.ErrnoException).code === 'ENOSPC' ? lowDisk() : problem
  } finally {
    for (const path of paths) await rm(path, { force: true })
  }
}

/** Refuses an upload that the disk has no room for, before it begins. */
export async function refuseFullDisk(environment: Environment, bytes: number): Promise<void> {
  await mkdir(uploadFolder(environment), { recursive: true })
  await checkDisk(environment, bytes)
}

/** Refuses what the disk has no room for. The disk of files can be another one than that of the database. */
export async function checkDisk({ config, name }: Environment, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(uploadFolder({ config, name }))
  const reserve = name === 'sandbox' ? config.SANDBOX_DISK_RESERVE_BYTES : config.DISK_RESERVE_BYTES
  if (bavail * bsize - bytes < reserve) throw lowDisk()
}

/** Writes chunks to a new file as they arrive, and flushes it. Returns their hash and size. */
export async function receive(
  chunks: AsyncIterable<Buffer>,
  path: string,
  onChunk: (chunk: Buffer, bytes: number) => void = () => undefined,
): Promise<Content> {
  const hash = createHash('sha256')
  let bytes = 0
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length
      onChunk(chunk, bytes)
      hash.update(chunk)
      await handle.writeFile(chunk)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { sha256: hash.digest('hex'), bytes }
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
