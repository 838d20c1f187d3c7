import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PersonCaller } from '../caller.ts'
import type { Environment } from '../environment.ts'
import { commonHeaders, setHeader } from './answers.ts'

/** A file that is made while it is read. */
export interface Download {
  /** Letters, digits, dots and dashes. */
  readonly fileName: string
  readonly mediaType: string
  readonly stream: Readable
}

/** A reader who takes less than that in such a time has gone, or only wants to keep others waiting. */
const LEAST_BYTES = 64 * 1024
const PACE_MS = 30_000
/** Nobody reads for longer. */
const LONGEST_MS = 60 * 60_000

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
  const { raw } = reply
  const { personId } = request.who as PersonCaller
  const headers = commonHeaders(environment, request)
  setHeader(headers, 'content-type', mediaType)
  setHeader(headers, 'content-disposition', `attachment; filename="${fileName}"`)
  reply.hijack()
  raw.writeHead(200, headers)

  const ending = new AbortController()
  const end = () => ending.abort()
  const stopListening = environment.tokens.onRevoked({
    revoked: (revoked) => revoked.personId === personId && end(),
    heardAgain: () => {},
  })
  environment.stopping.addEventListener('abort', end)
  const limit = setTimeout(end, LONGEST_MS)
  const stopWatching = watchPace(raw, end)
  if (environment.stopping.aborted) end()
  pipeline(stream, raw, { signal: ending.signal })
    .catch((error: NodeJS.ErrnoException) => {
      const isLeft = ending.signal.aborted || error.code === 'ERR_STREAM_PREMATURE_CLOSE'
      if (!isLeft) environment.log.warn({ requestId: request.id, problem: error.message }, 'a download broke off')
    })
    .finally(() => {
      clearTimeout(limit)
      stopWatching()
      stopListening()
      environment.stopping.removeEventListener('abort', end)
    })
}

/** Calls `end` once the reader is too slow. Where nothing waits for the reader, it is the file that takes its time. */
function watchPace(raw: ServerResponse, end: () => void): () => void {
  const written = () => raw.socket?.bytesWritten ?? 0
  let before = written()
  const timer = setInterval(() => {
    const now = written()
    if (raw.writableLength > 0 && now - before < LEAST_BYTES) end()
    before = now
  }, PACE_MS)
  return () => clearInterval(timer)
}
