import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PersonCaller } from '../../caller.ts'
import type { Environment } from '../../environment.ts'
import { tokenCache } from '../../sessions/cache.ts'
import type { CallerKind } from '../callers/callers.ts'
import type { HttpRequest } from '../request.ts'
import { startAnswer } from './answers.ts'

/** A file that is generated while it is sent. */
export interface Download {
  /** File name; may contain letters, digits, dots and dashes. */
  readonly fileName: string
  readonly mediaType: string
  readonly stream: Readable
}

/** Time limit for a whole download. */
const LONGEST_MS = 30 * 60_000
/** How often the caller's credentials are rechecked. */
const RECHECK_MS = 1000

/**
 * Sends a file as fast as the client reads it. If the platform stops, the person's tokens are revoked, the time limit
 * passes, or the file cannot be completed, the connection is aborted, so that the client notices that the file is
 * incomplete.
 */
export function sendDownload(
  environment: Environment,
  request: HttpRequest,
  file: Download,
  holds?: CallerKind['holds'],
): void {
  const { personId } = request.who as Partial<PersonCaller>
  const response = startAnswer(environment, request, {
    'content-type': file.mediaType,
    'content-disposition': `attachment; filename="${file.fileName}"`,
  })
  // The response to a HEAD request has no body.
  if (request.method === 'HEAD') {
    file.stream.destroy()
    response.end()
    return
  }
  const ending = new AbortController()
  const end = () => ending.abort()
  const stopListening = environment.get(tokenCache).onRevoked({
    revoked: (revoked) => personId !== undefined && revoked.personId === personId && end(),
    heardAgain: () => {},
  })
  const recheck = async () => {
    if (!(await holds?.(environment, request))) end()
  }
  const rechecking = holds && setInterval(recheck, RECHECK_MS)
  const timer = setTimeout(end, LONGEST_MS).unref()
  environment.stopping.addEventListener('abort', end)
  if (environment.stopping.aborted || response.destroyed) end()
  pipeline(file.stream, response, { signal: ending.signal })
    .catch((error: NodeJS.ErrnoException) => {
      const hasLeft = ending.signal.aborted || error.code === 'ERR_STREAM_PREMATURE_CLOSE'
      if (!hasLeft) environment.log.warn({ requestId: request.id, problem: error.message }, 'download aborted')
    })
    .finally(() => {
      clearTimeout(timer)
      clearInterval(rechecking)
      stopListening()
      environment.stopping.removeEventListener('abort', end)
    })
}
