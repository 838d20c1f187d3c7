import { fail } from '../../kernel/errors.ts'
import { MAX_DAYS } from './schema.ts'

const DAY_MS = 86_400_000

/** Checks a range of the calendar. Days can have 25 hours, so a range of MAX_DAYS days may be an hour longer. */
export function readRange({ from, to }: { from: string; to: string }): { from: Date; to: Date } {
  const range = { from: new Date(from), to: new Date(to) }
  const ms = range.to.getTime() - range.from.getTime()
  if (ms <= 0) throw fail('validationFailed', 'to must be after from')
  if (ms > MAX_DAYS * DAY_MS + 3_600_000)
    throw fail('validationFailed', `to must be at most ${MAX_DAYS} days after from; read the rest with another request`)
  return range
}
