import { type Logger, pino, stdTimeFunctions } from 'pino'
import type { Config } from '../../kernel/config.ts'

/**
 * Opens the structured log, on standard output by default. The code never logs secrets; as a safeguard, anything that
 * looks like a token, a secret or a credential header is redacted.
 */
export const openLog = (config: Pick<Config, 'LOG_LEVEL'>, destination?: { write(line: string): void }): Logger =>
  pino(
    {
      level: config.LOG_LEVEL,
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => (destination ?? process.stdout).write(redact(line)) },
  )

const SECRETS = /gs_(?:sbx_)?[a-z]{2}_[\w-]{20,}|\b(?:bearer|basic)(?:\s+|%20|\+)[\w.~+/=%-]{8,}/gi
/**
 * Names whose values are redacted in queries, forms, headers and JSON. A match never extends beyond the end of a JSON
 * string, so the log line remains valid JSON.
 */
const NAMES =
  'authorization|access_?token|refresh_?token|id_token|id_token_hint|logout_token|client_secret|client_assertion|password|code_verifier'
const QUOTED = new RegExp(String.raw`((?:${NAMES})\\*["']\s*:\s*\\*["'])[^"'\\]+`, 'gi')
const PLAIN = new RegExp(String.raw`((?:${NAMES})\s*[=:]\s*)[^&\s"'\\,;}]+`, 'gi')

const redact = (line: string): string =>
  line.replace(SECRETS, '[secret]').replace(QUOTED, '$1[secret]').replace(PLAIN, '$1[secret]')
