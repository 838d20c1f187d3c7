/**
 * Capital letters and digits as strokes, so that initials can be drawn where no font is installed. Each point is x (0 to 4) and y (0 to 6, downwards); strokes are
 * separated by `|`, and one that begins with `~` is bent round its points.
 */
const STROKES: Readonly<Record<string, string>> = {
  A: '06 20 46|14 34',
  B: '06 00|~00 20 40 43 23 03|~03 23 43 46 26 06',
  C: '~45 46 06 00 40 41',
  D: '00 06|~00 20 40 46 26 06',
  E: '40 00 06 46|03 33',
  F: '40 00 06|03 33',
  G: '~41 40 00 06 46 43|43 23',
  H: '00 06|40 46|03 43',
  I: '20 26|10 30|16 36',
  J: '~40 43 46 06 04',
  K: '00 06|40 03 46',
  L: '00 06 46',
  M: '06 00 23 40 46',
  N: '06 00 46 40',
  O: '~20 00 06 46 40 20',
  P: '06 00|~00 20 40 43 23 03',
  Q: '~20 00 06 46 40 20|24 46',
  R: '06 00|~00 20 40 43 23 03|23 46',
  S: '~41 40 00 03 43 46 06 05',
  T: '00 40|20 26',
  U: '~00 03 06 46 43 40',
  V: '00 26 40',
  W: '00 16 23 36 40',
  X: '00 46|40 06',
  Y: '00 23 40|23 26',
  Z: '00 40 06 46',
  0: '~20 00 06 46 40 20|32 14',
  1: '11 20 26|16 36',
  2: '~01 00 40 43 06|06 46',
  3: '~01 00 40 43 23|~23 43 46 06 05',
  4: '36 30 04 44',
  5: '40 00 02|~02 42 46 06 05',
  6: '~40 00 06 46 42 02 04',
  7: '00 40 16',
  8: '~20 00 03 43 40 20|~23 03 06 46 43 23',
  9: '~06 46 40 00 04 44 42',
}

export type Point = readonly [x: number, y: number]

/** The strokes of a letter, each a line from point to point, in a box of 4 by 6. */
export function strokesOf(letter: string): Point[][] {
  return (STROKES[letter] ?? '').split('|').map((stroke) => {
    const points = [...stroke.matchAll(/(\d)(\d)/g)].map(([, x, y]): Point => [Number(x), Number(y)])
    return stroke.startsWith('~') ? bend(bend(bend(points))) : points
  })
}

/** Cuts each corner (Chaikin); the ends stay. */
function bend(points: readonly Point[]): Point[] {
  const between = points.slice(1).flatMap((to, i): Point[] => {
    const from = points[i]!
    const at = (part: number): Point => [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part]
    return [at(0.25), at(0.75)]
  })
  return [points[0]!, ...between, points.at(-1)!]
}
