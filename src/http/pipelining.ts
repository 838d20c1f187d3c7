import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** So many requests of one connection may wait behind the one that is answered. Nobody sends more of them before they look at an answer. */
const MOST_WAITING = 128

/** What is under way on a connection on which somebody sends requests before they have the answers to those before (RFC 9112 §9.3.2). */
interface Line {
  waiting: number
  /** The answer behind which there will be no other. */
  last: ServerResponse | undefined
}

const lines = new WeakMap<Socket, Line>()

const lineOf = (socket: Socket): Line => {
  const known = lines.get(socket)
  if (known) return known
  const line: Line = { waiting: 0, last: undefined }
  lines.set(socket, line)
  return line
}

/**
 * For every request that arrives. Node works on all of them at once and keeps their answers until it is their turn, however many they are and however long that takes: where they
 * are too many, or come behind what never ends, this ends the connection.
 */
export function isTooMuch({ socket }: IncomingMessage, response: ServerResponse): boolean {
  // So it is with almost all: nothing is before it.
  if (response.socket !== null) return false
  if (socket.destroyed) return true
  const line = lineOf(socket)
  line.waiting++
  response.once('close', () => line.waiting--)
  const isBehindLast = line.last !== undefined && !line.last.writableFinished
  if (line.waiting <= MOST_WAITING && !isBehindLast) return false
  socket.destroy()
  return true
}

/** For a stream of events: its end is not waited for. */
export function expectNothingBehind({ socket }: IncomingMessage, response: ServerResponse): void {
  lineOf(socket).last = response
}
