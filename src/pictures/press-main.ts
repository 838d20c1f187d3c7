import { readdirSync, writeFileSync, writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { Socket } from 'node:net'
import { getPriority, setPriority } from 'node:os'
import { PlatformError } from '../errors.ts'
import { makeSizes, measure } from './decode.ts'
import { damaged } from './rules.ts'
import { type Answer, hear, type Order, say, TOO_LARGE, WIRE } from './wire.ts'

/**
 * The process in which images are decoded: whatever an image does to a decoder, it does it here. It watches its own memory, ends with the platform, and is told no
 * secret.
 */
const [niceness = 0, mostMiB = 0] = process.argv.slice(2).map(Number)
const WATCH_MS = 20

/** Nothing milder ends a process while a thread of it is inside a decoder. */
const die = () => process.kill(process.pid, 'SIGKILL')

/** Behind the platform for processors, and before it where memory is short. Linux has a priority for every thread; those that begin later inherit it. */
function stepBack(): void {
  const priority = Math.min(19, getPriority() + niceness)
  setPriority(priority)
  if (process.platform !== 'linux') return
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), priority)
  writeFileSync('/proc/self/oom_score_adj', '1000')
}

try {
  stepBack()
} catch {
  // Where that is not allowed, images are read all the same.
}
setInterval(() => {
  if (process.memoryUsage.rss() <= mostMiB * 2 ** 20) return
  writeSync(process.stderr.fd, `${TOO_LARGE}\n`)
  die()
}, WATCH_MS)
// A terminal or a service manager means the platform, which ends this process when it wants to.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

const platform = new Socket({ fd: WIRE, readable: true, writable: true })
for (const end of ['end', 'close', 'error']) platform.on(end, die)
const answer = (what: Answer, bytes?: Buffer) => say(platform, what, bytes)

let image: Buffer = Buffer.alloc(0)

async function obey(order: Order, sent: Buffer): Promise<void> {
  if (order.do === 'measure') {
    const measured = await measure(sent, order.format)
    image = measured.image
    answer({ pixels: measured.pixels })
  } else if (order.do === 'wake') {
    answer({ isReady: true })
  } else {
    const sizes = await makeSizes(image, order.kind)
    answer({ sizes: sizes.map(({ length }) => length) }, Buffer.concat(sizes))
  }
}

hear<Order>(
  platform,
  (order, sent) => {
    obey(order, sent).catch((problem: Error) =>
      answer({ problem: (problem instanceof PlatformError ? problem : damaged()).message }),
    )
  },
  die,
)
answer({ isReady: true })
// What was compiled is kept for the next one: this one never comes to an end of its own.
flushCompileCache()
