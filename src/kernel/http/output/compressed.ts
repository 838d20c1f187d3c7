import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Environment } from '../../environment.ts'
import { limitAddress } from '../callers/callers.ts'
import type { PlainRoute } from '../request.ts'
import { sendAnswer } from './answers.ts'
import { CODINGS, type Coding, isAccepted, varyByCoding } from './codings.ts'
import { etagOf, hasAlready } from './etags.ts'

/** Compresses a text. The level trades time for size: 4 is for texts that are sent once, 9 for texts that are kept. */
export const COMPRESS: Readonly<Record<Coding, (text: string, level: 4 | 9) => Promise<Buffer>>> = {
  // The highest quality would take a second for the description of the API, and make it only a twelfth smaller.
  br: (text, level) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: level } }),
  gzip: (text, level) => promisify(gzip)(text, { level }),
}

interface EncodedText {
  readonly tag: string
  readonly bytes: string | Buffer
}

interface CompressedText {
  readonly path: string
  readonly name: string
  readonly type: string
  /** Writes the text. It is called on the first request, because most processes never get one. */
  readonly write: () => string
}

/**
 * Creates the route for a public text that does not change while the platform runs. Each coding is compressed once, and
 * clients may cache the text for five minutes.
 */
export function compressedRoute(environment: Environment, { path, name, type, write }: CompressedText): PlainRoute {
  let text: string | undefined
  const kept = new Map<Coding | undefined, Promise<EncodedText>>()
  const make = async (coding: Coding | undefined): Promise<EncodedText> => {
    text ??= write()
    const bytes = coding === undefined ? text : await COMPRESS[coding](text, 9)
    return { tag: etagOf(bytes), bytes }
  }
  const encode = (coding: Coding | undefined): Promise<EncodedText> => {
    const known = kept.get(coding) ?? make(coding)
    kept.set(coding, known)
    return known
  }
  return {
    path,
    name,
    handle: async (request) => {
      limitAddress(environment, request)
      const coding = CODINGS.find((one) => isAccepted(request, one))
      const { tag, bytes } = await encode(coding)
      const headers = { etag: tag, 'cache-control': 'public, max-age=300', vary: varyByCoding(request) }
      if (hasAlready(request, tag)) return sendAnswer(environment, request, 304, headers)
      const encoded = coding === undefined ? {} : { 'content-encoding': coding }
      sendAnswer(environment, request, 200, { 'content-type': type, ...encoded, ...headers }, bytes)
    },
  }
}
