import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config, EnvironmentName, MessageWay } from '../config.ts'
import type { Delivery, Message } from './delivery.ts'
import { fileNameOf, folderOf } from './files.ts'
import { openSmtp } from './smtp.ts'

interface DeliveryContext {
  readonly name: EnvironmentName
  readonly config: Config
  readonly log: Logger
}

const WAYS: Record<Exclude<MessageWay, 'off'>, (context: DeliveryContext) => Delivery> = {
  file: ({ name, config, log }) => openFolder(folderOf(config, name), config, log),
  log: ({ config }) => ({
    // Messages go to stderr and not to the log, because the log redacts secrets such as links, and may be stored.
    deliver: async (message) => void process.stderr.write(`\n${render(message, config)}\n`),
  }),
  smtp: ({ config }) => openSmtp({ url: config.SMTP_URL!, from: config.MESSAGES_FROM! }),
}

/** Opens the configured delivery channel; undefined if messages are turned off. */
export const openDelivery = (context: DeliveryContext): Delivery | undefined =>
  context.config.MESSAGES === 'off' ? undefined : WAYS[context.config.MESSAGES](context)

/** Writes each message to a file. Only the file's owner can read it, because it may contain a one-time link. */
const openFolder = (folder: string, config: Config, log: Logger): Delivery => ({
  deliver: async (message) => {
    const file = join(folder, fileNameOf(message))
    const draft = `${file}.${process.pid}`
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(draft, render(message, config), { mode: 0o600 })
    // Renaming makes the complete file appear at once. A second try overwrites the same file.
    await rename(draft, file)
    log.info({ file, kind: message.kind }, 'message written to a file')
  },
})

function render(
  { recipient, subject, text, createdAt, messageId, headers: more }: Message,
  { MESSAGES_FROM }: Config,
): string {
  const headers = {
    From: MESSAGES_FROM ?? 'Groundschool',
    To: recipient,
    Subject: subject,
    Date: createdAt.toUTCString(),
    'Message-ID': messageId,
    ...more,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.replace(/\p{Cc}+/gu, ' ')}`)
  return `${lines.join('\n')}\n\n${text}`
}
