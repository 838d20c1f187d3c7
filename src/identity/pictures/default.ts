import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import { LruCache } from '../../kernel/bounds/lru-cache.ts'
import { etagOf, type ImageKind, SHAPES } from './rules.ts'

type Colour = readonly [red: number, green: number, blue: number]

const BACKGROUNDS: readonly Colour[] = [
  [31, 95, 139],
  [46, 107, 62],
  [122, 62, 157],
  [156, 61, 61],
  [138, 90, 0],
  [0, 105, 92],
  [93, 64, 55],
  [55, 71, 79],
  [69, 39, 160],
  [173, 20, 87],
  [51, 105, 30],
  [178, 60, 0],
]

/**
 * The number of columns and rows of cells, the margin around the cells (in cells), and the lightness of the cells (0:
 * like the background, 1: white).
 */
const PATTERNS: Record<ImageKind, { columns: number; rows: number; margin: number; lightness: number }> = {
  picture: { columns: 5, rows: 5, margin: 1.5, lightness: 1 },
  cover: { columns: 16, rows: 9, margin: 0, lightness: 0.15 },
}

const drawn = new LruCache<{ bytes: Buffer; etag: string }>(2_000)

/**
 * Returns the generated image that is shown for a person without an uploaded one. The most recent images are cached.
 */
export function readDefault(kind: ImageKind, width: number, seed: string): { bytes: Buffer; etag: string } {
  const key = `${kind} ${width} ${seed}`
  const known = drawn.get(key)
  if (known) return known
  const bytes = drawDefault(kind, width, seed)
  const made = { bytes, etag: etagOf(bytes) }
  drawn.set(key, made)
  return made
}

/**
 * Draws a symmetric pattern of cells (an identicon) as a PNG of two colours. Colour and cells are derived from the
 * seed: the user id in the app, so that two apps cannot match users by their images.
 */
export function drawDefault(kind: ImageKind, width: number, seed: string): Buffer {
  const { columns, rows, margin, lightness } = PATTERNS[kind]
  const height = SHAPES[kind].heightOf(width)
  const cell = width / (columns + 2 * margin)
  const [first = 0, ...bits] = createHash('sha256').update(seed).digest()
  const isFilled = (column: number, row: number): boolean => {
    if (column < 0 || column >= columns) return false
    const at = row * columns + Math.min(column, columns - 1 - column)
    return ((bits[at >> 3]! >> (at & 7)) & 1) === 1
  }
  // Each line of the PNG is a filter byte (0: none) followed by one bit per pixel.
  const empty = Buffer.alloc(1 + width / 8)
  const lines = Array.from({ length: rows }, (_, row) => {
    const line = Buffer.from(empty)
    for (let x = 0; x < width; x++)
      if (isFilled(Math.floor(x / cell - margin), row)) line[1 + (x >> 3)]! |= 0x80 >> (x & 7)
    return line
  })
  const pixels = Array.from({ length: height }, (_, y) => lines[Math.floor(y / cell - margin)] ?? empty)
  const colour = BACKGROUNDS[first % BACKGROUNDS.length]!
  const light = colour.map((part) => Math.round(part + (255 - part) * lightness))
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // Bit depth 1 and colour type 3, which means a palette (PNG specification, §11.2.1).
  head.set([1, 3], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from([...colour, ...light])),
    chunk('IDAT', deflateSync(Buffer.concat(pixels))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(data.length + 12)
  framed.writeUInt32BE(data.length, 0)
  framed.write(name, 4, 'latin1')
  framed.set(data, 8)
  framed.writeUInt32BE(crc32(framed.subarray(4, -4)), data.length + 8)
  return framed
}
