import { crc32 } from 'node:zlib'
import { fail } from '../errors.ts'
import { isExif, keepOrientation } from './exif.ts'
import { damaged, type Format } from './rules.ts'

/**
 * Decoders take time and memory for each part before anybody knows how large the image is. A photograph has a hundred, or some thousands where its pixels come in
 * small pieces.
 */
const MAX_PARTS = 20_000

const tooManyParts = () =>
  fail('validationFailed', 'The image consists of too many parts; open it, save it again and send that')

/** What the decoder gets to read: the image without whatever costs more than its pixels. Refused where it has too many parts or is not whole. */
export function readParts(image: Buffer, format: Format): Buffer {
  if (format === 'png') return readPng(image)
  if (format === 'webp') return readWebp(image)
  return readJpeg(image)
}

/** Pieces of an image, those beside each other as one. */
class Pieces {
  readonly #from: Buffer
  readonly #kept: Buffer[] = []
  #start = 0
  #end = 0

  constructor(from: Buffer) {
    this.#from = from
  }

  keep(start: number, end: number): void {
    if (start !== this.#end) {
      this.#kept.push(this.#from.subarray(this.#start, this.#end))
      this.#start = start
    }
    this.#end = end
  }

  /** In the place of one that is not kept. */
  put(...pieces: Buffer[]): void {
    this.#kept.push(this.#from.subarray(this.#start, this.#end), ...pieces)
    this.#start = this.#end
  }

  join(): Buffer {
    return Buffer.concat([...this.#kept, this.#from.subarray(this.#start, this.#end)])
  }
}

/** What its pixels and colours are, and which way up. Everything else is notes, of which a few bytes can unpack to gigabytes while a PNG is opened. */
const PNG_PARTS = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'eXIf', 'IDAT', 'IEND'])
const PNG_SIGNATURE_BYTES = 8
/** Length, name and checksum. */
const PNG_FRAME_BYTES = 12
/** The same in every PNG (the PNG specification, §11.2.5); nobody misses it where it is cut off, so it is looked at here. */
const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex')

/** The PNG without its notes and whatever comes behind its end. Of each part there is one, but of pixels (§5.6): the first counts. */
function readPng(png: Buffer): Buffer {
  const pieces = new Pieces(png)
  pieces.keep(0, PNG_SIGNATURE_BYTES)
  const seen = new Set<string>()
  let at = PNG_SIGNATURE_BYTES
  for (let parts = 1; at + PNG_FRAME_BYTES <= png.length; parts++) {
    if (parts > MAX_PARTS) throw tooManyParts()
    const name = png.toString('latin1', at + 4, at + 8)
    const end = at + PNG_FRAME_BYTES + png.readUInt32BE(at)
    if (end > png.length) break
    if (PNG_PARTS.has(name) && (name === 'IDAT' || !seen.has(name))) {
      if (name === 'eXIf') pieces.put(...pngExif(png.subarray(at + 8, end - 4)))
      else pieces.keep(at, end)
    }
    if (name === 'IEND') {
      if (!PNG_END.equals(png.subarray(at, end))) break
      return pieces.join()
    }
    seen.add(name)
    at = end
  }
  throw damaged()
}

function pngExif(exif: Buffer): Buffer[] {
  const named = Buffer.concat([Buffer.from('eXIf'), keepOrientation(exif)])
  return [uint32BE(named.length - 4), named, uint32BE(crc32(named))]
}

