import { setTimeout as delay } from 'node:timers/promises'
import type { Kind, Watch } from './watch.ts'

export interface Call {
  readonly method: 'GET' | 'PUT' | 'POST'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number>>
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body, parsed if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the drill reads answers of many operations
  readonly body: any
}

/** Thrown if a write is given up at the end of the load: it may have taken effect or not. */
export class Abandoned extends Error {}

/** How long a client waits before it repeats a request. */
const RETRY_MS = 1_000

export const basic = (name: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
})
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
export const key = (value: string) => ({ 'idempotency-key': value })

/** Calls the platform as apps do: a request that is refused or not answered is repeated until it is answered. */
export class Client {
  readonly #url: string
  readonly #timeoutMs: number
  readonly #abandon: AbortSignal | undefined

  constructor(url: string, timeoutMs: number, abandon?: AbortSignal) {
    this.#url = url
    this.#timeoutMs = timeoutMs
    this.#abandon = abandon
  }

  /** Sends one request. Returns undefined if the connection broke or there was no answer in time. */
  async send({ method, path, query = {}, body, headers }: Call): Promise<Answer | undefined> {
    const url = new URL(path, this.#url)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    try {
      const answer = await fetch(url, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#timeoutMs),
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') && text !== ''
      return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : undefined }
    } catch {
      return undefined
    }
  }

  /** Repeats a request until it is answered. `tries` counts how often it was sent. */
  async #repeat(call: Call, onRefused: () => void): Promise<{ answer: Answer; tries: number; sentMs: number }> {
    for (let tries = 1; ; tries++) {
      const sentMs = performance.now()
      const answer = await this.send(call)
      if (answer && !isRefusal(answer)) return { answer, tries, sentMs }
      onRefused()
      if (this.#abandon?.aborted) throw new Abandoned(`${call.method} ${call.path}: ${answer?.text ?? 'no answer'}`)
      await delay(RETRY_MS)
    }
  }

  async read(call: Call): Promise<Answer> {
    return (await this.#repeat(call, () => {})).answer
  }

  /** Like `read`, but throws unless the answer is a success. */
  async readOk(call: Call): Promise<Answer> {
    const answer = await this.read(call)
    if (!isSuccess(answer)) throw new Error(`${call.method} ${call.path}: ${describe(answer)}`)
    return answer
  }

  /** Sends a write that must not be repeated. Returns undefined, after a pause, if it was refused or not answered. */
  async writeOnce(watch: Watch, kind: Kind, call: Call): Promise<Answer | undefined> {
    const observed = watch.begin(kind)
    const sentMs = performance.now()
    const answer = await this.send(call)
    observed.end()
    if (answer && isSuccess(answer)) observed.acknowledge(sentMs, 1)
    if (answer && !isRefusal(answer)) return answer
    observed.refuse()
    await delay(RETRY_MS)
    return undefined
  }

  /** Sends a write that the watch observes. The call must have the same effect however often it is sent. */
  async write(watch: Watch, kind: Kind, call: Call): Promise<Answer> {
    const observed = watch.begin(kind)
    try {
      const { answer, tries, sentMs } = await this.#repeat(call, observed.refuse)
      if (isSuccess(answer)) observed.acknowledge(sentMs, tries)
      return answer
    } finally {
      observed.end()
    }
  }
}

const isRefusal = ({ status }: Answer): boolean => status >= 500 || status === 429
export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 400
export const describe = ({ status, text }: Answer): string => `${status} ${text.slice(0, 300)}`
