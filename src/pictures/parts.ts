import { fail } from '../errors.ts'

/** What its pixels and colours are, and which way up. Everything else is notes, of which a few bytes can unpack to gigabytes while a PNG is opened. */
const PNG_PARTS = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'eXIf', 'IDAT', 'IEND'])
const PNG_SIGNATURE_BYTES = 8
/** Length, name and checksum. */
const PNG_FRAME_BYTES = 12

/** The PNG without its notes and whatever comes behind its end. What is not whole stays so. */
export function leaveOutNotes(png: Buffer): Buffer {
  const kept: Buffer[] = []
  let keptFrom = 0
  let at = PNG_SIGNATURE_BYTES
  while (at + PNG_FRAME_BYTES <= png.length) {
    const name = png.toString('latin1', at + 4, at + 8)
    const end = at + PNG_FRAME_BYTES + png.readUInt32BE(at)
    if (!PNG_PARTS.has(name)) {
      kept.push(png.subarray(keptFrom, at))
      keptFrom = Math.min(end, png.length)
    }
    at = end
    if (name === 'IEND') break
  }
  kept.push(png.subarray(keptFrom, Math.min(at, png.length)))
  return Buffer.concat(kept)
}

/** The usual progressive JPEG has ten. Each scan is a walk over all pixels, and takes as little as fifty bytes. */
const MAX_SCANS = 50
const START_OF_SCAN = 0xda
const END_OF_IMAGE = 0xd9

export function checkScans(jpeg: Buffer): void {
  if (countScans(jpeg) > MAX_SCANS)
    throw fail('validationFailed', 'The JPEG has too many scans; open it, save it again and send that')
}

/** ITU T.81 §B.1.1: a marker is FF and a byte that is neither 00, which stands for FF among the pixels, nor another FF. */
function countScans(jpeg: Buffer): number {
  let scans = 0
  let at = 3
  while (at < jpeg.length) {
    const marker = jpeg[at]!
    if (jpeg[at - 1] !== 0xff || marker === 0 || marker === 0xff) {
      at++
      continue
    }
    if (marker === END_OF_IMAGE) break
    if (marker === START_OF_SCAN) scans++
    // Those for restarts, TEM and SOI stand alone; all others have a length.
    const isAlone = (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01
    if (!isAlone && at + 3 > jpeg.length) break
    at += 2 + (isAlone ? 0 : Math.max(2, jpeg.readUInt16BE(at + 1)))
  }
  return scans
}
