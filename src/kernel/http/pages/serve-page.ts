import type { Visitor } from '../../caller.ts'
import type { Environment } from '../../environment.ts'
import { fail } from '../../errors.ts'
import { layOutPage } from '../../pages/layout.ts'
import { visitor } from '../callers/callers.ts'
import { clearCookie, findBrowserToken, writeCookie } from '../callers/cookies.ts'
import { CSRF_FIELD, isCsrfToken, makeCsrfToken, refuseForeignOrigin } from '../callers/csrf.ts'
import { readBody, refuseBody, SMALL_BODY_BYTES } from '../input/bodies.ts'
import { compileInput, namesInPath } from '../input/fields.ts'
import { sendAnswer } from '../output/answers.ts'
import { HTML_TYPE } from '../output/media-types.ts'
import type { Fields, HttpRequest, Observe, Route } from '../request.ts'
import type { Page, PageAnswer, PageContext, ShownPage } from './page.ts'

/**
 * Creates the route of a page: it identifies the visitor, reads the input, checks the form's CSRF token, runs the page,
 * and sends the result.
 */
export function pageRoute(environment: Environment, page: Page, observe: Observe): Route {
  const from = page.method === 'GET' ? 'query' : page.from
  const readInput = compileInput(page.input, from, namesInPath(page.path))
  const purposeOf = page.method === 'POST' ? page.purpose : undefined
  const findTarget = page.method === 'POST' ? page.findTarget : undefined
  const admission = { isWrite: purposeOf !== undefined && !findTarget, isEmbedded: false }
  return {
    name: page.name,
    errorForm: 'page',
    bodyLimit: SMALL_BODY_BYTES,
    // HEAD is not served, because it must not issue an authorization code.
    hasHead: false,
    observe,
    handle: async (request) => {
      const who = await visitor.admit(environment, request, admission)
      request.who = who
      const problem = refuseBody(request)
      if (problem) throw problem
      const body = from === 'query' ? undefined : await readBody(environment, request, from)
      const input = readInput({ query: request.query, params: request.params, body })
      const given = (body as Fields | null | undefined)?.[CSRF_FIELD]
      if (findTarget) {
        const target = given === undefined ? findTarget(input, request) : undefined
        // No cookie is set: browsers send none with a POST of another site, and the answer would replace it.
        if (target !== undefined) return sendAnswer(environment, request, 303, { location: target })
        refuseForeignOrigin(environment, request)
      }
      const csrfToken = (purpose: string) => makeCsrfToken(environment, who, purpose)
      const context: PageContext = { db: environment.db, who, environment, request, csrfToken }
      if (page.method === 'POST' && purposeOf) {
        const purpose = await purposeOf(input, context)
        const isOurs = isCsrfToken(environment, who, purpose, given)
        if (!isOurs && !page.showAgain)
          throw fail(
            'forbidden',
            'This form does not belong to this browser any more; go back, reload the page and try again',
          )
        if (!isOurs) return sendPage(environment, request, who, await page.showAgain!(context, input))
        return sendPage(environment, request, who, await page.run({ ...context, purpose }, input))
      }
      sendPage(environment, request, who, await page.run(context, input))
    },
  }
}

function sendPage(environment: Environment, request: HttpRequest, who: Visitor, answer: PageAnswer): void {
  const headers = { ...answer.headers, ...newCookie(environment, request, who, answer) }
  // After a 303, the browser continues with GET and does not send the password again (RFC 9700 §4.12).
  if ('redirect' in answer) {
    sendAnswer(environment, request, 303, { ...headers, location: answer.redirect })
    return
  }
  const frame = {
    title: answer.title,
    isSandbox: environment.name === 'sandbox',
    handle: answer.browser === 'end' ? undefined : (answer.handle ?? who.person?.handle),
    scripts: answer.scripts,
  }
  const own = {
    'content-type': HTML_TYPE,
    'content-security-policy': policyOf(answer),
    'x-frame-options': 'DENY',
    // With `no-referrer`, browsers would send forms with `Origin: null`, and forms without `Sec-Fetch-Site` would be
    // refused.
    'referrer-policy': 'same-origin',
  }
  sendAnswer(environment, request, answer.status ?? 200, { ...own, ...headers }, layOutPage(frame, answer.body))
}

function newCookie(
  environment: Environment,
  request: HttpRequest,
  who: Visitor,
  { browser }: PageAnswer,
): Record<string, string[]> {
  if (browser === 'keep') return {}
  if (browser === 'end') return { 'set-cookie': clearCookie(environment) }
  if (browser) return { 'set-cookie': writeCookie(environment, browser) }
  // Forms are bound to the cookie, so a visitor gets a cookie with the first page, even before signing in.
  if (findBrowserToken(environment, request) !== undefined) return {}
  return { 'set-cookie': writeCookie(environment, { token: who.browserToken }) }
}

/**
 * Returns the content security policy: only our own styles, images, fonts and, if the page has any, scripts. Forms may
 * only be sent to the platform, unless the page leads to an app.
 */
function policyOf({ leadsToApp = false, scripts = [] }: ShownPage): string {
  const parts = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    ...(scripts.length > 0 ? ["script-src 'self'", "connect-src 'self'"] : []),
    ...(leadsToApp ? [] : ["form-action 'self'"]),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return parts.join('; ')
}
