import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { service } from '../environment.ts'

/** So many requests of one connection may wait behind the one that is answered. No client sends more before it looks at an answer. */
const MOST_WAITING = 128
/** A connection on which nothing moves for so long, because its client neither sends nor reads, ends. */
const SILENT_MS = 120_000
const SWEEP_MS = 15_000

interface State {
  waiting: number
  /** The answer behind which there will be no other. */
  last: ServerResponse | undefined
  moved: number
  movedAtMs: number
}

/**
 * Bounds what one connection may hold. Node works on all requests of a connection at once and keeps their answers until it is their turn, however many there are
 * (RFC 9112 §9.3.2).
 */
class Connections {
  readonly #states = new Map<Socket, State>()
  #sweeper: NodeJS.Timeout | undefined

  follow(server: Server): void {
    server.on('connection', (socket: Socket) => this.#stateOf(socket))
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS).unref()
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
  () => new Connections(),
  (opened) => opened.close(),
)
