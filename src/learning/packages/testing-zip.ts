import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of a zip archive as a test wants it, with whatever else than the truth its headers say. */
export interface TestEntry {
  readonly name: string | Buffer
  readonly data?: string | Buffer
  readonly method?: number
  readonly flags?: number
  /** Mode of Unix, in the upper half of the external attributes. */
  readonly mode?: number
  /** What the headers say instead of the truth. */
  readonly says?: {
    readonly bytes?: number
    readonly packedBytes?: number
    readonly crc?: number
    readonly start?: number
  }
  /** Bytes after the compressed data, which the headers count. */
  readonly tail?: Buffer
  /** What the local header says instead of the truth. */
  readonly local?: {
    readonly name?: string
    readonly method?: number
    readonly extra?: Buffer
    readonly signature?: number
  }
  readonly isZip64?: boolean
}

const u16 = (...values: number[]): Buffer => Buffer.from(values.flatMap((one) => [one & 0xff, (one >>> 8) & 0xff]))
const u32 = (...values: number[]): Buffer =>
  Buffer.concat(
    values.map((one) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(one)
      return bytes
    }),
  )
const u64 = (...values: number[]): Buffer =>
  Buffer.concat(
    values.map((one) => {
      const bytes = Buffer.alloc(8)
      bytes.writeBigUInt64LE(BigInt(one))
      return bytes
    }),
  )

interface ZipOptions {
  readonly comment?: string
  readonly prefix?: Buffer
  /** Writes the end of the directory as Zip64. */
  readonly isZip64?: boolean
  /** What the end of the directory says instead of the truth. */
  readonly says?: {
    readonly entries?: number
    readonly start?: number
    readonly bytes?: number
    readonly disk?: number
  }
}

/** Builds a zip archive byte by byte (APPNOTE 4.3). */
export function buildZip(entries: readonly TestEntry[], options: ZipOptions = {}): Buffer {
  const parts: Buffer[] = [options.prefix ?? Buffer.alloc(0)]
  const directory: Buffer[] = []
  let at = parts[0]!.length
  for (const { name, data = '', method = 8, flags = 0, mode = 0, says = {}, local = {}, tail, isZip64 } of entries) {
    const plain = Buffer.from(data as string)
    const packed = Buffer.concat([method === 8 ? deflateRawSync(plain) : plain, tail ?? Buffer.alloc(0)])
    const nameBytes = Buffer.from(name as string)
    const localName = Buffer.from(local.name ?? nameBytes)
    const crc = says.crc ?? crc32(plain)
    const sizes = [says.packedBytes ?? packed.length, says.bytes ?? plain.length] as const
    const start = says.start ?? at
    const extra = local.extra ?? Buffer.alloc(0)
    const header = Buffer.concat([
      u32(local.signature ?? 0x04034b50),
      u16(20, flags, local.method ?? method, 0, 0),
      u32(crc, ...sizes),
      u16(localName.length, extra.length),
      localName,
      extra,
    ])
    const long = isZip64 ? Buffer.concat([u16(1, 24), u64(sizes[1], sizes[0], start)]) : Buffer.alloc(0)
    const all = 0xffffffff
    directory.push(
      Buffer.concat([
        u32(0x02014b50),
        u16(mode ? (3 << 8) | 20 : 20, 20, flags, method, 0, 0),
        u32(crc, ...(isZip64 ? [all, all] : sizes)),
        u16(nameBytes.length, long.length, 0, 0, 0),
        u32(mode * 0x10000, isZip64 ? all : start),
        nameBytes,
        long,
      ]),
    )
    parts.push(header, packed)
    at += header.length + packed.length
  }
  const listed = Buffer.concat(directory)
  const end = {
    entries: options.says?.entries ?? entries.length,
    bytes: options.says?.bytes ?? listed.length,
    start: options.says?.start ?? at,
    disk: options.says?.disk ?? 0,
  }
  const comment = Buffer.from(options.comment ?? '')
  parts.push(listed)
  if (options.isZip64) {
    parts.push(
      Buffer.concat([u32(0x06064b50), u64(44), u16(45, 45), u32(end.disk, end.disk)]),
      Buffer.concat([u64(end.entries, end.entries, end.bytes, end.start)]),
      Buffer.concat([u32(0x07064b50, 0), u64(at + listed.length), u32(1)]),
      Buffer.concat([u32(0x06054b50), u16(0, 0, 0xffff, 0xffff), u32(0xffffffff, 0xffffffff), u16(comment.length)]),
    )
  } else
    parts.push(
      Buffer.concat([u32(0x06054b50), u16(end.disk, end.disk, end.entries, end.entries), u32(end.bytes, end.start)]),
      u16(comment.length),
    )
  return Buffer.concat([...parts, comment])
}
