import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { chunk, HEAD_BYTES, plain, riff, webpPart } from './testing.ts'
import type { Format } from './testing-exif.ts'

const u16 = (...values: number[]): Buffer => Buffer.concat(values.map((value) => Buffer.of(value >> 8, value & 0xff)))
const u32 = (...values: number[]): Buffer => Buffer.concat(values.map((value) => u16(value >>> 16, value & 0xffff)))
const float = (...values: number[]): Buffer =>
  Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(4)
      bytes.writeFloatBE(value)
      return bytes
    }),
  )
/** Encodes numbers in units of 1/65,536 (s15Fixed16). */
const fixed = (...values: number[]): Buffer => u32(...values.map((value) => Math.round(value * 65_536) >>> 0))
/** Encodes a tag: the type signature, four reserved bytes, and the data. */
const typed = (name: string, ...rest: Buffer[]): Buffer => Buffer.concat([Buffer.from(name), u32(0), ...rest])

export type Tags = Record<string, Buffer>

/** Encodes a colour profile (ICC.1:2022 §7). */
export function profile(tags: Tags, { space = 'RGB ', kind = 'mntr', connection = 'XYZ ' } = {}): Buffer {
  const head = Buffer.alloc(128)
  head.writeUInt32BE(0x04400000, 8)
  head.write(`${kind}${space}${connection}`, 12)
  head.write('acsp', 36)
  fixed(0.9642, 1, 0.8249).copy(head, 68)
  const all = Object.entries(tags)
  const table = [u32(all.length)]
  let at = 128 + 4 + 12 * all.length
  const data = all.map(([name, bytes]) => {
    table.push(Buffer.from(name), u32(at, bytes.length))
    const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)])
    at += padded.length
    return padded
  })
  head.writeUInt32BE(at)
  return Buffer.concat([head, ...table, ...data])
}

const xyz = (...values: number[]): Buffer => typed('XYZ ', fixed(...values))
/** Encodes a gamma curve, whose exponent is in units of 1/256. */
export const power = (value: number): Buffer => typed('curv', u32(1), u16(Math.round(value * 256)))

/** The primaries and the curve of Adobe RGB (1998). */
export const ADOBE: Tags = {
  wtpt: xyz(0.9505, 1, 1.0891),
  rXYZ: xyz(0.60974, 0.31111, 0.01947),
  gXYZ: xyz(0.20528, 0.62567, 0.06087),
  bXYZ: xyz(0.14919, 0.06322, 0.74457),
  rTRC: power(2.19921875),
  gTRC: power(2.19921875),
  bTRC: power(2.19921875),
}

/**
 * Encodes a tag with a program of many identical steps. Each step is a curve that takes time to compute or, with
 * `points`, a curve with many points, which takes memory.
 */
export function program(steps: number, points = 0): Buffer {
  const curve = points
    ? Buffer.concat([typed('samf', u32(points)), Buffer.alloc(4 * points)])
    : typed('parf', u16(0, 0), float(1.0001, 1, 0, 0))
  const segments = Buffer.concat([typed('curf', u16(1, 0)), curve])
  const step = Buffer.concat([typed('cvst', u16(3, 3)), ...Array(3).fill(u32(36, segments.length)), segments])
  const places = Buffer.alloc(8 * steps, u32(16 + 8 * steps, step.length))
  return Buffer.concat([typed('mpet', u16(3, 3), u32(steps)), places, step])
}

/** Makes an image of one colour with an embedded profile. */
export async function withProfile(format: Format, icc: Buffer, colour = '#aa5522'): Promise<Buffer> {
  const image = await plain(64, 64, colour).toFormat(format, { lossless: true }).toBuffer()
  if (format === 'png') {
    const data = Buffer.concat([Buffer.from('x\0\0'), deflateSync(icc, { level: 9 })])
    return Buffer.concat([image.subarray(0, HEAD_BYTES), chunk('iCCP', data), image.subarray(HEAD_BYTES)])
  }
  if (format === 'webp')
    return riff(webpPart('VP8X', [0x20, 0, 0, 0, 63, 0, 0, 63, 0, 0]), webpPart('ICCP', icc), image.subarray(12))
  const most = 65_000
  const count = Math.ceil(icc.length / most)
  const segments = Array.from({ length: count }, (_, i) => {
    const part = icc.subarray(i * most, (i + 1) * most)
    return Buffer.concat([u16(0xffe2, part.length + 16), Buffer.from('ICC_PROFILE\0'), Buffer.of(i + 1, count), part])
  })
  return Buffer.concat([image.subarray(0, 2), ...segments, image.subarray(2)])
}

/** Returns the image's colour in sRGB, converted by a library that applies complete profiles. */
export async function convert(image: Buffer): Promise<number[]> {
  const { data } = await sharp(image).toColourspace('srgb').removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return [...data.subarray(0, 3)]
}
