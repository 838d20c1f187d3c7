import { fail } from '../errors.ts'

/** One image takes a thread for a second and, at worst, 240 MiB; who sends one can wait, and requests cannot. */
const MAX_AT_ONCE = 1
/** Each who waits holds an image; more would wait longer than their clients do. */
const MAX_WAITING = 40
const MAX_WAITING_OF_ONE = 4

let working = 0
let waitingCount = 0
/** Those who wait, by who they are: the next turn goes to the one whose last was longest ago. */
const waiting = new Map<string, (() => void)[]>()

/** Works in turn; `by` is for whom. */
export async function inTurn<T>(by: string, work: () => Promise<T>): Promise<T> {
  if (working >= MAX_AT_ONCE) await waitForTurn(by)
  else working++
  try {
    return await work()
  } finally {
    const next = takeNext()
    if (next) next()
    else working--
  }
}

function waitForTurn(by: string): Promise<void> {
  const line = waiting.get(by) ?? []
  if (waitingCount >= MAX_WAITING || line.length >= MAX_WAITING_OF_ONE)
    throw fail('notReady', 'Too many images are being worked on; try again shortly', 5)
  waiting.set(by, line)
  waitingCount++
  return new Promise((resolve) => line.push(resolve))
}

function takeNext(): (() => void) | undefined {
  const [by, line] = waiting.entries().next().value ?? []
  if (by === undefined || !line) return undefined
  waitingCount--
  const next = line.shift()
  // To the end of the line, behind everybody else.
  waiting.delete(by)
  if (line.length > 0) waiting.set(by, line)
  return next
}
