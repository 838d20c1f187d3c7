import { ByteBudget } from '../../bounds/byte-budget.ts'
import { callerKey } from '../../caller.ts'
import { type Environment, service } from '../../environment.ts'
import { fail, type PlatformError } from '../../errors.ts'
import type { HttpRequest, Route } from '../request.ts'
import { disk, LARGE_WRITE_BYTES, lowDisk } from './disk.ts'
import { BodyStream, isWholeBody, type Source } from './fields.ts'
import { parseForm } from './forms.ts'
import { parseStrictJson } from './json.ts'
import { startBody, streamBody } from './streams.ts'

/** Default body limit in bytes: enough for forms, ids and credentials. */
export const SMALL_BODY_BYTES = 64 * 1024
/** Body limit for an image, in bytes. */
export const IMAGE_BYTES = 5 * 1024 * 1024
/** Body limit for a CSV file, in bytes. */
export const CSV_BYTES = 2 * 1024 * 1024

/**
 * Media types listed in the documentation. The declared type is not checked against the image, because its bytes decide
 * the format.
 */
export const IMAGE_BODY_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'application/octet-stream']
/**
 * Matches any image type, and application/octet-stream for an unknown type. Other types are refused before the body is
 * read.
 */
const ANY_IMAGE = /^(?:image\/[\w.+-]+|application\/octet-stream)\s*(?:;|$)/i

/**
 * Media type of CSV (RFC 7111). application/octet-stream is accepted too, for senders that do not know the type.
 * Charsets other than UTF-8 are refused.
 */
export const CSV_TYPE = 'text/csv'
const ANY_CSV = /^(?:text\/csv|application\/octet-stream)\s*(?:;\s*(?:charset="?utf-8"?|header=\w+)\s*)*$/i

/**
 * Bodies over 64 KiB are in memory several times while they are processed, so the total size of all such bodies is
 * limited.
 */
const largeBodies = service(({ config }) => new ByteBudget(config.LARGE_BODIES_BYTES))

type Parse = (body: Buffer, contentType: string) => unknown

/** Returns the parser for an input source and a media type. */
function parserOf(source: Source, contentType: string | undefined): Parse {
  if (source === 'image') {
    if (contentType === undefined || ANY_IMAGE.test(contentType)) return (body) => body
    throw fail('unsupportedMediaType', 'Send the image itself, as image/png, image/jpeg or image/webp')
  }
  if (source === 'csv') {
    if (contentType !== undefined && ANY_CSV.test(contentType)) return (body) => body
    throw fail('unsupportedMediaType', 'Send the file itself, as text/csv in UTF-8')
  }
  if (source === 'raw') return (body) => body
  const type = /^[^;\s]*/.exec(contentType ?? '')![0].toLowerCase()
  // Some old clients send JSON as application/octet-stream.
  if (type === 'application/json' || type === 'application/octet-stream') return parseStrictJson
  if (type === 'application/x-www-form-urlencoded') return parseForm
  throw fail('unsupportedMediaType')
}

/** Checks the headers before the body is read. Returns the error if the body must be refused. */
export function refuseBody({ headers, route }: HttpRequest): PlatformError | undefined {
  const { 'content-length': length, 'content-encoding': coding } = headers
  if (coding !== undefined && coding !== 'identity')
    return fail('unsupportedMediaType', 'A compressed body is not supported; send it uncompressed')
  return Number(length ?? 0) > route.bodyLimit ? tooLarge(route) : undefined
}

const tooLarge = ({ bodyLimit }: Route) =>
  fail('bodyTooLarge', `The body is too large: the limit is ${bodyLimit} bytes`)

/** Reads the body and parses it into fields or bytes; undefined if there is no body. */
export async function readBody(environment: Environment, request: HttpRequest, source: Source): Promise<unknown> {
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type } = request.headers
  if (encoding === undefined && (length === undefined || length === '0'))
    return isWholeBody(source) && type !== undefined ? Buffer.alloc(0) : undefined
  if (source === 'stream')
    return new BodyStream(length === undefined ? undefined : Number(length), () =>
      streamBody(environment, request, () => tooLarge(request.route)),
    )
  const parse = parserOf(source, type)
  startBody(request)
  return parse(request.body ?? (await collect(environment, request)), type ?? '')
}

const noRoom = () => fail('notReady', 'Too many large bodies are being processed; try again shortly', 1)

/**
 * Reads the whole body. Its bytes count against the caller's share of memory as they arrive, not as announced, and
 * until the response is sent.
 */
function collect(environment: Environment, request: HttpRequest): Promise<Buffer> {
  const { raw, route, headers, who } = request
  const most = Math.min(route.bodyLimit, Number(headers['content-length'] ?? Number.POSITIVE_INFINITY))
  const room = environment.get(largeBodies).hold(callerKey(who))
  const ownDisk = environment.get(disk)
  request.releaseBody = room.release
  return new Promise((resolve, reject) => {
    // Uses one growing buffer instead of a list of chunks, because a client may send every byte as a separate chunk.
    let body = Buffer.alloc(0)
    let bytes = 0
    const onData = (piece: Buffer) => {
      const before = bytes
      bytes += piece.length
      if (bytes > most) return stop(tooLarge(route))
      if (bytes > LARGE_WRITE_BYTES && ownDisk.isLow) return stop(lowDisk())
      if (bytes > body.length) {
        const size = Math.min(most, Math.max(bytes, 2 * body.length, 16 * 1024))
        if (size > SMALL_BODY_BYTES && !room.growTo(size)) return stop(noRoom())
        const larger = Buffer.allocUnsafe(size)
        body.copy(larger, 0, 0, before)
        body = larger
      }
      piece.copy(body, before)
    }
    const onEnd = () => stop()
    const onLeft = () => stop(fail('badRequest'))
    const stop = (problem?: PlatformError) => {
      raw.off('data', onData).off('end', onEnd).off('error', onLeft).off('close', onLeft)
      if (!problem) return resolve(body.subarray(0, bytes))
      raw.pause()
      body = Buffer.alloc(0)
      room.release()
      reject(problem)
    }
    raw.on('data', onData).on('end', onEnd).on('error', onLeft).on('close', onLeft)
  })
}
