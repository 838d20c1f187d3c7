import { flushCompileCache } from 'node:module'
import { PlatformError } from '../../kernel/errors.ts'
import { makeSizes, readPixels } from './decode.ts'
import { damaged, type ImageKind } from './rules.ts'
import type { WorkerAnswer } from './worker-process.ts'

/** The main program of the process that decodes one image, so that a malicious image can harm only this process. */
const [kind, imageBytes, maxMiB] = process.argv.slice(2)
const WATCH_MS = 20

/** Ends this process. Only SIGKILL works while one of the threads is inside a decoder. */
const die = () => process.kill(process.pid, 'SIGKILL')

const answer = (what: WorkerAnswer, then?: () => void) => process.stdout.write(`${JSON.stringify(what)}\n`, then)

async function work(image: Buffer): Promise<void> {
  try {
    answer({ pixels: await readPixels(image) })
    const sizes = await makeSizes(image, kind as ImageKind)
    answer({ sizes: sizes.map((bytes) => bytes.toString('base64')) })
  } catch (problem) {
    // Any error in a decoder is caused by the image.
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
// The platform keeps stdin open, so its end means that the platform has ended.
process.stdin.on('end', die)

setInterval(() => {
  if (process.memoryUsage.rss() > Number(maxMiB) * 2 ** 20) answer({ isTooLarge: true }, die)
}, WATCH_MS)
// Write the compile cache for the next process now: this process is always killed, so it would not be written at exit.
flushCompileCache()
