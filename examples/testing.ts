import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

export interface Example {
  readonly address: string
  /** Returns all output so far. */
  output(): string
  /** Resolves once the output matches `text`; rejects if the process ends first. */
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
      while (true) {
        const found = text.exec(output)
        if (found) return found
        if (child.exitCode !== null) throw new Error(`${name} ended before it wrote ${text}: ${output}`)
        await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')])
      }
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
