/** The mean of the scores that exist; null if there is none. */
export function meanOf(scores: readonly (number | null)[]): number | null {
  const known = scores.filter((score) => score !== null)
  return known.length === 0 ? null : known.reduce((sum, score) => sum + score, 0) / known.length
}

/** Seconds on task: the stored total plus the running interval. */
export const secondsOnTask = (activeMs: number, activeSince: Date | null, now: Date): number =>
  Math.floor((activeMs + (activeSince ? Math.max(0, now.getTime() - activeSince.getTime()) : 0)) / 1000)
