/** Played parts of a video or sound, in seconds, in order and without overlaps. */
export type Ranges = readonly (readonly [start: number, end: number])[]

/** Parts that are this close count as one, because players report times that are not exact (seconds). */
const GAP = 0.5

/** Joins the parts of two lists. */
export function mergeRanges(one: Ranges, other: Ranges): Ranges {
  const merged: [number, number][] = []
  for (const [start, end] of [...one, ...other].toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1)
    if (last && start <= last[1] + GAP) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}

/** The share of the duration that was played, from 0 to 1. */
export const shareOf = (ranges: Ranges, duration: number): number =>
  duration > 0 ? Math.min(1, ranges.reduce((sum, [start, end]) => sum + end - start, 0) / duration) : 0

const keyOf = (fileId: string): string => `gs-played-${fileId}`

/** Reads what was played in this browser before, so that a long video can be continued later. */
export function readPlayed(fileId: string): Ranges {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(fileId)) ?? '[]')
    return Array.isArray(stored) ? (stored as Ranges) : []
  } catch {
    return []
  }
}

export function keepPlayed(fileId: string, ranges: Ranges): void {
  try {
    localStorage.setItem(keyOf(fileId), JSON.stringify(ranges))
  } catch {
    // Without storage, the video has to be played in one go.
  }
}
