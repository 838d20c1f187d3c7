import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ICON, ICON_PATH, layOutPage, STYLE, STYLE_PATH } from '../../../web/layout.ts'
import { passkeyScript } from '../../../web/passkeys/script.ts'
import { findPerson, type Visitor } from '../../caller.ts'
import type { Environment } from '../../environment.ts'
import { fail } from '../../errors.ts'
import { admitVisitor, isNewVisitor } from '../admit.ts'
import { writeCookie } from '../callers/cookies.ts'
import { FORM_KEY, isFormKey, makeFormKey } from '../callers/csrf.ts'
import { conclude } from '../conclude.ts'
import { mostBytesOf, routeByBody } from '../input/bodies.ts'
import { compileInput } from '../input/fields.ts'
import type { Observer } from '../metrics.ts'
import { hasAlready } from '../output/etags.ts'
import { sendDownload } from '../output/files.ts'
import { HTML_TYPE, ICON_TYPE, SCRIPT_TYPE, STYLE_TYPE } from '../output/media-types.ts'
import type { Elsewhere, Page, PageContext, ShownPage } from './page.ts'

/** Makes one page reachable: find out who looks, read the input, check the form's key, run, show. */
export function servePage(server: FastifyInstance, environment: Environment, page: Page, observer: Observer): void {
  const place = page.method === 'GET' ? 'query' : page.place
  const readInput = compileInput(page.input, place)
  routeByBody(server, place, {
    method: page.method,
    url: page.path,
    // A look at the headers alone must not hand out a code.
    exposeHeadRoute: false,
    bodyLimit: mostBytesOf(place),
    config: { observer, errorForm: 'page' },
    onRequest: admitVisitor(environment, page.method === 'POST'),
    handler: async (request, reply) => {
      const who = request.who as Visitor
      const input = readInput({ query: request.query as Record<string, unknown>, body: request.body })
      const context: PageContext = {
        db: environment.db,
        who,
        environment,
        request,
        formKey: (purpose) => makeFormKey(environment, who, purpose),
      }
      if (page.method === 'POST') {
        const given = (request.body as Record<string, unknown> | null | undefined)?.[FORM_KEY]
        const isOurs = isFormKey(environment, who, page.purpose(input, request), given)
        if (!isOurs && !page.showAgain)
          throw fail(
            'forbidden',
            'This form does not belong to this browser any more; go back, reload the page and try again',
          )
        if (!isOurs) return sendPage(environment, request, reply, await page.showAgain!(context, input))
      }
      const answer = await page.run(context, input)
      if (!('download' in answer)) return sendPage(environment, request, reply, answer)
      request.who = findPerson(who)!
      sendDownload(environment, request, reply, answer.download)
      conclude(environment, request, observer, 200)
      return reply
    },
  })
}

function sendPage(
  environment: Environment,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ShownPage | Elsewhere,
) {
  const who = request.who as Visitor
  reply.headers({ ...answer.headers })
  if (answer.browser === 'end') reply.header('set-cookie', writeCookie(environment.cookie, '', 0))
  else if (answer.browser)
    reply.header('set-cookie', writeCookie(environment.cookie, answer.browser.token, answer.browser.maxAgeSeconds))
  // Forms are bound to it, so a first visitor gets one before they are anybody.
  else if (isNewVisitor(environment, request))
    reply.header('set-cookie', writeCookie(environment.cookie, who.browserToken))
  // 303: what follows a form is looked at with GET, and no browser sends the password on (RFC 9700 §4.12).
  if ('redirect' in answer) return reply.redirect(answer.redirect, 303)
  const frame = {
    title: answer.title,
    isSandbox: environment.name === 'sandbox',
    handle: who.person?.handle,
    scripts: answer.scripts,
  }
  return reply
    .code(answer.status ?? 200)
    .headers({
      'content-type': HTML_TYPE,
      'content-security-policy': policyOf(answer),
      'x-frame-options': 'DENY',
      // With none at all, browsers would not say where a form was posted from either.
      'referrer-policy': 'same-origin',
    })
    .send(layOutPage(frame, answer.body))
}

/** Nothing but our own style sheet and, where there are any, scripts; forms go to us, unless they go on to an app. */
function policyOf({ leadsToApp = false, scripts = [] }: ShownPage): string {
  const parts = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    ...(scripts.length > 0 ? ["script-src 'self'", "connect-src 'self'"] : []),
    ...(leadsToApp ? [] : ["form-action 'self'"]),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return parts.join('; ')
}

/** The style sheet and the icon. */
export function serveStyle(server: FastifyInstance): void {
  const serve = (path: string, type: string, text: string) =>
    server.get(path, { config: { operation: 'style' } }, async (_request, reply) =>
      reply.headers({ 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' }).send(text),
    )
  serve(STYLE_PATH, STYLE_TYPE, STYLE)
  serve(ICON_PATH, ICON_TYPE, ICON)
}

/** Every script that a page may name. */
const SCRIPTS: readonly { readonly path: string; readonly text: string }[] = [passkeyScript]

/** Unlike the style sheet's, their paths stay the same, so browsers ask each time whether what they keep is still the one. */
export function serveScripts(server: FastifyInstance): void {
  for (const { path, text } of SCRIPTS) {
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`
    server.get(path, { config: { operation: 'script' } }, async (request, reply) => {
      reply.headers({ 'content-type': SCRIPT_TYPE, 'cache-control': 'public, no-cache', etag })
      return hasAlready(request, etag) ? reply.code(304).send() : reply.send(text)
    })
  }
}
