import sharp from 'sharp'
import { checkMeasures, type ImageKind, MAX_PIXELS, SHAPES } from './rules.ts'

const QUALITY = 82
/** The colour that replaces transparency, so that an image looks the same in every app. */
const BACKGROUND = '#ffffff'

// Allow libvips to read only three formats, and only from memory.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
})
sharp.cache(false)
sharp.concurrency(1)

/** Refuses truncated or damaged images, but tolerates warnings, because the JPEGs of many phones cause one. */
const STRICT = { failOn: 'error', sequentialRead: true } as const

/**
 * Returns the number of pixels that the image declares, without decoding it. Throws if it is too small or too large.
 */
export async function readPixels(image: Buffer): Promise<number> {
  const { width, height, channels, depth } = await sharp(image, { ...STRICT, limitInputPixels: false }).metadata()
  checkMeasures({ width, height, channels, bytesAChannel: depth === 'uchar' ? 1 : 2 })
  return width * height
}

/**
 * Makes all sizes of an image; of an animation, only the first frame is used. Keeps only the pixels: upright, in sRGB,
 * without metadata.
 */
export async function makeSizes(image: Buffer, kind: ImageKind): Promise<Buffer[]> {
  const { widths, heightOf } = SHAPES[kind]
  const largest = widths.at(-1)!
  // The image is decoded once, at the largest size; the smaller sizes are made from that.
  const { data, info } = await sharp(image, { ...STRICT, limitInputPixels: MAX_PIXELS })
    .autoOrient()
    .resize(largest, heightOf(largest), { fit: 'cover' })
    .flatten({ background: BACKGROUND })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const sizes: Buffer[] = []
  for (const one of widths) {
    const sized = sharp(data, { raw: { width, height, channels } }).resize(one, heightOf(one))
    sizes.push(await sized.webp({ quality: QUALITY }).toBuffer())
  }
  return sizes
}
