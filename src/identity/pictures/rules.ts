import { createHash } from 'node:crypto'
import { fail } from '../../kernel/errors.ts'

/** A `picture` is square and shown beside a name; a `cover` is wide and shown above a profile. */
export type ImageKind = 'picture' | 'cover'

interface Shape {
  /** The widths in pixels, ascending, of the sizes made from every uploaded image. */
  readonly widths: readonly number[]
  readonly usual: number
  heightOf(width: number): number
}

export const SHAPES: Record<ImageKind, Shape> = {
  picture: { widths: [64, 128, 256, 512], usual: 256, heightOf: (width) => width },
  cover: { widths: [640, 1600], usual: 640, heightOf: (width) => (width / 16) * 9 },
}

export const MIN_SIZE = 16
export const MAX_SIZE = 2048

/** Returns the smallest width that is at least the requested one, or the largest width if there is none. */
export function widthFor(kind: ImageKind, size?: number): number {
  const { widths, usual } = SHAPES[kind]
  return widths.find((width) => width >= (size ?? usual)) ?? widths.at(-1)!
}

/** Matches the ids that `pictureId` and `coverId` make. */
const IMAGE_ID = /^([pc])-(.+)-(0|[1-9]\d{0,8})$/s

export function parseImageId(id: string): { kind: ImageKind; userId: string; version: number } | undefined {
  const [, letter, userId, version] = IMAGE_ID.exec(id) ?? []
  if (userId === undefined) return undefined
  return { kind: letter === 'p' ? 'picture' : 'cover', userId, version: Number(version) }
}

/**
 * Computes the ETag from the bytes and not from the version: two people who use the same browser get their own images
 * at the same URL, so their ETags must differ.
 */
export const etagOf = (bytes: Buffer): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`

/** Limits for the width and the height in pixels. */
const MAX_SIDE = 12_000
const MIN_SIDE = 16
/**
 * Maximum size of a decoded image: 40 megapixels at 4 bytes per pixel. Some formats are decoded as a whole, so this
 * limits the memory needed.
 */
const MAX_DECODED_BYTES = 160_000_000
export const MAX_PIXELS = 40_000_000

export interface Dimensions {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly bytesAChannel: number
}

/**
 * Throws if the image is too small or too large. Runs before anything is decoded, because a file of a few bytes can
 * declare any size.
 */
export function checkMeasures({ width, height, channels, bytesAChannel }: Dimensions): void {
  const pixels = width * height
  const most = `${MAX_PIXELS / 1_000_000} megapixels and ${MAX_SIDE} pixels on a side`
  if (Math.min(width, height) < MIN_SIDE)
    throw fail('validationFailed', `The image is too small; send one of at least ${MIN_SIDE} by ${MIN_SIDE} pixels`)
  if (Math.max(width, height) > MAX_SIDE || pixels > MAX_PIXELS)
    throw fail('validationFailed', `The image has too many pixels; send one of at most ${most}`)
  if (pixels * channels * bytesAChannel > MAX_DECODED_BYTES)
    throw fail('validationFailed', 'The image has too many pixels for 16 bits per colour; save it with 8 bits')
}

export const damaged = () =>
  fail('validationFailed', 'The image is damaged or incomplete; open it, save it again and send that file')

/** The first bytes of PNG, JPEG and WebP, in hexadecimal. */
const FORMATS = [/^89504e470d0a1a0a/, /^ffd8ff/, /^52494646.{8}57454250/]

/**
 * Throws if the file is not an image of a supported format, judging by the first bytes and not by the declared type.
 */
export function checkFormat(image: Buffer): void {
  if (image.length === 0) throw fail('validationFailed', 'The file is empty; choose an image')
  const start = image.toString('hex', 0, 12)
  if (!FORMATS.some((format) => format.test(start)))
    throw fail('unsupportedMediaType', 'This is not a PNG, JPEG or WebP image; save it as one of these')
}
