import type { Socket } from 'node:net'
import type { Environment } from '../../environment.ts'
import { fail, type PlatformError } from '../../errors.ts'
import type { HttpRequest } from '../request.ts'
import { disk, LARGE_WRITE_BYTES, lowDisk } from './disk.ts'

/** Time limit for a streamed body. A file of 200 MB within it needs 900 kbit/s. */
const LONGEST_MS = 30 * 60_000

/** Connections on which a streamed body arrives. The time limit for an ordinary request does not apply to them. */
const streaming = new WeakSet<Socket>()

export const isStreaming = (socket: Socket): boolean => streaming.has(socket)

/** Tells a client that waits for `100 Continue` to send the body. */
export function startBody(request: HttpRequest): void {
  if (!request.isContinueAwaited) return
  request.isContinueAwaited = false
  request.response.writeContinue()
}

/**
 * Yields the body as it arrives, no faster than the reader takes it. Leaves the connection open if the reader stops,
 * so that the client can still be told why.
 */
export async function* streamBody(
  environment: Environment,
  request: HttpRequest,
  tooLarge: () => PlatformError,
): AsyncGenerator<Buffer> {
  const { raw, route, receivedAtMs } = request
  const { socket } = raw
  const ownDisk = environment.get(disk)
  startBody(request)
  streaming.add(socket)
  let bytes = 0
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > route.bodyLimit) throw tooLarge()
      if (bytes > LARGE_WRITE_BYTES && ownDisk.isLow) throw lowDisk()
      if (performance.now() - receivedAtMs > LONGEST_MS)
        throw fail('badRequest', 'The file did not arrive in time; send it again')
      yield chunk
    }
  } catch (problem) {
    throw raw.destroyed && !raw.complete
      ? fail('badRequest', 'The connection was closed before the end of the file')
      : problem
  } finally {
    streaming.delete(socket)
  }
}
