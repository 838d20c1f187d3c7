import { createHash } from 'node:crypto'
import { fail } from '../../kernel/errors.ts'

/** `picture`: square, beside a name. `cover`: wide, above a profile. */
export type Kind = 'picture' | 'cover'

interface Shape {
  /** In pixels, ascending; what is made of every image that is sent. */
  readonly widths: readonly number[]
  readonly usual: number
  heightOf(width: number): number
}

export const SHAPES: Record<Kind, Shape> = {
  picture: { widths: [64, 128, 256, 512], usual: 256, heightOf: (width) => width },
  cover: { widths: [640, 1600], usual: 640, heightOf: (width) => (width / 16) * 9 },
}

export const MIN_SIZE = 16
export const MAX_SIZE = 2048

/** The smallest that is at least as wide as was asked for, or the largest. */
export function widthFor(kind: Kind, size?: number): number {
  const { widths, usual } = SHAPES[kind]
  return widths.find((width) => width >= (size ?? usual)) ?? widths.at(-1)!
}

/**
 * Ids of images, as profiles carry them. They are made of what the app knows the user by, so two apps cannot join people by them, and of the image's version: a
 * version of which there is no image shows the generated one.
 */
export const pictureId = (userId: string, version: number): string => `p-${userId}-${version}`
export const coverId = (userId: string, version: number): string => `c-${userId}-${version}`

const IMAGE_ID = /^([pc])-(.+)-(0|[1-9]\d{0,8})$/s

export function parseImageId(id: string): { kind: Kind; userId: string; version: number } | undefined {
  const [, letter, userId, version] = IMAGE_ID.exec(id) ?? []
  if (userId === undefined) return undefined
  return { kind: letter === 'p' ? 'picture' : 'cover', userId, version: Number(version) }
}

/** Of the bytes, never of the version: two people in one browser must not be taken for one another. */
export const etagOf = (bytes: Buffer): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`

/** The longest side and the shortest (pixels). */
const MAX_SIDE = 12_000
const MIN_SIDE = 16
/** A photograph of 40 megapixels; one with more bytes a pixel may have fewer of them. Some images are decoded as a whole, so this is what one may take. */
const MAX_DECODED_BYTES = 160_000_000
export const MAX_PIXELS = 40_000_000

export interface Measures {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly bytesAChannel: number
}

/** Before a pixel is decoded: a few bytes can claim to be any size. */
export function checkMeasures({ width, height, channels, bytesAChannel }: Measures): void {
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
  fail('validationFailed', 'The image is damaged or not whole; open it, save it again and send that')

/** The first bytes of PNG, JPEG and WebP, in hexadecimal. */
const FORMATS = [/^89504e470d0a1a0a/, /^ffd8ff/, /^52494646.{8}57454250/]

/** Decided by the bytes, whatever anybody calls it. */
export function checkFormat(image: Buffer): void {
  if (image.length === 0) throw fail('validationFailed', 'The image is empty; choose a file with a picture in it')
  const start = image.toString('hex', 0, 12)
  if (!FORMATS.some((format) => format.test(start)))
    throw fail('unsupportedMediaType', 'This is not a PNG, JPEG or WebP image; save it as one of these')
}
