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

/** A reader who takes nothing for so long has gone, and nobody reads for longer than that. */
const LONGEST_SILENCE_MS = 60_000
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
  raw.setTimeout(LONGEST_SILENCE_MS, end)
  if (environment.stopping.aborted) end()
  pipeline(stream, raw, { signal: ending.signal })
    .catch((error: NodeJS.ErrnoException) => {
      const isLeft = ending.signal.aborted || error.code === 'ERR_STREAM_PREMATURE_CLOSE'
      if (!isLeft) environment.log.warn({ requestId: request.id, problem: error.message }, 'a download broke off')
    })
    .finally(() => {
      clearTimeout(limit)
      stopListening()
      environment.stopping.removeEventListener('abort', end)
    })
}
