import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { keepOrientation } from './exif.ts'
import { checkParts, Pieces, uint32BE } from './pieces.ts'
import { keepMatrix, MAX_PROFILE_BYTES } from './profile.ts'
import { damaged } from './rules.ts'

/** What its pixels and colours are, and which way up. Everything else is notes, of which a few bytes can unpack to gigabytes while a PNG is opened. */
const PARTS = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'eXIf', 'IDAT', 'IEND'])
/** Of these, what is written anew; nothing where it is not kept. */
const RENEWED: Readonly<Record<string, (data: Buffer) => Buffer | undefined>> = {
  eXIf: keepOrientation,
  iCCP: renewProfile,
}
const SIGNATURE_BYTES = 8
/** Length, name and checksum. */
const FRAME_BYTES = 12
/** The same in every PNG (the PNG specification, §11.2.5); nobody misses it where it is cut off, so it is looked at here. */
const END = Buffer.from('0000000049454e44ae426082', 'hex')

/** The PNG without its notes and whatever comes behind its end. Of each part there is one, but of pixels (§5.6): the first counts. */
export function readPng(png: Buffer): Buffer {
  const pieces = new Pieces(png)
  pieces.keep(0, SIGNATURE_BYTES)
  const seen = new Set<string>()
  let at = SIGNATURE_BYTES
  for (let parts = 1; at + FRAME_BYTES <= png.length; parts++) {
    checkParts(parts)
    const name = png.toString('latin1', at + 4, at + 8)
    const end = at + FRAME_BYTES + png.readUInt32BE(at)
    if (end > png.length) break
    if (PARTS.has(name) && (name === 'IDAT' || !seen.has(name))) {
      const renew = RENEWED[name]
      if (renew) pieces.put(...frame(name, renew(png.subarray(at + 8, end - 4))))
      else pieces.keep(at, end)
    }
    if (name === 'IEND') {
      if (!END.equals(png.subarray(at, end))) break
      return pieces.join()
    }
    seen.add(name)
    at = end
  }
  throw damaged()
}

function frame(name: string, data: Buffer | undefined): Buffer[] {
  if (!data) return []
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  return [uint32BE(data.length), named, uint32BE(crc32(named))]
}

/** Its name, with at most 79 letters, a zero, how it is packed (§11.3.2.3). */
function renewProfile(data: Buffer): Buffer | undefined {
  const nameBytes = data.subarray(0, 80).indexOf(0)
  if (nameBytes < 1) return undefined
  try {
    const profile = keepMatrix(inflateSync(data.subarray(nameBytes + 2), { maxOutputLength: MAX_PROFILE_BYTES }))
    return profile && Buffer.concat([Buffer.from('icc\0\0'), deflateSync(profile)])
  } catch {
    // Damaged, or far larger than a profile is.
    return undefined
  }
}
