import { crc32, deflateSync } from 'node:zlib'

export type Colour = readonly [red: number, green: number, blue: number]

/** Shades between two colours, in four bits. */
export const SHADES = 16

/** One byte a pixel, 0 (all of one colour) to 15 (all of the other). */
export interface Drawing {
  readonly width: number
  readonly height: number
  readonly shades: Uint8Array
}

/** PNG with a palette (the PNG specification, §11.2): a flat drawing takes one to ten KiB. */
export function encodePng({ width, height, shades }: Drawing, from: Colour, to: Colour): Buffer {
  const palette = Array.from({ length: SHADES }, (_, i) =>
    from.map((part, channel) => Math.round(part + ((to[channel]! - part) * i) / (SHADES - 1))),
  )
  const rowBytes = 1 + width / 2
  const rows = Buffer.alloc(rowBytes * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x += 2)
      rows[y * rowBytes + 1 + x / 2] = (shades[y * width + x]! << 4) | shades[y * width + x + 1]!
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([4, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(named, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}
