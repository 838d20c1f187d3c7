import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, KEY_BYTES, someSecretKeys } from './config.ts'
import { StartupError } from './errors.ts'

type KeySettings = Pick<Config, 'SECRET_KEY' | 'DATA_DIR'>

/** Returns the installation's secret keys, and creates a key file in DATA_DIR if there is no key. */
export function readSecretKeys(config: KeySettings): readonly Buffer[] {
  const file = keyFileOf(config)
  if (!config.SECRET_KEY && !existsSync(file)) createKeyFile(config.DATA_DIR, file)
  return findSecretKeys(config)!
}

export const keyFileOf = ({ DATA_DIR }: KeySettings): string => resolve(DATA_DIR, 'secret.key')

/**
 * Returns the installation's secret keys, the current key first; undefined if there is none. They come from SECRET_KEY,
 * or from the key file in DATA_DIR, which has one key per line.
 */
export function findSecretKeys(config: KeySettings): readonly Buffer[] | undefined {
  const file = keyFileOf(config)
  if (!config.SECRET_KEY && !existsSync(file)) return undefined
  const texts = config.SECRET_KEY ?? readKeyFile(file)
  return texts.map((text) => Buffer.from(text, 'base64url'))
}

function readKeyFile(file: string): string[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (problem) {
    const { code } = problem as NodeJS.ErrnoException
    throw new StartupError(
      `The secret key cannot be read from ${file} (${code}): allow the user who runs this command to read it`,
    )
  }
  try {
    return someSecretKeys(text)
  } catch {
    throw new StartupError(`${file} does not have a key of ${KEY_BYTES} bytes; restore it from your backup`)
  }
}

/** Creates a random key, in the form that SECRET_KEY and the key file take. */
export const makeSecretKey = (): string => randomBytes(KEY_BYTES).toString('base64url')

/** Puts a new key before the keys of the key file. The file is replaced at once, so no reader sees half of it. */
export function addKeyToFile(config: KeySettings): void {
  const file = keyFileOf(config)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, [makeSecretKey(), ...readKeyFile(file), ''].join('\n'), { mode: 0o600, flush: true })
  renameSync(draft, file)
}

/** Writes a new key atomically. If another process has just created a key file, that file is left unchanged. */
function createKeyFile(dataDir: string, file: string): void {
  const draft = `${file}.${process.pid}`
  try {
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(draft, `${makeSecretKey()}\n`, { mode: 0o600, flush: true })
    linkSync(draft, file)
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(file))
      throw new StartupError(
        `The secret key cannot be written to ${file}: make that folder writable, or set SECRET_KEY`,
      )
  } finally {
    if (existsSync(draft)) rmSync(draft)
  }
}
