import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { type Alert, type AtoStatus, createClient, createPlugin, PlatformError } from 'groundschool-sdk'
import { log, readSettings, serve } from '../start.ts'
import { requestPage, STYLE, sentencePage } from './pages.ts'
import { Requests } from './requests.ts'
import { act, findSession, isKeyOf, keepSession, newSession, type Session } from './sessions.ts'

const settings = readSettings(
  'An ATO helper: it keeps the requests that it is sent, and lets people who signed in move their status and send alerts.',
  { clientId: 'gs-demo-ato', port: 4102 },
  { DATA_FILE: 'where requests are kept (data/requests.json beside this program)' },
)
const requests = new Requests(process.env.DATA_FILE ?? fileURLToPath(new URL('data/requests.json', import.meta.url)))
const { clientId, secrets } = settings
const platform = createClient({ baseUrl: settings.platform, clientId, secret: secrets[0] })
const own = `http://localhost:${settings.port}`
const redirectUri = `${own}/callback`
const NOT_HERE = sentencePage('Request not found', 'The plugin hasn’t received this request yet.')
/** Path of the page of a request. Request ids need no escaping. */
const addressOf = (requestId: string): string => `/requests/${requestId}`

const plugin = createPlugin({
  clientId,
  secrets,
  onRequestStarted(request, { id }) {
    const isNew = requests.take(id, request)
    const { appName, packageName, requestId, distributions } = request
    const what = `${packageName} of ${appName}, distributions: ${distributions.length}`
    log(`request started${isNew ? '' : ' (sent again)'}: ${what}; open ${own}${addressOf(requestId)} [${id}]`)
  },
  onDistributionsChanged(change, { id }) {
    const isNew = requests.take(id, change)
    const names = change.distributions.map(({ name, version }) => `${name} ${version ?? ''}`.trim())
    const what = `request ${change.requestId} has ${names.join(', ') || 'none'}`
    log(`distributions changed${isNew ? '' : ' (sent again)'}: ${what} [${id}]`)
  },
  onError: (error, purpose) => log(`${purpose} failed: ${error}`),
})

await serve((request, response) => {
  plugin.node(request, response, () => {
    servePages(request, response).catch((error) => {
      log(`${request.method} ${request.url?.split('?')[0]} failed: ${error}`)
      if (response.headersSent) response.destroy()
      else show(response, sentencePage('Something went wrong', 'Try again later.'), 500)
    })
  })
}, settings)

async function servePages(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [pathname = '', query] = (request.url ?? '/').split('?', 2)
  const searchParams = new URLSearchParams(query)
  const [, id = '', action] = /^\/requests\/([\w.~-]+)(?:\/(status|alert))?$/.exec(pathname) ?? []
  if (request.method === 'GET' && pathname === '/style.css')
    return void response.writeHead(200, { 'content-type': 'text/css' }).end(STYLE)
  if (request.method === 'GET' && pathname === '/')
    return show(
      response,
      sentencePage('ATO helper', `It works. ${requests.size} requests are kept; the log says where each is.`),
    )
  if (request.method === 'GET' && pathname === '/callback') return finishSignIn(searchParams, response)
  if (id === '' || !['GET', 'POST'].includes(request.method ?? ''))
    return show(response, sentencePage('Page not found', 'Check the URL.'), 404)

  const session = findSession(request, id)
  // Visitors who are not signed in must not learn whether the request exists.
  if (session === undefined) return redirect(response, signInAddress(id))
  if (request.method === 'POST' && action) return change(request, response, session, action as 'status' | 'alert')
  const kept = requests.find(id)
  if (kept === undefined) return show(response, NOT_HERE, 404)
  const { notice } = session
  delete session.notice
  show(response, requestPage(kept, session.key, notice))
}

/**
 * Returns the URL of the platform's sign-in page. `state` is the request id, as in URLs with which the platform opens
 * this plugin.
 */
function signInAddress(requestId: string): string {
  const query = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, state: requestId }
  return `${settings.platform}/oauth/signin?${new URLSearchParams(query)}`
}

async function finishSignIn(query: URLSearchParams, response: ServerResponse): Promise<void> {
  const [code, requestId] = [query.get('code'), query.get('state')]
  if (!code || !requestId)
    return show(
      response,
      sentencePage('Not signed in', query.get('error_description') ?? 'Open the request from the console again.'),
      400,
    )
  const kept = requests.find(requestId)
  if (kept === undefined) return show(response, NOT_HERE, 404)
  try {
    const session = newSession(requestId, await platform.exchangeCode(code))
    // Check that the person works on the request, which only the platform knows: it refuses status changes by anybody
    // else. Repeating the current status changes nothing.
    await act(platform, session, (as) => as.setStatus({ requestId, status: kept.status ?? 'not-started' }))
    redirect(response, addressOf(requestId), { 'set-cookie': keepSession(session) })
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    show(response, sentencePage('Not signed in', error.errorDescription), error.errorCode === 4042 ? 403 : 400)
  }
}

async function change(
  request: IncomingMessage,
  response: ServerResponse,
  session: Session,
  action: 'status' | 'alert',
): Promise<void> {
  const form = await readForm(request)
  if (form === undefined || !isKeyOf(session, form.get('key')))
    return show(
      response,
      sentencePage('Couldn’t send the form', 'Open the page of the request again, and send the form from there.'),
      403,
    )
  const { requestId } = session
  try {
    if (action === 'status') {
      const status = form.get('status') as AtoStatus
      const cancellable = form.get('cancellable') === 'true'
      await act(platform, session, (as) =>
        as.setStatus({ requestId, status, complete: status === 'completed', cancellable }),
      )
      requests.setStatus(requestId, { status, cancellable })
      session.notice = { text: `Status changed to ${status}`, isFailure: false }
      log(`request ${requestId}: ${status}`)
    } else {
      const [type, title, text] = ['type', 'title', 'text'].map((name) => form.get(name) ?? '') as [
        string,
        string,
        string,
      ]
      await act(platform, session, (as) =>
        as.sendAlert({ requestId, title, text, type: type as NonNullable<Alert['type']> }),
      )
      session.notice = { text: `Alert “${title}” sent`, isFailure: false }
      log(`request ${requestId}: alert sent`)
    }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    // The session has ended, or its refresh token was already used.
    if (error.errorCode === 4034 || error.errorCode === 4008) return redirect(response, signInAddress(requestId))
    session.notice = { text: error.errorDescription, isFailure: true }
  }
  redirect(response, addressOf(requestId))
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) {
    text += part
    if (text.length > 64 * 1024) return undefined
  }
  return new URLSearchParams(text)
}

function show(response: ServerResponse, page: string, status = 200): void {
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'referrer-policy': 'no-referrer',
    })
    .end(page)
}

function redirect(response: ServerResponse, location: string, headers: Record<string, string> = {}): void {
  response.writeHead(303, { location, 'cache-control': 'no-store', ...headers }).end()
}
