import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { networkOf } from '../bounds/networks.ts'
import { service } from '../environment.ts'
import { proxyFinder } from './proxies.ts'

/** So many requests of one connection may wait behind the one that is answered. No client sends more before it looks at an answer. */
const MOST_WAITING = 128
/** A connection on which nothing moves for so long, because its client neither sends nor reads, ends. */
const SILENT_MS = 120_000
const SWEEP_MS = 15_000
const TELL_EVERY_MS = 60_000

interface State {
  waiting: number
  /** The answer behind which there will be no other. */
  last: ServerResponse | undefined
  moved: number
  movedAtMs: number
}

interface Limits {
  /** Connections of one network. */
  readonly mostOfNetwork: number
  /** Carries many clients, and is not counted. */
  isProxy(address: string): boolean
}

/**
 * Bounds how many connections a network may have, and what one connection may hold. Node works on all requests of a connection at once and keeps their answers until it is their turn, however many there are
 * (RFC 9112 §9.3.2).
 */
class Connections {
  readonly #states = new Map<Socket, State>()
  readonly #countOf = new Map<string, number>()
  readonly #limits: Limits
  readonly #log: Logger
  #toldAtMs = Number.NEGATIVE_INFINITY
  #sweeper: NodeJS.Timeout | undefined

  constructor(limits: Limits, log: Logger) {
    this.#limits = limits
    this.#log = log
  }

  /** A connection that there is no room for gets the answer that `refuse` makes, and ends. */
  follow(server: Server, refuse: () => string): void {
    server.on('connection', (socket: Socket) => {
      if (this.#takePlace(socket)) {
        this.#stateOf(socket)
        return
      }
      socket.write(refuse())
      socket.destroySoon()
    })
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS).unref()
  }

  #takePlace(socket: Socket): boolean {
    const address = socket.remoteAddress
    if (address === undefined || this.#limits.isProxy(address)) return true
    const network = networkOf(address)
    const count = this.#countOf.get(network) ?? 0
    if (count >= this.#limits.mostOfNetwork) {
      this.#tell(network)
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

  #tell(network: string): void {
    const nowMs = performance.now()
    if (nowMs - this.#toldAtMs < TELL_EVERY_MS) return
    this.#toldAtMs = nowMs
    this.#log.warn(
      { network, connections: this.#limits.mostOfNetwork },
      'a network has as many connections as it may have; if that is a proxy of yours, name it in TRUST_PROXY',
    )
  }

  /** Made where it is missing: with one port for both environments, a connection comes to the other one's server. */
  #stateOf(socket: Socket): State {
    const known = this.#states.get(socket)
    if (known) return known
    const state = { waiting: 0, last: undefined, moved: 0, movedAtMs: performance.now() }
    if (socket.destroyed) return state
    this.#states.set(socket, state)
    socket.once('close', () => this.#states.delete(socket))
    return state
  }

  /** Whether there is room for one more request; where there is none, the connection ends. */
  admits(socket: Socket, response: ServerResponse): boolean {
    // So it is with almost all: no other is before it.
    if (response.socket !== null) return true
    if (socket.destroyed) return false
    const state = this.#stateOf(socket)
    state.waiting++
    response.once('close', () => state.waiting--)
    const isBehindLast = state.last !== undefined && !state.last.writableFinished
    if (state.waiting <= MOST_WAITING && !isBehindLast) return true
    socket.destroy()
    return false
  }

  /** For a stream of events: its end is not waited for. */
  expectNothingBehind(socket: Socket, response: ServerResponse): void {
    this.#stateOf(socket).last = response
  }

  close(): void {
    clearInterval(this.#sweeper)
  }

  #sweep(): void {
    const nowMs = performance.now()
    for (const [socket, state] of this.#states) {
      const moved = socket.bytesRead + socket.bytesWritten
      if (moved !== state.moved) {
        state.moved = moved
        state.movedAtMs = nowMs
      } else if (nowMs - state.movedAtMs > SILENT_MS) socket.destroy()
    }
  }
}

export const connections = service(
  ({ config, log }) =>
    new Connections({ mostOfNetwork: config.CONNECTIONS_PER_NETWORK, isProxy: proxyFinder(config.TRUST_PROXY) }, log),
  (opened) => opened.close(),
)
