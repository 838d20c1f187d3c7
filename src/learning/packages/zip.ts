import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflateRaw } from 'node:zlib'
import { PlatformError } from '../../kernel/errors.ts'
import { cp437 } from './cp437.ts'
import { refuseArchive, refuseZip } from './refusals.ts'

const MOST_ENTRIES = 20_000
const MOST_BYTES = 2_000_000_000
const MOST_RATIO = 100
/** An entry up to this size (bytes) may have any ratio, because a page of spaces is no bomb. */
const FREE_RATIO_BYTES = 1_000_000
const MOST_DIRECTORY_BYTES = 64 * 2 ** 20
const MOST_NAME_BYTES = 1_000

/** A file in an archive. */
export interface ZipEntry {
  /** Path with slashes, in Unicode normal form C. */
  readonly path: string
  /** Size before compression. */
  readonly bytes: number
  readonly packedBytes: number
  readonly isDeflated: boolean
  readonly crc: number
  /** Position of its local header, and the first position that belongs to something else. */
  readonly start: number
  readonly end: number
  /** Its name as it is in the archive, to compare it with that in the local header. */
  readonly name: Buffer
}

/** Positions and sizes of records (APPNOTE 4.3). */
const LOCAL = { signature: 0x04034b50, bytes: 30 }
const CENTRAL = { signature: 0x02014b50, bytes: 46 }
const END = { signature: 0x06054b50, bytes: 22 }
const LOCATOR = { signature: 0x07064b50, bytes: 20 }
const END64 = { signature: 0x06064b50, bytes: 56 }
const MOST_COMMENT_BYTES = 0xffff
const IN_ZIP64 = 0xffffffff

/**
 * Reads the directory of a zip or Zip64 archive. Returns its files, by position. Throws unless every name is a plain
 * relative path, no two entries share bytes, and the sizes and ratios are within the limits.
 */
export async function readZip(file: FileHandle): Promise<ZipEntry[]> {
  const { size } = await file.stat()
  const directory = await findDirectory(file, size)
  if (directory.entries > MOST_ENTRIES)
    throw refuseArchive(`have at most ${MOST_ENTRIES} files`, `The archive has more than ${MOST_ENTRIES} entries`)
  if (directory.bytes > MOST_DIRECTORY_BYTES) throw refuseZip('The directory of the archive is too large')
  const bytes = await readAt(file, directory.start, directory.bytes)
  const entries: ZipEntry[] = []
  let at = 0
  for (let i = 0; i < directory.entries; i++) {
    const { entry, next } = readEntry(bytes, at, directory.start)
    if (entry) entries.push(entry)
    at = next
  }
  if (at !== bytes.length) throw refuseZip('The directory of the archive has more bytes than its entries')
  checkPaths(entries)
  checkSizes(entries, size)
  return separate(entries, directory.start)
}

/**
 * Returns the contents of a file of an archive, in chunks. Throws if they are not those that the directory announces.
 */
export async function* readContents(file: FileHandle, entry: ZipEntry): AsyncGenerator<Buffer> {
  const start = await findData(file, entry)
  if (entry.packedBytes === 0 && entry.bytes === 0) return
  let bytes = 0
  let crc = 0
  const source = readChunks(file, start, entry.packedBytes)
  try {
    for await (const chunk of entry.isDeflated ? inflate(source, entry) : source) {
      bytes += chunk.length
      if (bytes > entry.bytes) break
      crc = crc32(chunk, crc)
      yield chunk
    }
  } catch (problem) {
    if (problem instanceof PlatformError || !isFormatFault(problem)) throw problem
    throw damaged(entry)
  }
  if (bytes !== entry.bytes || crc !== entry.crc) throw damaged(entry)
}

const damaged = ({ path }: ZipEntry) => refuseZip(`The file ${path} of the archive is damaged`)
const FORMAT_FAULTS = new Set(['Z_DATA_ERROR', 'Z_BUF_ERROR', 'Z_NEED_DICT', 'ERR_STREAM_PREMATURE_CLOSE'])
const isFormatFault = (problem: unknown): boolean =>
  problem instanceof Error && FORMAT_FAULTS.has((problem as NodeJS.ErrnoException).code ?? '')

