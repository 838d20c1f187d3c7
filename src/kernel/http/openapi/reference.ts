import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Environment } from '../../environment.ts'
import { limitAddress } from '../callers/callers.ts'
import type { Interface } from '../interface.ts'
import { sendAnswer } from '../output/answers.ts'
import { CODINGS, type Coding, isAccepted, varyByCoding } from '../output/codings.ts'
import { etagOf, hasAlready } from '../output/etags.ts'
import { JSON_TYPE } from '../output/media-types.ts'
import { sendWebPage } from '../pages/web-app.ts'
import type { PlainRoute } from '../request.ts'
import { describeApi } from './openapi.ts'

const COMPRESS: Readonly<Record<Coding, (text: string) => Promise<Buffer>>> = {
  // The highest quality would take a second, and make the result only a twelfth smaller.
  br: (text) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (text) => promisify(gzip)(text, { level: 9 }),
}

interface EncodedDocument {
  readonly tag: string
  readonly bytes: string | Buffer
}

/**
 * Creates the routes for the API's description: /openapi.json is for programs, and the page /docs shows it to people.
 */
export function referenceRoutes(environment: Environment, all: Interface): PlainRoute[] {
  // The document is generated on the first request, because most processes never get one. It has 800 kB, or a tenth of
  // that when compressed.
  let text: string | undefined
  const kept = new Map<Coding | undefined, Promise<EncodedDocument>>()
  const make = async (coding: Coding | undefined): Promise<EncodedDocument> => {
    text ??= JSON.stringify(describeApi(all, { url: environment.url }))
    const bytes = coding === undefined ? text : await COMPRESS[coding](text)
    return { tag: etagOf(bytes), bytes }
  }
  const describe = (coding: Coding | undefined): Promise<EncodedDocument> => {
    const known = kept.get(coding) ?? make(coding)
    kept.set(coding, known)
    return known
  }
  return [
    {
      path: '/openapi.json',
      name: 'openapi',
      handle: async (request) => {
        limitAddress(environment, request)
        const coding = CODINGS.find((one) => isAccepted(request, one))
        const { tag, bytes } = await describe(coding)
        const headers = { etag: tag, 'cache-control': 'public, max-age=300', vary: varyByCoding(request) }
        if (hasAlready(request, tag)) return sendAnswer(environment, request, 304, headers)
        const encoded = coding === undefined ? {} : { 'content-encoding': coding }
        sendAnswer(environment, request, 200, { 'content-type': JSON_TYPE, ...encoded, ...headers }, bytes)
      },
    },
    { path: '/docs', name: 'docs', handle: (request) => sendWebPage(environment, request) },
  ]
}
