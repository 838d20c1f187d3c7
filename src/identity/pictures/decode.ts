import sharp from 'sharp'
import { checkMeasures, type ImageKind, MAX_PIXELS, SHAPES } from './rules.ts'

const QUALITY = 82
/** Replaces transparency, so that an image looks the same in every app. */
const BACKGROUND = '#ffffff'

// Restricts libvips to three formats, read from memory only.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
})
sharp.cache(false)
sharp.concurrency(1)

/** Refuses truncated or damaged images, but tolerates warnings: many phones write JPEGs that cause one. */
const STRICT = { failOn: 'error', sequentialRead: true } as const

/** The number of pixels that the image declares. Decodes nothing, and refuses images that are too large. */
export async function readPixels(image: Buffer): Promise<number> {
  const { width, height, channels, depth } = await sharp(image, { ...STRICT, limitInputPixels: false }).metadata()
  checkMeasures({ width, height, channels, bytesAChannel: depth === 'uchar' ? 1 : 2 })
  return width * height
}

/**
 * Makes all sizes, from the first frame if there are several. Keeps only pixels: upright, in sRGB, without metadata.
 */
export async function makeSizes(image: Buffer, kind: ImageKind): Promise<Buffer[]> {
  const { widths, heightOf } = SHAPES[kind]
  const largest = widths.at(-1)!
  // Decoded once; the smaller sizes are made from the largest.
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
