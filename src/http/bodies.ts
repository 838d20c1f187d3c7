import { parse as parseForm } from 'node:querystring'
import type { FastifyInstance } from 'fastify'
import { fail } from '../errors.ts'
import { parseStrictJson } from './json.ts'

/** No form of ours has a tenth as many; each field more takes its time. */
const MAX_FORM_FIELDS = 200

/** Bodies arrive as JSON or as a form; both become the same fields. */
export function acceptBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseStrictJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    if (hasMoreThan(body as string, MAX_FORM_FIELDS)) {
      done(fail('badRequest', `The form has more than ${MAX_FORM_FIELDS} fields`))
      return
    }
    // Without a limit of its own: it would leave out fields silently.
    const fields = parseForm(body as string, '&', '=', { maxKeys: 0 })
    const twice = Object.entries(fields).find(([, value]) => Array.isArray(value))
    done(twice ? fail('validationFailed', `${twice[0]} is given twice`) : null, { ...fields })
  })
}

/** Counted before they are taken apart: a body of the largest size has room for hundreds of thousands. */
function hasMoreThan(form: string, most: number): boolean {
  let fields = 1
  for (let at = form.indexOf('&'); at >= 0; at = form.indexOf('&', at + 1)) if (++fields > most) return true
  return false
}
