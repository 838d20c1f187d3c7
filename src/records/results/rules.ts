/** Returns the mean of the scores that are not null; null if there are none. */
export function meanOf(scores: readonly (number | null)[]): number | null {
  const known = scores.filter((score) => score !== null)
  return known.length === 0 ? null : known.reduce((sum, score) => sum + score, 0) / known.length
}

/** Computes the seconds on task: the stored total plus the interval that is still running. */
export const secondsOnTask = (activeMs: number, activeSince: Date | null, now: Date): number =>
  Math.floor((activeMs + (activeSince ? Math.max(0, now.getTime() - activeSince.getTime()) : 0)) / 1000)
