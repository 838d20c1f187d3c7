import { keepOrientation } from './exif.ts'
import { checkParts, Pieces, uint32BE } from './pieces.ts'
import { keepMatrix } from './profile.ts'
import { damaged } from './rules.ts'

/** RFC 9649 §2.7. Of an image that moves, the first picture is shown: to open it takes as long as the square of how many there are. */
const PARTS = new Set(['VP8X', 'ICCP', 'ANIM', 'ANMF', 'ALPH', 'VP8 ', 'VP8L', 'EXIF'])
/** Of these, what is written anew; nothing where it is not kept. */
const RENEWED: Readonly<Record<string, (data: Buffer) => Buffer | undefined>> = {
  EXIF: keepOrientation,
  ICCP: keepMatrix,
}
/** What `VP8X` says that there is. */
const FLAGS: Readonly<Record<string, number>> = { ICCP: 0x20, EXIF: 0x08 }
const XMP_FLAG = 0x04
/** `RIFF`, how much follows, and `WEBP`. */
const RIFF_BYTES = 12
/** Name and length. */
const FRAME_BYTES = 8

/** The WebP with the first of each of its parts, and nothing behind its end. */
export function readWebp(webp: Buffer): Buffer {
  const end = webp.length < RIFF_BYTES ? 0 : FRAME_BYTES + webp.readUInt32LE(4)
  if (end < RIFF_BYTES + FRAME_BYTES || end > webp.length) throw damaged()
  const pieces = new Pieces(webp)
  pieces.keep(0, RIFF_BYTES)
  const seen = new Set<string>()
  let absent = XMP_FLAG | FLAGS.ICCP! | FLAGS.EXIF!
  let at = RIFF_BYTES
  for (let parts = 1; at < end; parts++) {
    checkParts(parts)
    if (at + FRAME_BYTES > end) throw damaged()
    const name = webp.toString('latin1', at, at + 4)
    const length = webp.readUInt32LE(at + 4)
    if (at + FRAME_BYTES + length > end) throw damaged()
    // An odd length has a byte behind it, which some programs leave out at the end.
    const next = Math.min(end, at + FRAME_BYTES + length + (length % 2))
    if (PARTS.has(name) && !seen.has(name)) {
      const renew = RENEWED[name]
      if (renew) {
        const data = renew(webp.subarray(at + FRAME_BYTES, at + FRAME_BYTES + length))
        pieces.put(...frame(name, data))
        if (data) absent &= ~FLAGS[name]!
      } else pieces.keep(at, next)
      seen.add(name)
    }
    at = next
  }
  const kept = pieces.join()
  kept.writeUInt32LE(kept.length - FRAME_BYTES, 4)
  // It is first, where there is one (§2.7).
  if (kept.toString('latin1', RIFF_BYTES, RIFF_BYTES + 4) === 'VP8X') kept[RIFF_BYTES + FRAME_BYTES]! &= ~absent
  return kept
}

/** Both have an even length, so nothing fills them up. */
const frame = (name: string, data: Buffer | undefined): Buffer[] =>
  data ? [Buffer.from(name), uint32BE(data.length).reverse(), data] : []
