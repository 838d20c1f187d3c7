import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { EnvironmentName } from '../config.ts'
import { until } from '../database/test-database.ts'

interface ReceivedMessage {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The first URL in the text of the message. */
  readonly link: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly file: string
  readonly mode: number
}

export interface TestMailbox {
  /** Settings to pass to `testApp`. */
  readonly settings: Record<string, string>
  /** Waits for the oldest message that has not been returned yet. */
  next(environment?: EnvironmentName): Promise<ReceivedMessage>
  /** Returns the number of messages that have not been returned yet. */
  count(environment?: EnvironmentName): number
}

function parse(file: string): ReceivedMessage {
  const [head = '', ...rest] = readFileSync(file, 'utf8').split('\n\n')
  const headers = Object.fromEntries(head.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)))
  const text = rest.join('\n\n')
  const link = /https?:\/\/\S+/.exec(text)?.[0]
  return { to: headers.To, subject: headers.Subject, text, link, headers, file, mode: statSync(file).mode & 0o777 }
}

/** Creates a folder for messages, which is removed at the end of the test. */
export function testMailbox(t: TestContext): TestMailbox {
  const folder = mkdtempSync(join(tmpdir(), 'groundschool-mailbox-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const seen = new Set<string>()
  const unseen = (environment: EnvironmentName): string[] => {
    try {
      const names = readdirSync(join(folder, 'messages', environment)).filter((name) => name.endsWith('.eml'))
      return names.filter((name) => !seen.has(`${environment}/${name}`)).sort()
    } catch {
      return []
    }
  }
  return {
    settings: { MESSAGES: 'file', DATA_DIR: folder },
    count: (environment = 'production') => unseen(environment).length,
    next: async (environment = 'production') => {
      await until('a message arrives', () => unseen(environment).length > 0)
      const [name] = unseen(environment)
      seen.add(`${environment}/${name}`)
      return parse(join(folder, 'messages', environment, name!))
    },
  }
}

export interface SmtpMail {
  readonly from: string
  readonly to: readonly string[]
  readonly headers: string
  readonly text: string
}

export interface SmtpReceiver {
  readonly url: string
  readonly mails: readonly SmtpMail[]
  /**
   * Sets the response to the next `times` commands with this name: `refuse('RCPT', '550 No such user', 2)`. `CONN` is
   * the new connection, `.` the end of the content. `CLOSE` in the response closes the connection, `HANG` says nothing.
   */
  refuse(command: string, answer: string, times: number): void
  /** Stops listening and closes all connections. `start` listens on the same port again. */
  stop(): Promise<void>
  start(): Promise<void>
}

/**
 * Starts a minimal mail server (RFC 5321 §4.5.1) on a real socket, which receives messages. It takes up to `slowMs` to
 * confirm one.
 */
export async function receiveSmtp(t: TestContext, { slowMs = 0 } = {}): Promise<SmtpReceiver> {
  const mails: SmtpMail[] = []
  const refusals: { command: string; answer: string }[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    converse(socket, mails, refusals, slowMs)
  })
  let port = 0
  const start = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        port = (server.address() as { port: number }).port
        resolve()
      })
    })
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy()
      server.close(() => resolve())
    })
  await start()
  t.after(stop)
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuse: (command, answer, times) => {
      for (let i = 0; i < times; i++) refusals.push({ command, answer })
    },
    start,
    stop,
  }
}

function open(data: string): { headers: string; text: string } {
  const end = data.indexOf('\n\n')
  const [headers, body] = [data.slice(0, end), data.slice(end + 2)]
  if (!/^Content-Transfer-Encoding: quoted-printable$/m.test(headers)) return { headers, text: body }
  // Decode quoted-printable (RFC 2045 §6.7).
  const bytes = body
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return { headers, text: Buffer.from(bytes, 'latin1').toString('utf8') }
}

function converse(
  socket: Socket,
  mails: SmtpMail[],
  refusals: { command: string; answer: string }[],
  slowMs: number,
): void {
  let from = ''
  let to: string[] = []
  let data: string[] | undefined
  let buffered = ''
  const take = (command: string): string | undefined => {
    const index = refusals.findIndex((one) => one.command === command)
    return index < 0 ? undefined : refusals.splice(index, 1)[0]!.answer
  }
  const say = (reply: string): void => {
    const text = reply.replace(/CLOSE|HANG/, '').trim()
    if (text !== '') socket.write(`${text}\r\n`)
    if (reply.includes('CLOSE')) socket.destroySoon()
  }
  const answer = (line: string): string | undefined => {
    if (data && line !== '.') {
      data.push(line.replace(/^\./, ''))
      return undefined
    }
    if (data) {
      const reply = take('.') ?? '250 Kept'
      if (!/^[45]/.test(reply)) mails.push({ from, to, ...open(data.join('\n')) })
      data = undefined
      return reply
    }
    const command = line.slice(0, 4).toUpperCase()
    const refusal = take(command)
    if (refusal !== undefined) return refusal
    const address = /<([^>]*)>/.exec(line)?.[1] ?? ''
    if (command === 'MAIL') [from, to] = [address, []]
    if (command === 'RCPT') to.push(address)
    if (command === 'DATA') data = []
    return data ? '354 Go on' : command === 'QUIT' ? '221 Bye' : '250 OK'
  }

  say(take('CONN') ?? '220 test.example.org ESMTP')
  socket.setEncoding('utf8').on('data', (chunk) => {
    buffered += chunk
    for (let end = buffered.indexOf('\r\n'); end >= 0; end = buffered.indexOf('\r\n')) {
      const line = buffered.slice(0, end)
      buffered = buffered.slice(end + 2)
      const reply = answer(line)
      if (reply && line === '.' && slowMs > 0) setTimeout(say, Math.random() * slowMs, reply)
      else if (reply) say(reply)
    }
  })
}