async function* inflate(source: AsyncIterable<Buffer>, entry: ZipEntry): AsyncGenerator<Buffer> {
  const output = createInflateRaw()
  const feeding = pipeline(source, output)
  // It is awaited below; until then, nobody else handles its failure.
  feeding.catch(() => undefined)
  try {
    yield* output
    await feeding
  } finally {
    output.destroy()
  }
  // Compressed data that end early leave bytes over, which nobody would ever read.
  if (output.bytesWritten !== entry.packedBytes) throw damaged(entry)
}

const CHUNK_BYTES = 256 * 1024

async function* readChunks(file: FileHandle, start: number, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; at += CHUNK_BYTES)
    yield await readAt(file, start + at, Math.min(CHUNK_BYTES, bytes - at))
}

/** Reads exactly so many bytes. */
async function readAt(file: FileHandle, start: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes)
  for (let have = 0; have < bytes; ) {
    const { bytesRead } = await file.read(buffer, have, bytes - have, start + have)
    if (bytesRead === 0) throw refuseZip('The archive ends in the middle of a file')
    have += bytesRead
  }
  return buffer
}

interface Directory {
  readonly entries: number
  readonly start: number
  readonly bytes: number
}

/** Finds the directory from the end of the archive (APPNOTE 4.3.14 to 4.3.16). */
async function findDirectory(file: FileHandle, size: number): Promise<Directory> {
  const tailStart = Math.max(0, size - END.bytes - MOST_COMMENT_BYTES)
  const tail = await readAt(file, tailStart, size - tailStart)
  let at = tail.length - END.bytes
  const isEnd = () =>
    tail.readUInt32LE(at) === END.signature && at + END.bytes + tail.readUInt16LE(at + 20) === tail.length
  while (at >= 0 && !isEnd()) at--
  if (at < 0) throw refuseZip('This is not a zip archive, or it is incomplete')
  const record = tail.subarray(at)
  const inZip64 = await findZip64End(file, tailStart + at)
  // A field with all bits set is in the record of Zip64 instead.
  const field = (value: number, isSet: boolean, larger: keyof Directory | 'disk') =>
    isSet && inZip64 ? inZip64[larger] : value
  const [disk, firstDisk] = [record.readUInt16LE(4), record.readUInt16LE(6)]
  const [onDisk, entries] = [record.readUInt16LE(8), record.readUInt16LE(10)]
  const [bytes, start] = [record.readUInt32LE(12), record.readUInt32LE(16)]
  const found = {
    entries: field(entries, entries === 0xffff, 'entries'),
    bytes: field(bytes, bytes === IN_ZIP64, 'bytes'),
    start: field(start, start === IN_ZIP64, 'start'),
  }
  if (field(disk, disk === 0xffff, 'disk') !== 0 || field(firstDisk, firstDisk === 0xffff, 'disk') !== 0)
    throw refuseZip('The archive is divided into several files')
  const end = inZip64?.at ?? tailStart + at
  if (field(onDisk, onDisk === 0xffff, 'entries') !== found.entries || found.start + found.bytes !== end)
    throw refuseZip('The directory of the archive is not where its end says')
  return found
}

async function findZip64End(
  file: FileHandle,
  end: number,
): Promise<(Directory & { disk: number; at: number }) | undefined> {
  if (end < LOCATOR.bytes + END64.bytes) return undefined
  const locator = await readAt(file, end - LOCATOR.bytes, LOCATOR.bytes)
  if (locator.readUInt32LE(0) !== LOCATOR.signature) return undefined
  const at = readLong(locator, 8)
  if (locator.readUInt32LE(4) !== 0 || at > end - LOCATOR.bytes - END64.bytes)
    throw refuseZip('The archive has a damaged Zip64 record')
  const record = await readAt(file, at, END64.bytes)
  const entries = readLong(record, 32)
  const hasFaults =
    record.readUInt32LE(0) !== END64.signature ||
    at + 12 + readLong(record, 4) !== end - LOCATOR.bytes ||
    record.readUInt32LE(16) !== record.readUInt32LE(20) ||
    readLong(record, 24) !== entries
  if (hasFaults) throw refuseZip('The archive has a damaged Zip64 record')
  return { at, disk: record.readUInt32LE(16), entries, bytes: readLong(record, 40), start: readLong(record, 48) }
}

