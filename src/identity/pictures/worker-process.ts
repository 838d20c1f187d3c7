import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ImageKind } from './rules.ts'

const PROGRAM = fileURLToPath(new URL('worker-main.ts', import.meta.url))

/** Returns the only environment variables that the process needs; the platform's secrets are not among them. */
const environmentOf = ({ PATH, LD_LIBRARY_PATH, SystemRoot }: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH,
  LD_LIBRARY_PATH,
  SystemRoot,
  TZ: 'UTC',
  // The same compile cache as in `bin/groundschool.js`; it halves the start-up time.
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../node_modules/.cache/groundschool', import.meta.url)),
})

/**
 * A line of JSON from the process. If the image can be read at all, the first line has `pixels`; the last line has one
 * of the other fields.
 */
export interface WorkerAnswer {
  /** The number of pixels that the image declares; sent before anything is decoded. */
  readonly pixels?: number
  /** The sizes in base64, in the order of the widths in `SHAPES`. */
  readonly sizes?: readonly string[]
  /** Why the image is refused. */
  readonly problem?: string
  readonly isTooLarge?: true
}

export interface WorkerResult {
  /** The last line that the process has written. */
  readonly answer: WorkerAnswer
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Why the platform killed the process; undefined if it did not. */
  readonly why: string | undefined
  /** The end of the process's stderr. */
  readonly output: string
}

export interface Job {
  readonly kind: ImageKind
  readonly image: Buffer
  /** Added to the platform's own nice value; the sum is at most 19. */
  readonly niceness: number
  readonly maxMs: number
  readonly maxMiB: number
  readonly program?: string | undefined
  measured(pixels: number): void
}

/** More than all sizes of any image take together, in base64. */
const MAX_ANSWER_BYTES = 16 * 2 ** 20
const MAX_OUTPUT = 1000

/** A process that decodes one image. It is always killed: after its response, after `maxMs`, or by `kill`. */
export class WorkerProcess {
  readonly ended: Promise<WorkerResult>
  readonly #child: ChildProcess
  #why: string | undefined

  constructor({ kind, image, niceness, maxMs, maxMiB, program = PROGRAM, measured }: Job) {
    const child: ChildProcess = spawn(process.execPath, [program, kind, String(image.length), String(maxMiB)], {
      env: environmentOf(process.env),
    })
    this.#child = child
    stepBack(child.pid, niceness)
    const timer = setTimeout(() => this.kill('it takes too long'), maxMs)
    const { promise, resolve } = Promise.withResolvers<WorkerResult>()
    this.ended = promise
    let answer: WorkerAnswer = {}
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
    // The streams are missing if too many files are open; an error event follows.
    if (!stdin || !stdout || !stderr) return
    // A write error is ignored, because it means that the process has ended, which `close` reports.
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

/** Parses a line of the process. Accepts anything, because a compromised decoder may write anything. */
function parse(line: string): WorkerAnswer {
  try {
    return Object(JSON.parse(line))
  } catch {
    return {}
  }
}

/** Lowers the process's CPU priority, and makes it the first process that the kernel kills when memory runs out. */
function stepBack(pid: number | undefined, niceness: number): void {
  if (pid === undefined) return
  try {
    const priority = Math.min(19, getPriority() + niceness)
    setPriority(pid, priority)
    if (process.platform !== 'linux') return
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
    // On Linux, a priority applies to one thread and the threads that it starts later. The process may have started
    // threads already, so the priority is set for each.
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), priority)
  } catch {
    // Some systems do not permit this; images are then decoded at normal priority.
  }
}
