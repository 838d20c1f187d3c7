import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { networkOf } from '../bounds/networks.ts'
import { service } from '../environment.ts'
import { proxyFinder } from './proxies.ts'

/**
 * Maximum number of pipelined requests that may wait on one connection (RFC 9112 §9.3.2). Real clients pipeline far
 * fewer.
 */
const MAX_QUEUED = 128
/** A connection is closed after this long without a byte in either direction while a response is pending. */
const IDLE_TIMEOUT_MS = 120_000
/** A connection that waits for its next request is closed after this long. */
const KEEP_ALIVE_MS = 72_000
const SWEEP_MS = 15_000
/** Tells clients how long they may reuse a connection. */
export const KEEP_ALIVE = ['keep-alive', `timeout=${KEEP_ALIVE_MS / 1000}`] as const
const WARN_INTERVAL_MS = 60_000

interface State {
  waiting: number
  /** Response with an event stream. Requests pipelined behind it on the same connection can never be served. */
  last: ServerResponse | undefined
  moved: number
  movedAtMs: number
}

interface Limits {
  /** Maximum number of open connections per network. */
  readonly maxPerNetwork: number
  /** Tells whether an address is a trusted proxy. Connections from proxies carry many clients and are not counted. */
  isProxy(address: string): boolean
}

/** Returns the response that a connection is sending or waiting for. Node has no public name for it. */
export const pendingResponse = (socket: Socket): ServerResponse | null | undefined =>
  (socket as { _httpMessage?: ServerResponse | null })._httpMessage

/**
 * Limits the number of connections per network, and of waiting requests per connection. Without this, Node starts all
 * pipelined requests of a connection at once and buffers their responses without a limit (RFC 9112 §9.3.2).
 */
class Connections {
  readonly #states = new Map<Socket, State>()
  readonly #countOf = new Map<string, number>()
  readonly #limits: Limits
  readonly #log: Logger
  #warnedAtMs = Number.NEGATIVE_INFINITY
  #sweeper: NodeJS.Timeout | undefined

  constructor(limits: Limits, log: Logger) {
    this.#limits = limits
    this.#log = log
  }

  /** Counts the connections to a server. A connection over the limit gets the response `refuse()` and is closed. */
  follow(server: Server, refuse: () => string): void {
    server.on('connection', (socket: Socket) => {
      if (this.#reserve(socket)) {
        this.#stateOf(socket)
        return
      }
      socket.write(refuse())
      socket.destroySoon()
    })
    this.#sweeper ??= setInterval(() => this.sweep(performance.now()), SWEEP_MS).unref()
  }

  #reserve(socket: Socket): boolean {
    const address = socket.remoteAddress
    if (address === undefined || this.#limits.isProxy(address)) return true
    const network = networkOf(address)
    const count = this.#countOf.get(network) ?? 0
    if (count >= this.#limits.maxPerNetwork) {
      this.#warn(network)
      return false
    }
    this.#countOf.set(network, count + 1)
    socket.once('close', () => {
      const left = this.#countOf.get(network)! - 1
      if (left > 0) this.#countOf.set(network, left)
      else this.#countOf.delete(network)
    })
    return true
  }

  #warn(network: string): void {
    const nowMs = performance.now()
    if (nowMs - this.#warnedAtMs < WARN_INTERVAL_MS) return
    this.#warnedAtMs = nowMs
    this.#log.warn(
      { network, connections: this.#limits.maxPerNetwork },
      'network reached its connection limit; if it is your proxy, name it in TRUST_PROXY',
    )
  }

  /**
   * Returns the state of a connection. It is created if missing: if both environments share a port, the other
   * environment's server may have accepted the connection.
   */
  #stateOf(socket: Socket): State {
    const known = this.#states.get(socket)
    if (known) return known
    const state = { waiting: 0, last: undefined, moved: 0, movedAtMs: performance.now() }
    if (socket.destroyed) return state
    this.#states.set(socket, state)
    socket.once('close', () => this.#states.delete(socket))
    return state
  }

  /** Tells whether the connection may queue one more request. If not, the connection is closed. */
  admits(socket: Socket, response: ServerResponse): boolean {
    // Fast path: no other response is pending on this connection, so the request is not pipelined.
    if (response.socket !== null) return true
    if (socket.destroyed) return false
    const state = this.#stateOf(socket)
    state.waiting++
    response.once('close', () => state.waiting--)
    const isBehindLast = state.last !== undefined && !state.last.writableFinished
    if (state.waiting <= MAX_QUEUED && !isBehindLast) return true
    socket.destroy()
    return false
  }

  /**
   * Marks an event stream. A request that is pipelined behind it would wait forever, so such a request closes the
   * connection.
   */
  refusePipelined(socket: Socket, response: ServerResponse): void {
    this.#stateOf(socket).last = response
  }

  close(): void {
    clearInterval(this.#sweeper)
  }

  /**
   * Closes idle connections. One sweep for all of them replaces Node's timer for each, which would be set and cleared
   * with every request.
   */
  sweep(nowMs: number): void {
    for (const [socket, state] of this.#states) {
      const moved = socket.bytesRead + socket.bytesWritten
      const idleMs = nowMs - state.movedAtMs
      if (moved !== state.moved) {
        state.moved = moved
        state.movedAtMs = nowMs
      } else if (idleMs > (pendingResponse(socket) ? IDLE_TIMEOUT_MS : KEEP_ALIVE_MS)) socket.destroy()
    }
  }
}

export const connections = service(
  ({ config, log }) =>
    new Connections({ maxPerNetwork: config.CONNECTIONS_PER_NETWORK, isProxy: proxyFinder(config.TRUST_PROXY) }, log),
  (opened) => opened.close(),
)
