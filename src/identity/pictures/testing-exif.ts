import { crc32 } from 'node:zlib'
import { plain } from './testing.ts'

export const FORMATS = ['jpeg', 'png', 'webp'] as const
export type Format = (typeof FORMATS)[number]

/**
 * Encodes EXIF data (TIFF 6.0 §2) with these entries: 16-bit numbers (type 3), or offsets of other directories (type
 * 4).
 */
export function exif(
  entries: readonly (readonly [tag: number, type: 3 | 4, value: number])[],
  isLittle = true,
): Buffer {
  const bytes = Buffer.alloc(14 + entries.length * 12)
  const write = (value: number, at: number, size: number) =>
    isLittle ? bytes.writeUIntLE(value, at, size) : bytes.writeUIntBE(value, at, size)
  bytes.write(isLittle ? 'II' : 'MM')
  write(42, 2, 2)
  write(8, 4, 4)
  write(entries.length, 8, 2)
  for (const [i, [tag, type, value]] of entries.entries()) {
    const at = 10 + i * 12
    write(tag, at, 2)
    write(type, at + 2, 2)
    write(1, at + 4, 4)
    write(value, at + 8, type === 3 ? 2 : 4)
  }
  return bytes
}

function number(value: number, size: 2 | 4, isLittle = false): Buffer {
  const bytes = Buffer.alloc(size)
  isLittle ? bytes.writeUIntLE(value, 0, size) : bytes.writeUIntBE(value, 0, size)
  return bytes
}

/** Makes an image that is red on the left and blue on the right, with this EXIF data. */
export async function describe(format: Format, data: Buffer, times = 1): Promise<Buffer> {
  const half = await plain(32, 64, '#0000ff').png().toBuffer()
  const picture = plain(64, 64, '#ff0000').composite([{ input: half, left: 32, top: 0 }])
  const image = await picture.toFormat(format, { lossless: true }).toBuffer()
  if (format === 'png') {
    const named = Buffer.concat([Buffer.from('eXIf'), data])
    const part = Buffer.concat([number(data.length, 4), named, number(crc32(named), 4)])
    return Buffer.concat([image.subarray(0, 33), ...Array<Buffer>(times).fill(part), image.subarray(33)])
  }
  if (format === 'jpeg') {
    const marked = Buffer.concat([Buffer.from('Exif\0\0'), data])
    const part = Buffer.concat([Buffer.from('ffe1', 'hex'), number(marked.length + 2, 2), marked])
    return Buffer.concat([image.subarray(0, 2), ...Array<Buffer>(times).fill(part), image.subarray(2)])
  }
  const head = Buffer.from('565038580a00000008000000' + '3f0000' + '3f0000', 'hex')
  const part = Buffer.concat([Buffer.from('EXIF'), number(data.length, 4, true), data])
  const body = Buffer.concat([head, image.subarray(12), ...Array<Buffer>(times).fill(part)])
  return Buffer.concat([Buffer.from('RIFF'), number(body.length + 4, 4, true), Buffer.from('WEBP'), body])
}

/** Makes EXIF data that refers to itself five thousand times, so that parsing it takes minutes. */
export const exifInItself = (): Buffer =>
  exif(Array.from({ length: 5_400 }, (_, i) => [[0x8769, 0x8825, 0xa005][i % 3]!, 4, 8] as const))
