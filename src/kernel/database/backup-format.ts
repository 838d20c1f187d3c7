import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, link, lstat, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { StartupError } from '../errors.ts'
import { type ByteSource, decrypt, encrypt, readSealHeader } from './backup-seal.ts'

/**
 * A backup is one file of three parts:
 *
 * 1. One line of JSON, the `BackupHeader`: `head -1 FILE` shows what is inside.
 * 2. One gzip stream. It holds, for each table of the header and in that order, PostgreSQL's COPY text, cut into frames
 *    (four bytes of length, big-endian, then that many bytes) and ended by a frame of length 0. The last frame is the
 *    `BackupTrailer` as JSON.
 * 3. One line, `sha256 ` and 64 hexadecimal digits, over every byte before it: `head -c -72 FILE | sha256sum` prints
 *    the same digits.
 *
 * An encrypted backup is such a file encrypted as a whole, in pieces (backup-seal.ts).
 *
 * Why gzip at level 1 and not zstd: on 40 MB of generated rows both ran at about 117 MB/s, and zstd's result was 8 %
 * smaller. But zstd is still marked experimental in Node 24, and gzip can be read on every machine, even years later.
 */
const FORMAT_VERSION = 1
const FORMAT_NAME = 'groundschool-backup'
const CHECKSUM_LINE_BYTES = 'sha256 '.length + 64 + '\n'.length
const READ_BYTES = 64 * 1024
const LONGEST_HEADER_BYTES = 16 * 1024 * 1024

export interface Migration {
  number: number
  name: string
  checksum: string
}

export interface Table {
  schema: string
  name: string
  isPartitioned: boolean
  columns: string[]
}

export interface Sequence {
  schema: string
  name: string
  /** The bigint is written as text, because a JSON number would lose precision. */
  lastValue: string
  isCalled: boolean
}

export interface BackupHeader {
  format: typeof FORMAT_NAME
  version: number
  platform: string
  created: string
  server: string
  schemas: { name: string; migration: number; migrations: Migration[] }[]
  tables: Table[]
  sequences: Sequence[]
}

export interface BackupTrailer {
  /** Number of rows of each table, in the order of the header. */
  rows: number[]
}

export interface BackupReport {
  tables: number
  rows: number
  /** Size of the file. */
  bytes: number
}

export type ReportProgress = (done: number, total: number, label: string) => void

export async function createHeader(
  contents: Pick<BackupHeader, 'server' | 'schemas' | 'tables' | 'sequences'>,
): Promise<BackupHeader> {
  const manifest = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'))
  return {
    format: FORMAT_NAME,
    version: FORMAT_VERSION,
    platform: manifest.version,
    created: new Date().toISOString(),
    ...contents,
  }
}

/** Yields the bytes of the whole file: the header, the compressed body and the checksum line. */
async function* appendChecksum(header: BackupHeader, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const firstLine = Buffer.from(`${JSON.stringify(header)}\n`)
  hash.update(firstLine)
  yield firstLine
  for await (const chunk of body) {
    hash.update(chunk)
    yield chunk
  }
  yield Buffer.from(`sha256 ${hash.digest('hex')}\n`)
}

/**
 * Writes a backup file. It has a temporary name until every byte is on disk, so that a file with the final name is
 * always a complete backup.
 */
export async function writeNewBackup(
  file: string,
  header: BackupHeader,
  body: AsyncIterable<Buffer>,
  passphrase?: string,
): Promise<number> {
  const wrap = (bytes: AsyncIterable<Buffer>) => (passphrase === undefined ? bytes : encrypt(passphrase, bytes))
  const partial = `${file}.${randomBytes(6).toString('hex')}.part`
  try {
    const handle = await open(partial, 'wx', 0o600)
    try {
      await pipeline(body, createGzip({ level: 1 }), (compressed) =>
        handle.writeFile(wrap(appendChecksum(header, compressed))),
      )
      await handle.sync()
      const { size } = await handle.stat()
      await giveName(partial, file)
      return size
    } finally {
      await handle.close()
      await rm(partial, { force: true })
    }
  } catch (error) {
    throw explainFileError(error, file)
  }
}

async function giveName(partial: string, file: string): Promise<void> {
  try {
    // Unlike `rename`, `link` fails if a file with that name exists.
    await link(partial, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    // Falls back to `rename` on file systems that do not support hard links.
    await refuseExistingFile(file)
    await rename(partial, file)
  }
  if (process.platform === 'win32') return
  const directory = await open(dirname(file))
  await directory.sync().finally(() => directory.close())
}

export async function refuseExistingFile(file: string): Promise<void> {
  const exists = await lstat(file).then(
    () => true,
    () => false,
  )
  if (exists) throw new StartupError(`${file} already exists and is not overwritten; choose another file name`)
}

function explainFileError(error: unknown, file: string): unknown {
  const advice: Record<string, string> = {
    EEXIST: 'it already exists; choose another file name',
    ENOENT: 'its directory does not exist; create it first',
    ENOTDIR: 'its directory does not exist; create it first',
    EACCES: 'permission denied; choose a directory that this user can write to',
    EROFS: 'the file system is read-only; choose another directory',
    ENOSPC: 'the disk is full; free some space or choose another disk',
    EDQUOT: 'the quota is used up; free some space or choose another disk',
  }
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall === undefined || code === undefined || !(code in advice)) return error
  return new StartupError(`${file} cannot be written: ${advice[code]}`, { cause: error })
}