function uint32BE(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** RFC 9649 §2.7. Of an image that moves, the first picture is shown: to open it takes as long as the square of how many there are. */
const WEBP_PARTS = new Set(['VP8X', 'ICCP', 'ANIM', 'ANMF', 'ALPH', 'VP8 ', 'VP8L', 'EXIF', 'XMP '])
/** `RIFF`, how much follows, and `WEBP`. */
const RIFF_BYTES = 12
/** Name and length. */
const WEBP_FRAME_BYTES = 8

/** The WebP with the first of each of its parts, and nothing behind its end. */
function readWebp(webp: Buffer): Buffer {
  const end = webp.length < RIFF_BYTES ? 0 : WEBP_FRAME_BYTES + webp.readUInt32LE(4)
  if (end < RIFF_BYTES + WEBP_FRAME_BYTES || end > webp.length) throw damaged()
  const pieces = new Pieces(webp)
  pieces.keep(0, RIFF_BYTES)
  const seen = new Set<string>()
  let at = RIFF_BYTES
  for (let parts = 1; at < end; parts++) {
    if (parts > MAX_PARTS) throw tooManyParts()
    if (at + WEBP_FRAME_BYTES > end) throw damaged()
    const name = webp.toString('latin1', at, at + 4)
    const length = webp.readUInt32LE(at + 4)
    if (at + WEBP_FRAME_BYTES + length > end) throw damaged()
    // An odd length has a byte behind it, which some programs leave out at the end.
    const next = Math.min(end, at + WEBP_FRAME_BYTES + length + (length % 2))
    if (WEBP_PARTS.has(name) && !seen.has(name)) {
      if (name === 'EXIF') pieces.put(...webpExif(webp.subarray(at + WEBP_FRAME_BYTES, next)))
      else pieces.keep(at, next)
      seen.add(name)
    }
    at = next
  }
  const kept = pieces.join()
  kept.writeUInt32LE(kept.length - WEBP_FRAME_BYTES, 4)
  return kept
}

function webpExif(exif: Buffer): Buffer[] {
  const short = keepOrientation(exif)
  return [Buffer.from('EXIF'), uint32BE(short.length).reverse(), short]
}

/** The usual progressive JPEG has ten. Each scan is a walk over all pixels, and takes as little as fifty bytes. */
const MAX_SCANS = 50
const START_OF_SCAN = 0xda
const END_OF_IMAGE = 0xd9

/** Notes are in COM and APP0 to APP15. Of these JFIF, the profile of colours and Adobe's word on them (APP0, APP2, APP14) are about the pixels. */
const isNote = (marker: number): boolean =>
  marker === 0xfe || (marker >= 0xe0 && marker <= 0xef && ![0xe0, 0xe2, 0xee].includes(marker))
const EXIF_MARKER = 0xe1

/**
 * The JPEG without its notes. ITU T.81 §B.1.1: a marker is FF and a byte that is neither 00, which stands for FF among the pixels, nor another FF.
 */
function readJpeg(jpeg: Buffer): Buffer {
  const pieces = new Pieces(jpeg)
  let keptTo = 0
  let hasExif = false
  let scans = 0
  let parts = 0
  let at = 3
  while (at < jpeg.length) {
    const marker = jpeg[at]!
    if (jpeg[at - 1] !== 0xff || marker === 0 || marker === 0xff) {
      at++
      continue
    }
    if (marker === END_OF_IMAGE) break
    if (marker === START_OF_SCAN && ++scans > MAX_SCANS)
      throw fail('validationFailed', 'The JPEG has too many scans; open it, save it again and send that')
    // Those for restarts, TEM and SOI stand alone; all others have a length.
    const isAlone = (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01
    if (!isAlone && ++parts > MAX_PARTS) throw tooManyParts()
    if (!isAlone && at + 3 > jpeg.length) break
    const end = at + 1 + (isAlone ? 0 : Math.max(2, jpeg.readUInt16BE(at + 1)))
    if (isNote(marker)) {
      if (end > jpeg.length) throw damaged()
      pieces.keep(keptTo, at - 1)
      keptTo = end
      const note = jpeg.subarray(at + 3, end)
      if (marker === EXIF_MARKER && !hasExif && isExif(note)) {
        pieces.put(...jpegExif(note))
        hasExif = true
      }
    }
    at = end + 1
  }
  pieces.keep(keptTo, jpeg.length)
  return pieces.join()
}

function jpegExif(exif: Buffer): Buffer[] {
  const short = Buffer.concat([Buffer.from('Exif\0\0'), keepOrientation(exif)])
  return [Buffer.from([0xff, EXIF_MARKER, 0, short.length + 2]), short]
}
