import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PersonCaller } from '../../caller.ts'
import type { Environment } from '../../environment.ts'
import { commonHeaders, setHeader, startAnswer } from './answers.ts'

/** A file that is made while it is read. */
export interface Download {
  /** Letters, digits, dots and dashes. */
  readonly fileName: string
  readonly mediaType: string
  readonly stream: Readable
}

/**
 * A reader who takes nothing for so long has gone. What they take is seen late and in large steps: Linux asks for more only once a third of its send buffer is free,
 * which with 4 MiB of it is 1.4 MiB, or almost five minutes of a reader who takes 5 KB a second.
 */
const STILL_MS = 10 * 60_000
/** Nobody reads for longer. */
const LONGEST_MS = 60 * 60_000
const LOOK_MS = 5_000

/**
 * Sends a file as fast as it is read. It breaks off, so that the client notices, when the platform stops, when what the person has opened is revoked, and when the
 * file cannot be made to its end.
 */
export function sendDownload(
  environment: Environment,
  request: FastifyRequest,
  reply: FastifyReply,
  { fileName, mediaType, stream }: Download,
): void {
  const { personId } = request.who as PersonCaller
  const headers = commonHeaders(environment, request)
  setHeader(headers, 'content-type', mediaType)
  setHeader(headers, 'content-disposition', `attachment; filename="${fileName}"`)
  const raw = startAnswer(environment, request, reply, 200, headers)

  const ending = new AbortController()
  const end = () => ending.abort()
  const stopListening = environment.tokens.onRevoked({
    revoked: (revoked) => revoked.personId === personId && end(),
    heardAgain: () => {},
  })
  environment.stopping.addEventListener('abort', end)
  const stopWatching = watchReader(raw, environment.clock, end)
  if (environment.stopping.aborted || raw.destroyed) end()
  pipeline(stream, raw, { signal: ending.signal })
    .catch((error: NodeJS.ErrnoException) => {
      const isLeft = ending.signal.aborted || error.code === 'ERR_STREAM_PREMATURE_CLOSE'
      if (!isLeft) environment.log.warn({ requestId: request.id, problem: error.message }, 'a download broke off')
    })
    .finally(() => {
      stopWatching()
      stopListening()
      environment.stopping.removeEventListener('abort', end)
    })
}

/** Calls `end` once the reader has gone, or has had their time. Where nothing waits for the reader, it is the file that takes its time. */
function watchReader(raw: ServerResponse, clock: () => Date, end: () => void): () => void {
  const nowMs = () => clock().getTime()
  const written = () => raw.socket?.bytesWritten ?? 0
  // The server's own limit for silent connections is shorter; for the next request on this one it holds again.
  raw.setTimeout(0)
  const startedAtMs = nowMs()
  let [movedAtMs, before] = [startedAtMs, written()]
  const timer = setInterval(() => {
    const now = written()
    if (raw.writableLength === 0 || now !== before) movedAtMs = nowMs()
    before = now
    if (nowMs() - movedAtMs >= STILL_MS || nowMs() - startedAtMs >= LONGEST_MS) end()
  }, LOOK_MS)
  return () => clearInterval(timer)
}
