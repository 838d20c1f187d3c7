import sharp from 'sharp'
import { PlatformError } from '../errors.ts'
import { readParts } from './parts.ts'
import { checkMeasures, damaged, type Format, type Kind, MAX_PIXELS, SHAPES, weigh } from './rules.ts'

const QUALITY = 82
/** Behind what is transparent: nobody sees pixels in one app that they do not see in another. */
const BACKGROUND = '#ffffff'

// Of everything that libvips can read, three formats, from memory alone.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
})
// No image is read twice, and each has one thread.
sharp.cache(false)
sharp.concurrency(1)

/** As strict as it gets: `warning` includes what is cut short or broken. Of an image that moves, the first picture. */
const STRICT = { failOn: 'warning', limitInputPixels: MAX_PIXELS, sequentialRead: true } as const

export interface Measured {
  /** What may be decoded. */
  readonly image: Buffer
  /** What that counts for. */
  readonly pixels: number
}

/** Looks at an image without decoding it, and refuses what is too large. */
export async function measure(sent: Buffer, format: Format): Promise<Measured> {
  const { image, scans } = readParts(sent, format)
  const found = await sharp(image, { ...STRICT, limitInputPixels: false })
    .metadata()
    .catch(refuse)
  const { width, height, channels, depth } = found
  if (found.format !== format) throw damaged()
  checkMeasures({ width, height, channels, bytesAChannel: depth === 'uchar' ? 1 : 2 })
  return { image, pixels: weigh({ width, height, scans }) }
}

/**
 * Makes all sizes of an image that was measured. What comes out is drawn anew from the pixels: no place, camera, comment, profile or anything that was hidden before,
 * between or behind them.
 */
export async function makeSizes(image: Buffer, kind: Kind): Promise<Buffer[]> {
  const { widths, heightOf } = SHAPES[kind]
  const largest = widths.at(-1)!
  // Decoded once; the others are made of the largest.
  const { data, info } = await sharp(image, STRICT)
    .autoOrient()
    .resize(largest, heightOf(largest), { fit: 'cover' })
    .flatten({ background: BACKGROUND })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(refuse)
  const { width, height, channels } = info
  const raw = { width, height, channels }
  const sizes: Buffer[] = []
  for (const width of widths)
    sizes.push(await sharp(data, { raw }).resize(width, heightOf(width)).webp({ quality: QUALITY }).toBuffer())
  return sizes
}

function refuse(problem: unknown): never {
  throw problem instanceof PlatformError ? problem : damaged(problem)
}
