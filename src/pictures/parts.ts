import { readJpeg } from './jpeg-parts.ts'
import { readPng } from './png-parts.ts'
import type { Format } from './rules.ts'
import { readWebp } from './webp-parts.ts'

export interface Parts {
  /** What the decoder gets to read. */
  readonly image: Buffer
  /** How often it walks over all pixels. */
  readonly scans: number
}

/** The image without whatever costs more than its pixels. Refused where it has too many parts, or is not whole. */
export function readParts(image: Buffer, format: Format): Parts {
  if (format === 'jpeg') return readJpeg(image)
  return { image: format === 'png' ? readPng(image) : readWebp(image), scans: 1 }
}
