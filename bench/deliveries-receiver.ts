import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/**
 * Arrival time of each event, in milliseconds since 1970. This file is a plugin in its own process, which accepts every
 * delivery.
 */
export type ArrivalTimes = readonly number[]

let arrivals: number[] = []
let asked = Number.POSITIVE_INFINITY
let seen = 0

function answerWhenAll(): void {
  if (seen < asked) return
  process.send?.(arrivals satisfies ArrivalTimes)
  arrivals = []
  asked = Number.POSITIVE_INFINITY
  seen = 0
}

const server = createServer(async (request, response) => {
  const at = performance.timeOrigin + performance.now()
  const { n } = (await json(request)) as { n: number }
  response.writeHead(204).end()
  if (arrivals[n] === undefined) seen++
  arrivals[n] ??= at
  answerWhenAll()
})
await once(server.listen(0, '127.0.0.1'), 'listening')
process.send!((server.address() as AddressInfo).port)
process.on('disconnect', () => process.exit())
process.on('message', (count: number) => {
  asked = count
  answerWhenAll()
})
