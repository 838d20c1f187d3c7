import sharp from 'sharp'
import { checkMeasures, type Kind, MAX_PIXELS, SHAPES } from './rules.ts'

const QUALITY = 82
/** Behind what is transparent: nobody sees pixels in one app that they do not see in another. */
const BACKGROUND = '#ffffff'

// Of everything that libvips can read, three formats, from memory alone.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
})
sharp.cache(false)
sharp.concurrency(1)

/** What is cut short or broken is refused. Not so a warning: many telephones write JPEGs that deserve one. */
const STRICT = { failOn: 'error', sequentialRead: true } as const

/** How many pixels the image declares. Nothing is decoded, and what is too large is refused. */
export async function readPixels(image: Buffer): Promise<number> {
  const { width, height, channels, depth } = await sharp(image, { ...STRICT, limitInputPixels: false }).metadata()
  checkMeasures({ width, height, channels, bytesAChannel: depth === 'uchar' ? 1 : 2 })
  return width * height
}

/** Makes all sizes, of the first picture where there are several. Only pixels are left: turned upright, in sRGB, without any metadata. */
export async function makeSizes(image: Buffer, kind: Kind): Promise<Buffer[]> {
  const { widths, heightOf } = SHAPES[kind]
  const largest = widths.at(-1)!
  // Decoded once; the others are made of the largest.
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
