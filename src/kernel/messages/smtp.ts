import { Readable } from 'node:stream'
import type { SMTPTransportOptions, Transporter } from 'nodemailer'
import { isLoopbackHost } from '../config.ts'
import { HopelessError } from '../jobs/jobs.ts'
import { type Delivery, UncertainError } from './delivery.ts'

const CONNECT_MS = 10_000
const SILENCE_MS = 20_000

/**
 * Delivers messages by SMTP. The library is loaded with the first message, so platforms that send none never load it.
 */
export function openSmtp({ url, from }: { url: string; from: string }): Delivery {
  let transport: Promise<Transporter> | undefined
  const open = async (): Promise<Transporter> => {
    const transporter = (await import('nodemailer')).createTransport(optionsOf(url))
    return transporter.use('stream', (mail, done) => {
      // The library does not say how far it got. It reads the content after the server has asked for it (354).
      const { message, data } = mail as unknown as { message: Composed; data: { onContent(): void } }
      const create = message.createReadStream.bind(message)
      message.createReadStream = () => Readable.from(readLate(create, data.onContent))
      done()
    })
  }
  return {
    deliver: async ({ recipient, subject, text, createdAt, messageId, headers }) => {
      transport ??= open()
      const mailer = await transport
      let isContentSent = false
      const mail = {
        from,
        // An object is treated as one address; a string would be split at commas.
        to: { name: '', address: recipient },
        subject,
        text,
        date: createdAt,
        messageId,
        // Suppresses automatic replies such as holiday notices (RFC 3834 §5).
        headers: { 'Auto-Submitted': 'auto-generated', ...headers },
        onContent: () => {
          isContentSent = true
        },
      }
      await mailer.sendMail(mail).catch((error) => {
        if (isFinal(error)) throw new HopelessError(`the mailbox was refused with ${error.responseCode}`)
        // Without a response to the content, the server may have accepted it (RFC 5321 §4.5.3.2.6, RFC 1047).
        throw isContentSent && error.responseCode === undefined ? new UncertainError(error) : error
      })
    },
  }
}

interface Composed {
  createReadStream(): Readable
}

async function* readLate(create: () => Readable, onContent: () => void): AsyncGenerator<Buffer> {
  onContent()
  yield* create()
}

/**
 * True if the server refused the mailbox itself (RFC 5321 §4.2.1). Other refusals are retried, because they may be
 * caused by a configuration that is corrected within a day.
 */
const isFinal = ({ command, responseCode }: { command?: string; responseCode?: number }): boolean =>
  command === 'RCPT TO' && responseCode !== undefined && responseCode >= 500

function optionsOf(url: string): SMTPTransportOptions {
  const { hostname, searchParams } = new URL(url)
  const isOpen = isLoopbackHost(hostname) || searchParams.get('requireTLS') === 'false'
  return {
    // The options below take precedence over parameters in the URL.
    url,
    ...(isOpen ? {} : { requireTLS: true }),
    logger: false,
    debug: false,
    disableFileAccess: true,
    disableUrlAccess: true,
    dnsTimeout: CONNECT_MS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  }
}
