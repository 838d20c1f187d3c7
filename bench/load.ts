import { connect, type Socket } from 'node:net'
import { createHistogram } from 'node:perf_hooks'

/**
 * The plan of a load generator, which runs in its own process. Each connection sends its next request after the last
 * response. The generator implements just enough HTTP to use less CPU than the server that it measures.
 */
export interface LoadPlan {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  readonly method: string
  readonly path: string
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
  readonly send: Sending
}

type Fields = Readonly<Record<string, unknown>>

/** The parts of a request that vary within a scenario. The body is sent as JSON. */
export interface LoadPart {
  /** Overrides the plan's path. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Fields | readonly unknown[]
}

/** Which request each connection sends next. */
export type Sending =
  /** Every connection repeats the whole list. Connection n starts at item n. */
  | { readonly kind: 'turns'; readonly parts: readonly LoadPart[] }
  /**
   * All connections take requests from one queue. At its end the queue starts again if `isEndless`; otherwise the load
   * ends.
   */
  | { readonly kind: 'queue'; readonly parts: readonly LoadPart[]; readonly isEndless: boolean }
  /** Every connection starts with its own body. Later requests use the value of `field` from the last response. */
  | { readonly kind: 'chain'; readonly bodies: readonly Fields[]; readonly field: string }

export interface LoadResult {
  readonly requests: number
  readonly failures: number
  /** The text of the first unsuccessful response; empty if there is none. */
  readonly failure: string
  readonly seconds: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

const NS_PER_MS = 1_000_000

/** Returns the next request of a connection, given its last response; undefined if the connection is done. */
type NextRequest = (connection: number, answer: string | undefined) => Buffer | undefined

const linesOf = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

function encoderOf(plan: LoadPlan): (part: LoadPart) => Buffer {
  const common = `host: 127.0.0.1\r\n${linesOf(plan.headers)}`
  return ({ path = plan.path, headers = {}, body }) => {
    const start = `${plan.method} ${path} HTTP/1.1\r\n${common}`
    if (!body) return Buffer.from(`${start}${linesOf(headers)}\r\n`)
    const text = JSON.stringify(body)
    const length = Buffer.byteLength(text)
    return Buffer.from(
      `${start}${linesOf(headers)}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`,
    )
  }
}

function makeRequests(plan: LoadPlan): NextRequest {
  const { send } = plan
  const encode = encoderOf(plan)
  if (send.kind === 'chain') {
    return (connection, answer) => {
      const body = send.bodies[connection] as Fields
      return encode({ body: answer === undefined ? body : { ...body, [send.field]: JSON.parse(answer)[send.field] } })
    }
  }
  const requests = send.parts.map(encode)
  if (send.kind === 'turns') {
    const next = Array.from({ length: plan.connections }, (_, index) => index)
    return (connection) => requests[next[connection]!++ % requests.length]
  }
  let taken = 0
  return () => requests[send.isEndless ? taken++ % requests.length : taken++]
}

/** Finds the body of the first response in the text; returns undefined if the response is incomplete. */
function findBody(text: string): { start: number; end: number } | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1]
  const body = { start: end + 4, end: end + 4 + Number(length ?? 0) }
  return text.length >= body.end ? body : undefined
}

/** Runs the load until the time is over, no requests are left, or `stop` is aborted. The last responses are awaited. */
export async function runLoad(plan: LoadPlan, stop?: AbortSignal): Promise<LoadResult> {
  const nextRequest = makeRequests(plan)
  const needsAnswer = plan.send.kind === 'chain'
  const latency = createHistogram()
  let count = 0
  let failures = 0
  let failure = ''
  let isOver = false
  const finish = () => {
    isOver = true
  }

  const worker = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      let sentAt = 0n
      let pending = ''
      const socket: Socket = connect({ port: plan.port, host: '127.0.0.1', noDelay: true })
      const sendNext = (answer?: string) => {
        const request = isOver ? undefined : nextRequest(index, answer)
        if (!request) {
          socket.end()
          return resolve()
        }
        sentAt = process.hrtime.bigint()
        socket.write(request)
      }
      socket.setEncoding('latin1')
      socket.on('connect', () => sendNext())
      socket.on('error', reject)
      socket.on('end', () => reject(new Error('The server closed a connection')))
      socket.on('data', (chunk) => {
        pending = pending === '' ? String(chunk) : pending + chunk
        const body = findBody(pending)
        if (!body) return
        latency.record(process.hrtime.bigint() - sentAt)
        count++
        const isRefused = !pending.startsWith('HTTP/1.1 200')
        if (isRefused && failures++ === 0) failure = pending
        const answer = needsAnswer ? pending.slice(body.start, body.end) : ''
        pending = pending.slice(body.end)
        // The next request of a chain needs a successful response, so end the load. The failure is counted.
        if (isRefused && needsAnswer) finish()
        sendNext(answer)
      })
    })

  const startedAt = performance.now()
  const timer = setTimeout(finish, plan.seconds * 1000)
  stop?.addEventListener('abort', finish)
  await Promise.all(Array.from({ length: plan.connections }, (_, index) => worker(index)))
  clearTimeout(timer)
  return {
    requests: count,
    failures,
    failure,
    seconds: (performance.now() - startedAt) / 1000,
    p50Ms: latency.percentile(50) / NS_PER_MS,
    p95Ms: latency.percentile(95) / NS_PER_MS,
    p99Ms: latency.percentile(99) / NS_PER_MS,
  }
}

if (process.send) {
  const stop = new AbortController()
  process.on('disconnect', () => process.exit())
  process.on('message', async (message: LoadPlan | 'stop') => {
    if (message === 'stop') stop.abort()
    else process.send?.(await runLoad(message, stop.signal))
  })
}
