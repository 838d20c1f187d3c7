import { flushCompileCache } from 'node:module'
import { PlatformError } from '../../kernel/errors.ts'
import { makeSizes, readPixels } from './decode.ts'
import { damaged, type Kind } from './rules.ts'
import type { Answer } from './worker-process.ts'

/** The program of the process in which one image is decoded. Whatever the image does to a decoder, it does it here. */
const [kind, imageBytes, maxMiB] = process.argv.slice(2)
const WATCH_MS = 20

/** Nothing milder ends a process while a thread of it is inside a decoder. */
const die = () => process.kill(process.pid, 'SIGKILL')

const answer = (what: Answer, then?: () => void) => process.stdout.write(`${JSON.stringify(what)}\n`, then)

async function work(image: Buffer): Promise<void> {
  try {
    answer({ pixels: await readPixels(image) })
    const sizes = await makeSizes(image, kind as Kind)
    answer({ sizes: sizes.map((bytes) => bytes.toString('base64')) })
  } catch (problem) {
    // Whatever a decoder complains about is about the image.
    answer({ problem: (problem instanceof PlatformError ? problem : damaged()).message })
  }
}

const received: Buffer[] = []
let missing = Number(imageBytes)
process.stdin.on('data', (chunk: Buffer) => {
  received.push(chunk)
  missing -= chunk.length
  if (missing === 0) work(Buffer.concat(received))
})
// It stays open while the platform is there.
process.stdin.on('end', die)

setInterval(() => {
  if (process.memoryUsage.rss() > Number(maxMiB) * 2 ** 20) answer({ isTooLarge: true }, die)
}, WATCH_MS)
// What was compiled is kept for the next one, since this one is killed in the end.
flushCompileCache()
