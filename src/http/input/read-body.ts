import type { FastifyRequest } from 'fastify'
import { fail, type PlatformError } from '../../errors.ts'
import { type Holding, isLarge } from '../budget.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Where its body may become a large one: what it holds of the room for those. */
    bodyRoom: Holding | undefined
    /** Where the client waits to be told that it may send its body (RFC 9110 §10.1.1): tells it. */
    askForBody: (() => void) | undefined
  }
}

const FIRST_BYTES = 16 * 1024

export const noRoom = (): PlatformError =>
  fail('notReady', 'Too many large bodies are being worked on; try again shortly', 1)

const tooSlow = (): PlatformError =>
  fail(
    'notReady',
    'The body came too slowly, or beside others of yours, while somebody else needed its room; send it again',
    1,
  )

type Done = (error: Error | null, body?: unknown) => void

/**
 * Reads a body to its end and gives it to `parse`. It counts for its sender as it arrives, not as it is announced: who announces much and sends nothing holds nothing. Where it
 * grows past what there is room for, it is dropped, and likewise where it comes slowly and others need its room.
 */
export function readBody(request: FastifyRequest, parse: (body: Buffer) => unknown, done: Done): void {
  // Nobody will look at it; Node throws away what is left of a request that was answered.
  if (request.is404) {
    done(null)
    return
  }
  const { raw, bodyRoom, routeOptions, headers } = request
  const most = Math.min(routeOptions.bodyLimit, Number(headers['content-length'] ?? Number.POSITIVE_INFINITY))
  // One buffer that grows, and not a list of pieces: somebody may send each byte as a piece of its own.
  let body = Buffer.alloc(0)
  let bytes = 0

  const onData = (piece: Buffer) => {
    const before = bytes
    bytes += piece.length
    bodyRoom?.hasMoved(piece.length)
    if (bytes > most) return drop(fail('bodyTooLarge'))
    if (bytes > body.length) {
      const size = Math.min(most, Math.max(bytes, 2 * body.length, FIRST_BYTES))
      if (bodyRoom && isLarge(size)) {
        if (!bodyRoom.canGrow()) return drop(noRoom())
        bodyRoom.setTo(size)
      }
      const larger = Buffer.allocUnsafe(size)
      body.copy(larger, 0, 0, before)
      body = larger
    }
    piece.copy(body, before)
  }
  const onEnd = () => {
    stop()
    let fields: unknown
    try {
      fields = parse(body.subarray(0, bytes))
    } catch (error) {
      return done(error as Error)
    }
    done(null, fields)
  }
  const onLeft = () => drop(fail('badRequest'))
  const drop = (problem: PlatformError) => {
    stop()
    raw.pause()
    body = Buffer.alloc(0)
    bodyRoom?.giveBack()
    done(problem)
  }
  const stop = () => {
    raw.off('data', onData).off('end', onEnd).off('error', onLeft).off('close', onLeft)
    bodyRoom?.stopMoving()
  }
  bodyRoom?.startMoving(() => drop(tooSlow()))
  raw.on('data', onData).on('end', onEnd).on('error', onLeft).on('close', onLeft)
  request.askForBody?.()
}
