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
  // The highest quality takes a second and saves only another twelfth.
  br: (text) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (text) => promisify(gzip)(text, { level: 9 }),
}

interface EncodedDocument {
  readonly tag: string
  readonly bytes: string | Buffer
}

/** The description of the interface: for programs at /openapi.json, for people at /docs, which is one of the pages. */
export function referenceRoutes(environment: Environment, all: Interface): PlainRoute[] {
  // Generated on the first request: most processes never get one. 800 kB, or a tenth of that compressed.
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
