import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Kind } from './rules.ts'

const PROGRAM = fileURLToPath(new URL('worker-main.ts', import.meta.url))

/** All that it needs to know; no secret of the platform is among it. */
const environmentOf = ({ PATH, LD_LIBRARY_PATH, SystemRoot }: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH,
  LD_LIBRARY_PATH,
  SystemRoot,
  TZ: 'UTC',
  // As in `main.ts`: it starts in half the time.
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../node_modules/.cache/groundschool', import.meta.url)),
})

/** What it says, a line of JSON each time. First `pixels`, where the image can be read at all, then one of the others. */
export interface Answer {
  /** How many the image declares; nothing is decoded before that is said. */
  readonly pixels?: number
  /** In the order of `SHAPES`, in base64. */
  readonly sizes?: readonly string[]
  /** Why the image is refused. */
  readonly problem?: string
  readonly isTooLarge?: true
}

export interface Ended {
  /** What it said at last. */
  readonly answer: Answer
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Why the platform killed it. */
  readonly why: string | undefined
  /** The end of what it complained about. */
  readonly output: string
}

export interface Job {
  readonly kind: Kind
  readonly image: Buffer
  /** How far the process stands behind the platform for processors, of 19. */
  readonly niceness: number
  readonly maxMs: number
  readonly maxMiB: number
  readonly program?: string | undefined
  measured(pixels: number): void
}

/** More than all sizes of any image. */
const MAX_ANSWER_BYTES = 16 * 2 ** 20
const MAX_OUTPUT = 1000

/** A process for one image. It is killed in the end: when it has answered, after `maxMs`, or before. */
export class WorkerProcess {
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  #why: string | undefined

  constructor({ kind, image, niceness, maxMs, maxMiB, program = PROGRAM, measured }: Job) {
    const child: ChildProcess = spawn(process.execPath, [program, kind, String(image.length), String(maxMiB)], {
      env: environmentOf(process.env),
    })
    this.#child = child
    stepBack(child.pid, niceness)
    const timer = setTimeout(() => this.kill('it takes too long'), maxMs)
    const { promise, resolve } = Promise.withResolvers<Ended>()
    this.ended = promise
    let answer: Answer = {}
    let output = ''
    const end = (code: number | null, signal: NodeJS.Signals | null) => {
      clearTimeout(timer)
      resolve({ answer, code, signal, why: this.#why, output })
    }
    child.on('close', end)
    child.on('error', ({ message }) => {
      output = message
      end(null, null)
    })
    const { stdin, stdout, stderr } = child
    // There are none where too many files are open; an error follows.
    if (!stdin || !stdout || !stderr) return
    // That it hears nothing any more is seen by its end.
    stdin.on('error', () => {}).write(image)
    stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT)
    })
    let answerBytes = 0
    stdout.on('data', ({ length }: Buffer) => {
      answerBytes += length
      if (answerBytes > MAX_ANSWER_BYTES) this.kill('it says too much')
    })
    createInterface({ input: stdout }).on('line', (line) => {
      answer = parse(line)
      const { pixels = 0 } = answer
      if (Number.isSafeInteger(pixels) && pixels > 0) measured(pixels)
      else this.kill(answer.isTooLarge ? 'it takes too much memory' : 'it has answered')
    })
  }

  kill(why: string): void {
    this.#why ??= why
    this.#child.kill('SIGKILL')
  }
}

/** A decoder that somebody has taken over may say anything. */
function parse(line: string): Answer {
  try {
    return Object(JSON.parse(line))
  } catch {
    return {}
  }
}

/** Behind the platform for processors, and before it where the kernel has to end somebody for memory. */
function stepBack(pid: number | undefined, niceness: number): void {
  if (pid === undefined) return
  try {
    const priority = Math.min(19, getPriority() + niceness)
    setPriority(pid, priority)
    if (process.platform !== 'linux') return
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
    // There it holds for a thread and those that it begins: on a busy machine the process may have begun some already.
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), priority)
  } catch {
    // Where that is not allowed, images are read all the same.
  }
}
