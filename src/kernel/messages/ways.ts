import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config, EnvironmentName, MessageWay } from '../config.ts'
import type { Delivery, Message } from './delivery.ts'
import { fileNameOf, folderOf } from './files.ts'
import { openSmtp } from './smtp.ts'

interface Parts {
  readonly name: EnvironmentName
  readonly config: Config
  readonly log: Logger
}

const WAYS: Record<Exclude<MessageWay, 'off'>, (parts: Parts) => Delivery> = {
  file: ({ name, config, log }) => openFolder(folderOf(config, name), config, log),
  log: ({ config }) => ({
    // Not to the log, which blots out what looks like a secret, and may be kept.
    deliver: async (message) => void process.stderr.write(`\n${render(message, config)}\n`),
  }),
  smtp: ({ config }) => openSmtp({ url: config.SMTP_URL!, from: config.MESSAGES_FROM! }),
}

/** The way that the settings name; undefined where messages are off. */
export const openDelivery = (parts: Parts): Delivery | undefined =>
  parts.config.MESSAGES === 'off' ? undefined : WAYS[parts.config.MESSAGES](parts)

/** One file for each message, for its owner alone: it may hold a one-time link. */
const openFolder = (folder: string, config: Config, log: Logger): Delivery => ({
  deliver: async (message) => {
    const file = join(folder, fileNameOf(message))
    const draft = `${file}.${process.pid}`
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(draft, render(message, config), { mode: 0o600 })
    // Whole or not at all; a second try writes the same file again.
    await rename(draft, file)
    log.info({ file, kind: message.kind }, 'a message was written to a file')
  },
})

function render({ recipient, subject, text, createdAt, messageId }: Message, { MESSAGES_FROM }: Config): string {
  const headers = {
    From: MESSAGES_FROM ?? 'Groundschool',
    To: recipient,
    Subject: subject,
    Date: createdAt.toUTCString(),
    'Message-ID': messageId,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.replace(/\p{Cc}+/gu, ' ')}`)
  return `${lines.join('\n')}\n\n${text}`
}
