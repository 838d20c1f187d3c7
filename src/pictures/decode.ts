import { createHash } from 'node:crypto'
import { PlatformError } from '../errors.ts'
import { readParts } from './parts.ts'
import { checkMeasures, damaged, type Format, type Kind, MAX_PIXELS, SHAPES } from './rules.ts'

const TIMEOUT_SECONDS = 10
const QUALITY = 82
/** Behind what is transparent: nobody sees pixels in one app that they do not see in another. */
const BACKGROUND = '#ffffff'

export interface Sized {
  readonly width: number
  readonly bytes: Buffer<ArrayBuffer>
  readonly etag: string
}

type Sharp = typeof import('sharp')['default']
let loading: Promise<Sharp> | undefined

/** Loaded with the first image that is sent: it takes 20 MiB, and many processes never see one. */
function loadSharp(): Promise<Sharp> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // Of everything that libvips can read, three formats, from memory alone.
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({
      operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
    })
    // No image is read twice, and each has one thread.
    sharp.cache(false)
    sharp.concurrency(1)
    return sharp
  })
  return loading
}

/** As strict as it gets: `warning` includes what is cut short or broken. Of an image that moves, the first picture. */
const STRICT = { failOn: 'warning', limitInputPixels: MAX_PIXELS, sequentialRead: true } as const

export interface Work {
  readonly kind: Kind
  readonly image: Buffer
  readonly format: Format
  /** Told how many pixels it has before they are decoded; refuses by throwing. */
  measured(pixels: number): void
  /** Its time is up: nothing more is begun. */
  readonly signal: AbortSignal
}

/**
 * Makes all sizes of an image. What comes out is drawn anew from the pixels: no place, camera, comment, profile or anything that was hidden before, between or
 * behind them.
 */
export async function makeSizes({ kind, image: sent, format, measured, signal }: Work): Promise<Sized[]> {
  const image = readParts(sent, format)
  const sharp = await loadSharp()
  const { widths, heightOf } = SHAPES[kind]
  const largest = widths.at(-1)!
  try {
    const {
      width,
      height,
      channels,
      depth,
      format: found,
    } = await sharp(image, { ...STRICT, limitInputPixels: false }).metadata()
    signal.throwIfAborted()
    if (found !== format) throw damaged()
    checkMeasures({ width, height, channels, bytesAChannel: depth === 'uchar' ? 1 : 2 })
    measured(width * height)
    // Decoded once; the others are made of the largest.
    const { data, info } = await sharp(image, STRICT)
      .autoOrient()
      .resize(largest, heightOf(largest), { fit: 'cover' })
      .flatten({ background: BACKGROUND })
      .toColourspace('srgb')
      .raw()
      .timeout({ seconds: TIMEOUT_SECONDS })
      .toBuffer({ resolveWithObject: true })
    const { width: rawWidth, height: rawHeight, channels: rawChannels } = info
    const raw = { width: rawWidth, height: rawHeight, channels: rawChannels }
    const sizes: Sized[] = []
    for (const width of widths) {
      signal.throwIfAborted()
      const bytes = await sharp(data, { raw }).resize(width, heightOf(width)).webp({ quality: QUALITY }).toBuffer()
      sizes.push({ width, bytes, etag: etagOf(bytes) })
    }
    return sizes
  } catch (error) {
    throw error instanceof PlatformError ? error : damaged(error)
  }
}

export const etagOf = (bytes: Buffer): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
