import { fail } from '../errors.ts'
import { isExif, keepOrientation } from './exif.ts'
import type { Parts } from './parts.ts'
import { checkParts, Pieces } from './pieces.ts'
import { keepMatrix } from './profile.ts'
import { damaged, MAX_SCANS, tooManyScans } from './rules.ts'

const END_OF_IMAGE = 0xd9
const START_OF_SCAN = 0xda
const PROGRESSIVE = 0xc2
const EXIF_MARKER = 0xe1
const PROFILE_MARKER = 0xe2

/** Baseline, extended and progressive, all in Huffman's code (SOF0 to SOF2). */
const isUsual = (marker: number): boolean => marker >= 0xc0 && marker <= 0xc2
/** DHT, SOS, DQT and DRI; of what applications add, JFIF and Adobe's word on colours (APP0, APP14). */
const KEPT = new Set([0xc4, START_OF_SCAN, 0xdb, 0xdd, 0xe0, 0xee])
/** COM and the other APPs. */
const isNote = (marker: number): boolean => marker === 0xfe || (marker >= 0xe1 && marker <= 0xef && marker !== 0xee)
/** For a restart, among the pixels: alone, where all others have a length. */
const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7

/** The end of every start of scan, where nothing comes bit by bit (ITU T.81 §B.2.3). Some telephones write something else there, which decoders put up with, complaining. */
const ALL_AT_ONCE = Buffer.from([0, 63, 0])

/** Arithmetic coding in some bytes is minutes of work, and every JPEG that people have is of the usual kind. */
const unusual = () => fail('validationFailed', 'The JPEG is of an unusual kind; open it, save it again and send that')

/**
 * The JPEG without its notes, and whatever comes behind its end. ITU T.81 §B.1.1: a marker is FF and a byte that is neither 00, which stands for FF among the
 * pixels, nor another FF. What is not known here could be passed over differently by the decoder, which then finds other parts; so it is refused.
 */
export function readJpeg(jpeg: Buffer): Parts {
  const pieces = new Pieces(jpeg)
  const renewed = new Set<number>()
  let keptTo = 0
  let isProgressive = false
  let scans = 0
  let parts = 0
  let at = 3
  while (at < jpeg.length) {
    const marker = jpeg[at]!
    if (jpeg[at - 1] !== 0xff || marker === 0 || marker === 0xff || isRestart(marker)) {
      at++
      continue
    }
    if (marker === END_OF_IMAGE) {
      pieces.keep(keptTo, at + 1)
      return { image: pieces.join(), scans }
    }
    checkParts(++parts)
    if (marker === START_OF_SCAN && ++scans > MAX_SCANS) throw tooManyScans()
    const end = at + 3 > jpeg.length ? Number.POSITIVE_INFINITY : at + 1 + jpeg.readUInt16BE(at + 1)
    if (end > jpeg.length || end < at + 3) throw damaged()
    if (marker === PROGRESSIVE) isProgressive = true
    if (marker === START_OF_SCAN && !isProgressive && end - at > ALL_AT_ONCE.length + 2) {
      pieces.keep(keptTo, end - ALL_AT_ONCE.length)
      pieces.put(ALL_AT_ONCE)
      keptTo = end
    } else if (isNote(marker)) {
      pieces.keep(keptTo, at - 1)
      keptTo = end
      const note = renewed.has(marker) ? undefined : renew(marker, jpeg.subarray(at + 3, end))
      if (note) {
        renewed.add(marker)
        pieces.put(Buffer.from([0xff, marker, (note.length + 2) >> 8, (note.length + 2) & 0xff]), note)
      }
    } else if (!KEPT.has(marker) && !isUsual(marker)) throw unusual()
    at = end + 1
  }
  throw damaged()
}

const EXIF = Buffer.from('Exif\0\0')
/** The first of one, as all that are not larger than the platform reads: this is how parts of them are numbered. */
const PROFILE = Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1')

/** What is left of a note; nothing where it is none of those that are about the pixels. */
function renew(marker: number, note: Buffer): Buffer | undefined {
  if (marker === EXIF_MARKER && isExif(note)) return Buffer.concat([EXIF, keepOrientation(note)])
  if (marker !== PROFILE_MARKER || !PROFILE.equals(note.subarray(0, PROFILE.length))) return undefined
  const profile = keepMatrix(note.subarray(PROFILE.length))
  return profile && Buffer.concat([PROFILE, profile])
}
