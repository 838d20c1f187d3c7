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

const SECRETS = /\bgs_(?:sbx_)?[a-z]{2}_[A-Za-z0-9_-]{20,}|\b(?:bearer|basic)(?:\s+|%20)[A-Za-z0-9._~+/=-]{8,}/gi

const blot = (line: string): string => line.replace(SECRETS, '[secret]')
