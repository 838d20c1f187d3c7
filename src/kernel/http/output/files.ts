import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PersonCaller } from '../../caller.ts'
import type { Environment } from '../../environment.ts'
import { tokenCache } from '../../sessions/cache.ts'
import type { CallerKind } from '../callers/callers.ts'
import type { HttpRequest } from '../request.ts'
import { startAnswer } from './answers.ts'

/** A file that is made while it is read. */
export interface Download {
  /** Letters, digits, dots and dashes. */
  readonly fileName: string
  readonly mediaType: string
  readonly stream: Readable
}

/** Nobody reads for longer. */
const LONGEST_MS = 30 * 60_000
/** How often it is asked whether they may still read. */
const LOOK_MS = 1000

/**
 * Sends a file as fast as it is read. It breaks off, so that the client notices, when the platform stops, when what the person has opened is revoked, when it takes
 * too long, and when the file cannot be made to its end.
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
  // Nobody reads what a HEAD asks about.
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
  const look = async () => {
    if (!(await holds?.(environment, request))) end()
  }
  const looking = holds && setInterval(look, LOOK_MS)
  const timer = setTimeout(end, LONGEST_MS).unref()
  environment.stopping.addEventListener('abort', end)
  if (environment.stopping.aborted || response.destroyed) end()
  pipeline(file.stream, response, { signal: ending.signal })
    .catch((error: NodeJS.ErrnoException) => {
      const hasLeft = ending.signal.aborted || error.code === 'ERR_STREAM_PREMATURE_CLOSE'
      if (!hasLeft) environment.log.warn({ requestId: request.id, problem: error.message }, 'a download broke off')
    })
    .finally(() => {
      clearTimeout(timer)
      clearInterval(looking)
      stopListening()
      environment.stopping.removeEventListener('abort', end)
    })
}
