const PREFIX = 'Exif\0\0'
const ORIENTATION = 0x0112
const ENTRY_BYTES = 12

/** With what EXIF begins in a JPEG, and at times elsewhere. */
export const isExif = (bytes: Buffer): boolean => bytes.toString('latin1', 0, PREFIX.length) === PREFIX

/**
 * EXIF that says which way up, and nothing else: a description that contains itself, in 64 KiB, keeps the decoder busy for a minute. Written as TIFF 6.0 §2 has
 * it, without the prefix.
 */
export function keepOrientation(exif: Buffer): Buffer {
  const short = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex')
  short.writeUInt16BE(readOrientation(isExif(exif) ? exif.subarray(PREFIX.length) : exif), 18)
  return short
}

/** 1 to 8; 1, as it is, where nothing says otherwise. */
function readOrientation(tiff: Buffer): number {
  if (tiff.length < 10) return 1
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const read16 = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (start + 2 > tiff.length) return 1
  const end = Math.min(tiff.length, start + 2 + read16(start) * ENTRY_BYTES)
  for (let at = start + 2; at + ENTRY_BYTES <= end; at += ENTRY_BYTES) {
    if (read16(at) !== ORIENTATION) continue
    const value = read16(at + 8)
    return value >= 1 && value <= 8 ? value : 1
  }
  return 1
}
