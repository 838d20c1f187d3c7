import { parse as parseForm } from 'node:querystring'
import type { FastifyInstance } from 'fastify'
import { fail } from '../errors.ts'
import { parseStrictJson } from './json.ts'

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
    // Without a limit of its own: it would leave out fields silently, and the body has one already.
    const fields = parseForm(body as string, '&', '=', { maxKeys: 0 })
    const twice = Object.entries(fields).find(([, value]) => Array.isArray(value))
    done(twice ? fail('validationFailed', `${twice[0]} is given twice`) : null, { ...fields })
  })
}