export interface CheckedBackup {
  header: BackupHeader
  bodyStart: number
  bodyEnd: number
  bytes: number
}

/** Opens a backup for reading, decrypting it if it is encrypted. */
export async function openSource(
  handle: FileHandle,
  file: string,
  askPassphrase: () => Promise<string>,
): Promise<ByteSource> {
  const plain: ByteSource = {
    size: (await handle.stat()).size,
    read: (start, end) => readRange(handle, start, end),
  }
  const line = await readFirstLine(plain)
  const header = line && readSealHeader(line.toString(), file)
  if (!header) return plain
  return decrypt(plain, line.length + 1, header, {
    passphrase: await askPassphrase(),
    file,
    damaged: () => notWhole(file),
  })
}

/**
 * Reads the whole file once and verifies its checksum, so that a restore refuses a damaged file before changing
 * anything.
 */
export async function checkBackup(source: ByteSource, file: string, progress?: ReportProgress): Promise<CheckedBackup> {
  const { size } = source
  const { header, bodyStart } = await readHeader(source, file)
  const bodyEnd = size - CHECKSUM_LINE_BYTES
  if (bodyEnd <= bodyStart) throw notWhole(file)

  const hash = createHash('sha256')
  let done = 0
  for await (const chunk of source.read(0, bodyEnd)) {
    hash.update(chunk)
    done += chunk.length
    progress?.(done, size, 'checking the file')
  }
  const ending: Buffer[] = []
  for await (const chunk of source.read(bodyEnd, size)) ending.push(chunk)
  if (Buffer.concat(ending).toString('latin1') !== `sha256 ${hash.digest('hex')}\n`) throw notWhole(file)
  return { header, bodyStart, bodyEnd, bytes: size }
}

const notWhole = (file: string): StartupError =>
  new StartupError(
    `${file} is not a complete Groundschool backup: it is damaged, was cut short, or is another kind of file; restore another file`,
  )

async function readHeader(source: ByteSource, file: string): Promise<{ header: BackupHeader; bodyStart: number }> {
  const line = await readFirstLine(source)
  if (line === undefined) throw notWhole(file)
  let header: BackupHeader
  try {
    header = JSON.parse(line.toString())
  } catch {
    throw notWhole(file)
  }
  if (header?.format !== FORMAT_NAME || !Number.isInteger(header.version)) throw notWhole(file)
  // The version is checked before the checksum, because a newer format may use another checksum.
  if (header.version > FORMAT_VERSION) {
    throw new StartupError(
      `${file} was created by a newer Groundschool (${header.platform}, backup format ${header.version}, this one reads ${FORMAT_VERSION}); ` +
        'install that version and restore with it',
    )
  }
  return { header, bodyStart: line.length + 1 }
}

async function readFirstLine(source: ByteSource): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  for await (const chunk of source.read(0, LONGEST_HEADER_BYTES)) {
    const end = chunk.indexOf('\n')
    parts.push(end < 0 ? chunk : chunk.subarray(0, end))
    if (end >= 0) return Buffer.concat(parts)
  }
  return undefined
}

/**
 * Reads from `start` up to, but not including, `end`, or up to the end of the file. It does not use
 * `handle.createReadStream`, because that closes the handle.
 */
async function* readRange(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let position = start; position < end; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(Math.min(READ_BYTES, end - position)), {
      position,
    })
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/**
 * Prepends the length to a chunk. The result is one buffer, because each buffer given to gzip costs a trip to another
 * thread.
 */
export function frameChunk(chunk: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(4 + chunk.length)
  frame.writeUInt32BE(chunk.length)
  chunk.copy(frame, 4)
  return frame
}

export const END_OF_TABLE = frameChunk(Buffer.alloc(0))

export type ReadFrame = () => Promise<Buffer>

/** Reads the uncompressed body frame by frame. An empty frame ends a table. */
export function createFrameReader(body: AsyncIterable<Buffer>): ReadFrame {
  const chunks = body[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const take = async (length: number): Promise<Buffer> => {
    const parts = [rest]
    let available = rest.length
    while (available < length) {
      const next = await chunks.next()
      if (next.done) throw new Error('The body of the backup ends inside a frame')
      parts.push(next.value)
      available += next.value.length
    }
    const all = parts.length === 1 ? rest : Buffer.concat(parts, available)
    rest = all.subarray(length)
    return all.subarray(0, length)
  }
  return async () => await take((await take(4)).readUInt32BE())
}
