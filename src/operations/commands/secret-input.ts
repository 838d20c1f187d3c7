import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { fail } from '../../kernel/errors.ts'

const MAX_BYTES = 64 * 1024

/**
 * Reads a secret from the terminal without echo; a new secret has to be typed twice. If there is no terminal, it reads
 * standard input and drops the last line break.
 */
export async function readSecret(question: string, { isNew = true } = {}): Promise<string> {
  if (!process.stdin.isTTY) return readStandardInput()
  const first = await ask(`${question}: `)
  if (!isNew) return first
  const second = await ask('Repeat it: ')
  if (first !== second) throw fail('validationFailed', 'The two entries differ; nothing was changed')
  return first
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw fail('validationFailed', 'The standard input is too long for a password')
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}

/** Asks a question at the terminal. `readline` handles editing keys, and its echo is discarded. */
function ask(question: string): Promise<string> {
  process.stderr.write(question)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  return new Promise((resolve, reject) => {
    terminal.once('SIGINT', () => {
      terminal.close()
      process.stderr.write('\n')
      reject(fail('badRequest', 'Nothing was changed'))
    })
    terminal.question('', (answer) => {
      terminal.close()
      process.stderr.write('\n')
      resolve(answer)
    })
  })
}
