import { createHash } from 'node:crypto'
import { LruCache } from '../bounds/lru-cache.ts'
import { type Point, strokesOf } from './glyphs.ts'
import { type Colour, type Drawing, encodePng, SHADES } from './png.ts'
import { etagOf, type Kind, SHAPES } from './rules.ts'

/** White reads on each of them (WCAG 2.2 §1.4.3: 4.5 to 1 and more). */
export const BACKGROUNDS: readonly Colour[] = [
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
const WHITE: Colour = [255, 255, 255]

export interface Subject {
  /** One or two letters; none: a figure is drawn. */
  readonly initials: string
  /** Decides the colour: what the app knows the user by, and nothing that two apps know. */
  readonly seed: string
}

/** Drawings, by what is on them: many people share one. */
const drawn = new LruCache<{ bytes: Buffer; etag: string }>(500)

/** The image of somebody who has not sent one. The same person has the same, in the same app. */
export function drawDefault(kind: Kind, width: number, { initials, seed }: Subject): { bytes: Buffer; etag: string } {
  const colour = createHash('sha256').update(seed).digest().readUInt32BE() % BACKGROUNDS.length
  const key = `${kind} ${width} ${colour} ${kind === 'picture' ? initials : ''}`
  const known = drawn.get(key)
  if (known) return known
  const background = BACKGROUNDS[colour]!
  const bytes =
    kind === 'picture'
      ? encodePng(draw(width, width, initials === '' ? FIGURE : letters(initials)), background, WHITE)
      : encodePng(draw(width, SHAPES.cover.heightOf(width), HILLS), background, lighter(background))
  const made = { bytes, etag: etagOf(bytes) }
  drawn.set(key, made)
  return made
}

const lighter = (colour: Colour): Colour => colour.map((part) => part + (255 - part) / 4) as unknown as Colour

/** Where a pen of a radius goes; all in parts of the width. */
interface Line {
  readonly points: readonly Point[]
  readonly radius: number
}

/** Head and shoulders. */
const FIGURE: readonly Line[] = [
  { points: [[0.5, 0.37]], radius: 0.16 },
  { points: [[0.5, 0.97]], radius: 0.37 },
]
/** Two hills and a sun. */
const HILLS: readonly Line[] = [
  { points: [[0.2, 0.95]], radius: 0.6 },
  { points: [[0.85, 0.9]], radius: 0.5 },
  { points: [[0.72, 0.17]], radius: 0.06 },
]

const LETTER_HEIGHT = 0.36
const PEN = 0.028

function letters(initials: string): Line[] {
  const unit = LETTER_HEIGHT / 6
  const step = 4 * unit + 5 * PEN
  const left = 0.5 - (4 * unit + (initials.length - 1) * step) / 2
  return [...initials].flatMap((letter, i) =>
    strokesOf(letter).map((stroke) => ({
      points: stroke.map(([x, y]): Point => [left + i * step + x * unit, 0.5 - LETTER_HEIGHT / 2 + y * unit]),
      radius: PEN,
    })),
  )
}

/** Each pixel is as light as its nearest line is near. */
function draw(width: number, height: number, lines: readonly Line[]): Drawing {
  const drawing = { width, height, shades: new Uint8Array(width * height) }
  for (const { points, radius } of lines)
    for (let i = 0; i < Math.max(1, points.length - 1); i++)
      drawLine(drawing, points[i]!, points[i + 1] ?? points[i]!, radius * width)
  return drawing
}

/** Looks at the pixels around the line alone, and takes a root only at its edge. */
function drawLine({ width, height, shades }: Drawing, from: Point, to: Point, pen: number): void {
  const ax = from[0] * width
  const ay = from[1] * width
  const dx = to[0] * width - ax
  const dy = to[1] * width - ay
  const squared = dx * dx + dy * dy
  const inner = Math.max(0, pen - 0.5) ** 2
  const outer = (pen + 0.5) ** 2
  const left = Math.max(0, Math.floor(ax + Math.min(0, dx) - pen - 1))
  const right = Math.min(width, ax + Math.max(0, dx) + pen + 1)
  const top = Math.max(0, Math.floor(ay + Math.min(0, dy) - pen - 1))
  const bottom = Math.min(height, ay + Math.max(0, dy) + pen + 1)
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const px = x + 0.5 - ax
      const py = y + 0.5 - ay
      const along = squared === 0 ? 0 : Math.max(0, Math.min(1, (px * dx + py * dy) / squared))
      const distance = (px - along * dx) ** 2 + (py - along * dy) ** 2
      if (distance >= outer) continue
      const cover = distance <= inner ? 1 : pen + 0.5 - Math.sqrt(distance)
      const shade = Math.round(cover * (SHADES - 1))
      if (shade > shades[y * width + x]!) shades[y * width + x] = shade
    }
  }
}
