import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../environment.ts'
import { fail } from '../errors.ts'
import type { ByteRange, Content, FileStore } from './contents.ts'
import { EMPTY_SHA256, encodePath, type SigningKeys, signedHeaders } from './sigv4.ts'

/** Time without a byte after which a request is given up. */
const IDLE_MS = 30_000
/** Pauses before a request is sent again. */
const PAUSES_MS = [200, 1_000]

interface S3Options {
  /** URL of the bucket, and the prefix of all keys. */
  readonly url: string
  readonly keys: SigningKeys
  readonly clock: Clock
  /** Called when a request has failed for good. */
  onFailure?(): void
}

interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  readonly key: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Content & { open(): Readable }
  readonly signal?: AbortSignal | undefined
}

/** Stores files in a bucket of an S3-compatible store. */
export class Bucket implements FileStore {
  readonly #options: S3Options
  readonly #url: URL
  readonly #agent: Agent

  constructor(options: S3Options) {
    this.#options = options
    this.#url = new URL(options.url)
    const isSecure = this.#url.protocol === 'https:'
    this.#agent = new (isSecure ? SecureAgent : Agent)({ keepAlive: true, timeout: IDLE_MS })
  }

  async keep({ sha256, bytes }: Content, path: string): Promise<void> {
    const found = await this.#send({ method: 'HEAD', key: sha256 }, [200, 404])
    if (found.statusCode === 200 && Number(found.headers['content-length']) === bytes) return
    await this.#put({ key: sha256, body: { sha256, bytes, open: () => createReadStream(path) } })
  }

  /** Stores an object under a name that no other object has. */
  async put(name: string, bytes: Buffer, signal?: AbortSignal): Promise<void> {
    const body = { sha256: hash('sha256', bytes), bytes: bytes.length, open: () => Readable.from([bytes]) }
    await this.#put({ key: name, body, signal })
  }

  /** Reads a whole object into memory. Returns undefined if there is none. Fails if it has more than `most` bytes. */
  async read(name: string, { most, signal }: { most: number; signal?: AbortSignal }): Promise<Buffer | undefined> {
    const what = { method: 'GET', key: name, signal } as const
    const answer = await this.#send(what, [200, 404])
    if (answer.statusCode === 404) {
      answer.resume()
      return undefined
    }
    const chunks: Buffer[] = []
    let bytes = 0
    try {
      for await (const chunk of answer) {
        bytes += chunk.length
        if (bytes > most) throw new Error(`the object has more than ${most} bytes`)
        chunks.push(chunk)
      }
    } catch (problem) {
      throw this.#unavailable(what, problem as Error)
    }
    return Buffer.concat(chunks)
  }

  open({ sha256 }: Content, { start, end }: ByteRange): Promise<Readable> {
    return this.#send({ method: 'GET', key: sha256, headers: { range: `bytes=${start}-${end}` } }, [206])
  }

  async remove(name: string): Promise<void> {
    await this.#send({ method: 'DELETE', key: name }, [200, 204, 404])
  }

  async #put(what: Pick<S3Request, 'key' | 'signal'> & { readonly body: NonNullable<S3Request['body']> }) {
    const headers = { 'content-length': String(what.body.bytes), 'content-type': 'application/octet-stream' }
    await this.#send({ method: 'PUT', headers, ...what }, [200])
  }

  /** Sends a request until the store accepts it. Reads and discards the response, except that to GET. */
  async #send(what: S3Request, accepted: readonly number[]): Promise<IncomingMessage> {
    for (let tries = 0; ; tries++) {
      const answer = await this.#sendOnce(what).catch((problem: Error) => problem)
      if (!(answer instanceof Error)) {
        const isAccepted = accepted.includes(answer.statusCode!)
        if (!isAccepted || what.method !== 'GET') answer.resume()
        if (isAccepted) return answer
      }
      const status = answer instanceof Error ? undefined : answer.statusCode!
      const mayPass = status === undefined || status >= 500 || status === 429
      const pauseMs = PAUSES_MS[tries]
      if (!mayPass || pauseMs === undefined || what.signal?.aborted) throw this.#unavailable(what, answer)
      await setTimeout(pauseMs)
    }
  }

  #sendOnce({ method, key, headers = {}, body, signal }: S3Request): Promise<IncomingMessage> {
    const { protocol, host, hostname, port, pathname } = this.#url
    const path = encodePath(`${decodeURIComponent(pathname)}/${key}`)
    const signed = signedHeaders(this.#options.keys, {
      ...{ method, host, path, headers },
      sha256: body?.sha256 ?? EMPTY_SHA256,
      at: this.#options.clock(),
    })
    return new Promise((resolve, reject) => {
      const sent = (protocol === 'https:' ? secureRequest : request)({
        ...{ method, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port, path, headers: signed },
        ...{ agent: this.#agent, signal },
      })
      sent.on('response', resolve).on('error', reject)
      sent.setTimeout(IDLE_MS, () => sent.destroy(new Error('The store does not respond')))
      if (!body) sent.end()
      // If the store refuses before it has read everything, the response arrives all the same.
      else pipeline(body.open(), sent).catch(reject)
    })
  }

  /** The error for the caller. Its cause, which names neither keys nor signatures, is logged. */
  #unavailable({ method }: S3Request, answer: IncomingMessage | Error) {
    this.#options.onFailure?.()
    const cause = answer instanceof Error ? answer.message : `status ${answer.statusCode}`
    const problem = fail('notReady', 'The file store does not respond; try again shortly', 5)
    problem.cause = new Error(`The file store refused ${method}: ${cause}`)
    return problem
  }
}
