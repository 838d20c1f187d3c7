import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const WRITE_TIMEOUT_MS = 60_000

export interface Example {
  readonly address: string
  /** Returns all output so far. */
  output(): string
  /** Resolves once the output matches `text`; rejects if the process ends first, or after a minute. */
  wrote(text: RegExp): Promise<RegExpExecArray>
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts an example in its own process, as a plugin author would. */
export async function startExample(
  t: TestContext,
  name: 'ai-plugin' | 'ato-plugin',
  settings: Record<string, string> & { PORT: string },
): Promise<Example> {
  const file = fileURLToPath(new URL(`${name}/main.ts`, import.meta.url))
  const child: ChildProcess = spawn(process.execPath, [file], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout!.setEncoding('utf8').on('data', (text) => (output += text))
  t.after(() => child.kill('SIGKILL'))
  const example: Example = {
    address: `http://localhost:${settings.PORT}`,
    output: () => output,
    wrote: async (text) => {
      const deadlineMs = performance.now() + WRITE_TIMEOUT_MS
      while (child.exitCode === null && performance.now() < deadlineMs && !text.test(output)) await delay(10)
      const found = text.exec(output)
      if (found) return found
      throw new Error(`${name} ${child.exitCode === null ? 'runs' : 'ended'} and has not written ${text}: ${output}`)
    },
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal)
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      return child.exitCode
    },
  }
  await example.wrote(/ listens on /)
  return example
}
