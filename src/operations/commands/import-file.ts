import { open } from 'node:fs/promises'
import { StartupError } from '../../kernel/errors.ts'
import { parseStrictJson } from '../../kernel/http/input/json.ts'
import { hasExactNumbers, roundNumbers } from '../../kernel/json.ts'

/** Answers are stored as they were sent: their numbers keep their text. */
const OPAQUE: ReadonlySet<string> = new Set(['answers'])
const MAX_FILE_BYTES = 256 * 1024 * 1024

/** Reads and parses an import file. It is strict: a duplicate key is an error. */
export async function readImportFile(path: string): Promise<unknown> {
  const bytes = await readBounded(path, MAX_FILE_BYTES)
  try {
    const file = parseStrictJson(bytes)
    return hasExactNumbers(file) ? roundNumbers(file, OPAQUE) : file
  } catch (problem) {
    throw new StartupError(`${path} cannot be imported: ${explain(bytes, problem as Error)}`)
  }
}

export async function readBounded(path: string, maxBytes: number): Promise<Buffer> {
  try {
    const file = await open(path, 'r')
    try {
      const found = await file.stat()
      if (!found.isFile()) throw new StartupError(`${path} is not a file`)
      if (found.size > maxBytes)
        throw new StartupError(`${path} is larger than ${maxBytes / 1024 / 1024} MiB; split it into several files`)
      return await file.readFile()
    } finally {
      await file.close()
    }
  } catch (problem) {
    if (problem instanceof StartupError) throw problem
    throw new StartupError(
      `${path} cannot be read (${(problem as NodeJS.ErrnoException).code}); check its name and permissions`,
    )
  }
}

/**
 * Explains where a JSON file has a syntax error. The message of the JavaScript engine is not used, because it quotes
 * text, which may be a password.
 */
function explain(bytes: Buffer, problem: Error): string {
  const text = bytes.toString('utf8')
  try {
    JSON.parse(text)
  } catch (error) {
    const position = /position (\d+)/.exec((error as Error).message)?.[1]
    const before = text.slice(0, position === undefined ? text.length : Number(position))
    const lines = before.split('\n')
    return `it is not valid JSON at line ${lines.length}, column ${lines.at(-1)!.length + 1}`
  }
  return problem.message.replaceAll('The JSON body', 'it').replaceAll('The body', 'it')
}
