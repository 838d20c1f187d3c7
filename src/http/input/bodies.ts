import { parse as parseFields } from 'node:querystring'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { fail } from '../../errors.ts'
import type { Place } from './fields.ts'
import { parseStrictJson } from './json.ts'
import { parseMultipart } from './multipart.ts'
import { readBody } from './read-body.ts'

/** No form of ours has a tenth as many; each field more takes its time. */
const MAX_FORM_FIELDS = 200

/** The largest body of everything but what says that it has a large one: forms, ids, proofs (bytes). */
export const SMALL_BODY_BYTES = 64 * 1024
/** The largest image (bytes). */
export const IMAGE_BYTES = 5 * 1024 * 1024

/** The largest body, by where an operation or a page takes its fields from. */
export const mostBytesOf = (place: Place): number =>
  (({ image: IMAGE_BYTES, multipart: IMAGE_BYTES + SMALL_BODY_BYTES }) as Partial<Record<Place, number>>)[place] ??
  SMALL_BODY_BYTES

/** Adds a route, where there is a file to take apart from all others: nothing else accepts such bodies, and it accepts nothing else. */
export function routeByBody(server: FastifyInstance, place: Place, route: RouteOptions): void {
  if (place !== 'image' && place !== 'multipart') {
    server.route(route)
    return
  }
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    if (place === 'image') acceptImages(scope)
    else acceptUploads(scope)
    scope.route(route)
  })
}

/** What an image is best sent as. Its bytes tell what it is, so the name is not compared with them. */
export const IMAGE_BODY_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'application/octet-stream']

/** A sender may call it any image, or not know; only what says that it is something else is refused unread. */
const ANY_IMAGE = /^(?:image\/[\w.+-]+|application\/octet-stream)\s*(?:;|$)/i

function acceptImages(scope: FastifyInstance): void {
  scope.addHook('preParsing', (request, _reply, payload, done) => {
    const type = request.headers['content-type']
    if (type === undefined || ANY_IMAGE.test(type)) done(null, payload)
    else done(fail('unsupportedMediaType', 'Send the image itself, as image/png, image/jpeg or image/webp'))
  })
  scope.addContentTypeParser('*', (request, _payload, done) => readBody(request, (body) => body, done))
}

/** A form with a file in it, which is how browsers send one without a script. */
function acceptUploads(scope: FastifyInstance): void {
  scope.addContentTypeParser('multipart/form-data', (request, _payload, done) =>
    readBody(request, (body) => parseMultipart(body, String(request.headers['content-type'])), done),
  )
  scope.addContentTypeParser('*', (_request, _payload, done) =>
    done(fail('unsupportedMediaType', 'Send the form as multipart/form-data')),
  )
}

/** Bodies arrive as JSON or as a form; both become the same fields. */
export function acceptBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', (request, _payload, done) => readBody(request, parseStrictJson, done))
  server.addContentTypeParser('application/x-www-form-urlencoded', (request, _payload, done) =>
    readBody(request, parseForm, done),
  )
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const notUtf8 = () => fail('badRequest', 'The form is not valid UTF-8')

function parseForm(body: Buffer): Record<string, unknown> {
  const text = decodeBytes(body)
  if (hasMoreThan(text, MAX_FORM_FIELDS)) throw fail('badRequest', `The form has more than ${MAX_FORM_FIELDS} fields`)
  let isBroken = false
  // Told by a flag: where a decoder throws, another one goes on that puts U+FFFD in place of what it cannot read.
  const decode = (part: string) => {
    const decoded = decodePart(part)
    isBroken ||= decoded === undefined
    return decoded ?? ''
  }
  // Without a limit of its own: it would leave out fields silently.
  const fields = parseFields(text, '&', '=', { maxKeys: 0, decodeURIComponent: decode })
  if (isBroken) throw notUtf8()
  const twice = Object.entries(fields).find(([, value]) => Array.isArray(value))
  if (twice) throw fail('validationFailed', `${twice[0]} is given twice`)
  return { ...fields }
}

/** A percent sign that begins no escape stands for itself, as browsers have it. */
function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part.replaceAll(/%(?![\da-f]{2})/gi, '%25'))
  } catch {
    return undefined
  }
}

function decodeBytes(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw notUtf8()
  }
}

/** Counted before they are taken apart: a body of the largest size has room for hundreds of thousands. */
function hasMoreThan(form: string, most: number): boolean {
  let fields = 1
  for (let at = form.indexOf('&'); at >= 0; at = form.indexOf('&', at + 1)) if (++fields > most) return true
  return false
}
