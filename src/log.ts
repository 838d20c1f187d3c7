import { type Logger, pino, stdTimeFunctions } from 'pino'
import type { Config } from './config.ts'

/**
 * Structured lines on standard output. Nothing secret is ever handed to the log; should somebody do so by mistake, what looks like a token, a
 * secret or a credential header is blotted out.
 */
export const openLog = (config: Pick<Config, 'LOG_LEVEL'>, destination?: { write(line: string): void }): Logger =>
  pino(
    {
      level: config.LOG_LEVEL,
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => (destination ?? process.stdout).write(blot(line)) },
  )

const SECRETS = /gs_(?:sbx_)?[a-z]{2}_[\w-]{20,}|\b(?:bearer|basic)(?:\s+|%20|\+)[\w.~+/=%-]{8,}/gi
/**
 * A query, a form, a header or JSON that names what it carries. A value between quotes goes as far as those; none goes past where the string of the line
 * may end, so that the line stays JSON.
 */
const NAMED =
  /((?:authorization|access_?token|refresh_?token|client_secret|password|code_verifier)(?:\\*["']\s*:\s*\\*["'](?=([^"'\\]+))|\s*[=:]\s*(?=([^&\s"'\\,;}]+))))(?:\2|\3)/gi

const blot = (line: string): string => line.replace(SECRETS, '[secret]').replace(NAMED, '$1[secret]')