/** Reads a number of eight bytes. Larger ones than the program can count are in no archive that is accepted. */
function readLong(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw refuseZip('The archive has an impossible size')
  return Number(value)
}

/** Flags: encrypted, patched, strongly encrypted, and a masked directory (APPNOTE 4.4.4). */
const REFUSED_FLAGS = 0x0001 | 0x0020 | 0x0040 | 0x2000
const IS_UTF8 = 0x0800

/** Reads an entry of the directory (APPNOTE 4.3.12). A folder is no entry of its own. */
function readEntry(bytes: Buffer, at: number, directory: number): { entry: ZipEntry | undefined; next: number } {
  if (at + CENTRAL.bytes > bytes.length || bytes.readUInt32LE(at) !== CENTRAL.signature)
    throw refuseZip('The directory of the archive is damaged')
  const flags = bytes.readUInt16LE(at + 8)
  const method = bytes.readUInt16LE(at + 10)
  const nameEnd = at + CENTRAL.bytes + bytes.readUInt16LE(at + 28)
  const extraEnd = nameEnd + bytes.readUInt16LE(at + 30)
  const next = extraEnd + bytes.readUInt16LE(at + 32)
  if (next > bytes.length) throw refuseZip('The directory of the archive is damaged')
  const name = bytes.subarray(at + CENTRAL.bytes, nameEnd)
  const path = readPath(name, (flags & IS_UTF8) !== 0)
  const long = zip64Fields(bytes.subarray(nameEnd, extraEnd), path)
  const field = (value: number) => (value === IN_ZIP64 ? long() : value)
  const size = field(bytes.readUInt32LE(at + 24))
  const packedBytes = field(bytes.readUInt32LE(at + 20))
  const start = field(bytes.readUInt32LE(at + 42))
  if ((flags & REFUSED_FLAGS) !== 0)
    throw refuseArchive('not be encrypted', `The file ${path} of the archive is encrypted`)
  if (method !== 0 && method !== 8)
    throw refuseArchive(
      'be stored or deflated',
      `The file ${path} of the archive is compressed with a method other than Deflate`,
    )
  checkKind(bytes.readUInt32LE(at + 38) >>> 16, path)
  if (path.endsWith('/')) {
    if (size !== 0) throw refuseZip(`The folder ${path} of the archive has contents`)
    return { entry: undefined, next }
  }
  const isWithin = start + LOCAL.bytes + name.length + packedBytes <= directory
  if (!isWithin || (method === 0 && size !== packedBytes)) throw refuseZip(`The file ${path} of the archive is damaged`)
  const crc = bytes.readUInt32LE(at + 16)
  return { entry: { path, bytes: size, packedBytes, isDeflated: method === 8, crc, start, end: start, name }, next }
}

/** Returns a function that reads the fields of a Zip64 extra field, one after the other (APPNOTE 4.5.3). */
function zip64Fields(extra: Buffer, path: string): () => number {
  let fields = extra.subarray(0, 0)
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === 1) fields = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2))
  let at = 0
  return () => {
    if (at + 8 > fields.length) throw refuseZip(`The file ${path} of the archive has no Zip64 size`)
    at += 8
    return readLong(fields, at - 8)
  }
}

/** Types of files in the attributes of Unix: none, a regular file, a folder. */
const KINDS = new Set([0, 0o100000, 0o040000])

function checkKind(mode: number, path: string): void {
  if (!KINDS.has(mode & 0o170000))
    throw refuseArchive('have only files and folders', `The entry ${path} of the archive is a link or a device`)
}

const CONTROL = /\p{Cc}/u
const BACKSLASH = '\\'

