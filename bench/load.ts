import { connect, type Socket } from 'node:net'
import { createHistogram } from 'node:perf_hooks'

/**
 * A load generator in a process of its own: as many connections as asked for, each sending its next request when the last one is answered. It knows just enough HTTP to be cheaper
 * than what it measures.
 */
export interface LoadPlan {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Bodies that are sent in turn. */
  readonly bodies: readonly string[]
}

export interface LoadResult {
  readonly requests: number
  readonly failures: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

const NS_PER_MS = 1_000_000

function makeRequests(plan: LoadPlan): Buffer[] {
  const lines = Object.entries(plan.headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const start = `${plan.method} ${plan.path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}`
  if (plan.bodies.length === 0) return [Buffer.from(`${start}\r\n`)]
  return plan.bodies.map((body) =>
    Buffer.from(`${start}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`),
  )
}

/** Bytes of a whole answer at the start of the text, or 0 where some are missing. */
function answerLength(text: string): number {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return 0
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1]
  const total = end + 4 + Number(length ?? 0)
  return text.length >= total ? total : 0
}

export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const requests = makeRequests(plan)
  const latency = createHistogram()
  let count = 0
  let failures = 0
  let isOver = false

  const worker = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      let next = index
      let sentAt = 0n
      let pending = ''
      const socket: Socket = connect({ port: plan.port, host: '127.0.0.1', noDelay: true })
      const send = () => {
        sentAt = process.hrtime.bigint()
        socket.write(requests[next++ % requests.length] as Buffer)
      }
      socket.setEncoding('latin1')
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        pending = pending === '' ? String(chunk) : pending + chunk
        const length = answerLength(pending)
        if (length === 0) return
        if (!pending.startsWith('HTTP/1.1 200')) failures++
        pending = pending.slice(length)
        latency.record(process.hrtime.bigint() - sentAt)
        count++
        if (!isOver) return send()
        socket.end()
        resolve()
      })
    })

  const startedAt = performance.now()
  setTimeout(() => {
    isOver = true
  }, plan.seconds * 1000)
  await Promise.all(Array.from({ length: plan.connections }, (_, index) => worker(index)))
  return {
    requests: count,
    failures,
    seconds: (performance.now() - startedAt) / 1000,
    p50Ms: latency.percentile(50) / NS_PER_MS,
    p99Ms: latency.percentile(99) / NS_PER_MS,
  }
}

if (process.send) {
  process.on('message', async (plan: LoadPlan) => process.send?.(await runLoad(plan)))
}