/** Returns a name as a path. Refuses a name that leads out of the package or is not the same on every system. */
function readPath(name: Buffer, isUtf8: boolean): string {
  if (name.length > MOST_NAME_BYTES)
    throw refuseArchive(
      `have names of at most ${MOST_NAME_BYTES} bytes`,
      'The archive has an entry with a very long name',
    )
  const path = decodeName(name, isUtf8).normalize('NFC')
  const segments = path.replace(/\/$/, '').split('/')
  const isPlain =
    !CONTROL.test(path) &&
    !path.includes(BACKSLASH) &&
    !/^[a-z]:/i.test(path) &&
    segments.every((one) => one !== '' && one !== '.' && one !== '..')
  if (!isPlain)
    throw refuseArchive(
      'have names that are relative paths with slashes',
      `The archive has an entry whose name is no relative path: ${JSON.stringify(path.slice(0, 100))}`,
    )
  return path
}

function decodeName(name: Buffer, isUtf8: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(name)
  } catch {
    if (isUtf8) throw refuseZip('The archive has an entry whose name is not UTF-8')
    return cp437(name)
  }
}

/** Refuses paths that are equal on a file system without case, and files that are folders of others. */
function checkPaths(entries: readonly ZipEntry[]): void {
  const fold = (path: string) => path.toUpperCase().toLowerCase()
  const files = new Set<string>()
  for (const { path } of entries) {
    const folded = fold(path)
    if (files.has(folded))
      throw refuseArchive('have different names', `The archive has two entries with the name ${path}`)
    files.add(folded)
  }
  for (const { path } of entries) {
    const folded = fold(path)
    for (let at = folded.indexOf('/'); at !== -1; at = folded.indexOf('/', at + 1))
      if (files.has(folded.slice(0, at)))
        throw refuseArchive('have different names', `A file of the archive is the folder of ${path}`)
  }
}

function checkSizes(entries: readonly ZipEntry[], archiveBytes: number): void {
  const tooDense = (what: string) =>
    refuseArchive(
      `unpack to at most ${MOST_RATIO} times its size`,
      `${what} unpacks to more than ${MOST_RATIO} times its size`,
    )
  let bytes = 0
  for (const entry of entries) {
    if (entry.bytes > FREE_RATIO_BYTES && entry.bytes > MOST_RATIO * entry.packedBytes)
      throw tooDense(`The file ${entry.path} of the archive`)
    bytes += entry.bytes
  }
  if (bytes > MOST_BYTES)
    throw refuseArchive(`unpack to at most ${MOST_BYTES} bytes`, 'The archive unpacks to more than 2 GB')
  if (bytes > FREE_RATIO_BYTES && bytes > MOST_RATIO * archiveBytes) throw tooDense('The archive')
}

/** Sorts the entries by position. Refuses entries that share bytes: a small archive could hold very much with them. */
function separate(entries: readonly ZipEntry[], directory: number): ZipEntry[] {
  const sorted = [...entries].sort((a, b) => a.start - b.start)
  return sorted.map((entry, i) => {
    const end = sorted[i + 1]?.start ?? directory
    if (entry.start + LOCAL.bytes + entry.name.length + entry.packedBytes > end) throw overlapping(entry)
    return { ...entry, end }
  })
}

const overlapping = ({ path }: ZipEntry) =>
  refuseArchive('have files that share no bytes', `The file ${path} of the archive overlaps another`)

/** Returns where the data of an entry begin, after a local header that says the same as the directory. */
async function findData(file: FileHandle, entry: ZipEntry): Promise<number> {
  const header = await readAt(file, entry.start, LOCAL.bytes + entry.name.length)
  const isSame =
    header.readUInt32LE(0) === LOCAL.signature &&
    (header.readUInt16LE(6) & REFUSED_FLAGS) === 0 &&
    header.readUInt16LE(8) === (entry.isDeflated ? 8 : 0) &&
    header.readUInt16LE(26) === entry.name.length &&
    header.subarray(LOCAL.bytes).equals(entry.name)
  if (!isSame) throw damaged(entry)
  const start = entry.start + LOCAL.bytes + entry.name.length + header.readUInt16LE(28)
  if (start + entry.packedBytes > entry.end) throw overlapping(entry)
  return start
}
