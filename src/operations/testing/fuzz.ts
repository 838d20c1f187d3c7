import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import type { Visitor } from '../../kernel/caller.ts'
import type { Environment } from '../../kernel/environment.ts'
import { listErrors } from '../../kernel/errors.ts'
import { cookie } from '../../kernel/http/callers/cookies.ts'
import { makeCsrfToken } from '../../kernel/http/callers/csrf.ts'
import { errorsOf } from '../../kernel/http/openapi/errors.ts'
import type { Operation } from '../../kernel/http/operation.ts'
import type { Page } from '../../kernel/http/pages/page.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import type { TestBrowser } from './browser.ts'
import { type FuzzRequest, requestsTo, type Samples } from './fuzz-requests.ts'
import { type Answer, assertError, type Client, type ErrorShape } from './testing.ts'

export interface Fuzz {
  /** Clients that send the requests; one is chosen at random for each request. */
  readonly clients: readonly Client[]
  /** Browsers whose cookies are sent to operations that authenticate by cookie. */
  readonly browsers?: readonly TestBrowser[]
  readonly samples: Samples
  readonly runs: number
  /** Restores data that requests may have deleted. Called before every 20th request. */
  prepare(): Promise<void>
}

const PREPARE_EVERY = 20
/** If fuzzing one operation takes longer than this, the operation counts as hanging and the test fails. */
const HANGING = { interruptAfterTimeLimit: 120_000, markInterruptAsFailure: true }

/**
 * Sends valid and invalid requests to an operation and checks that every response is declared. A failure prints the
 * seed and the smallest failing request.
 */
export async function fuzzOperation(operation: Operation, fuzz: Fuzz): Promise<void> {
  const { clients, browsers = [], samples, runs, prepare } = fuzz
  const isForPeople = ['visitor', 'person'].includes(operation.who.name)
  const checkAnswer = compileAnswerCheck(operation)
  const requests = requestsTo(
    { ...operation, isTokenKept: ['app user', 'member', 'plugin', 'record store'].includes(operation.who.name) },
    samples,
  )
  let sent = 0
  await fc.assert(
    fc.asyncProperty(
      requests,
      fc.constantFrom(...clients),
      fc.constantFrom(undefined, ...browsers),
      async (request, client, browser) => {
        if (sent++ % PREPARE_EVERY === 0) await prepare()
        const headers = isForPeople && browser ? { ...request.headers, ...cookiesOf(browser) } : request.headers
        checkAnswer(await send(client, operation, { ...request, headers }))
      },
    ),
    { numRuns: runs, ...HANGING },
  )
}

/**
 * Sends valid and invalid requests to a page, and checks that every response is a page, a redirect or a file, and never
 * a 5xx. Forms get a valid CSRF token, because otherwise all of them would be refused.
 */
export async function fuzzPage(
  page: Page,
  environment: Environment,
  fuzz: Omit<Fuzz, 'clients'> & Required<Pick<Fuzz, 'browsers'>>,
): Promise<void> {
  const { browsers, samples, runs, prepare } = fuzz
  const from = page.method === 'GET' ? 'query' : page.from
  let sent = 0
  await fc.assert(
    fc.asyncProperty(
      requestsTo({ ...page, from, isTokenKept: true }, samples),
      fc.constantFrom(...browsers),
      async ({ path, body, headers }, browser) => {
        if (sent++ % PREPARE_EVERY === 0) await prepare()
        const seen = await browser.send(path, {
          method: page.method,
          headers,
          ...(body === undefined ? {} : { body: await withFormKey(page, environment, browser, path, body) }),
        })
        // A path whose parameter is empty, or longer than 500 characters, is no address of the platform.
        if (page.path.includes('{') && seen.status === 404 && seen.text.includes('There is no operation')) return
        const isPage = seen.headers.get('content-type')?.startsWith('text/html')
        const isRedirect = seen.status === 303 && seen.location !== undefined
        const isFile = seen.headers.get('content-disposition')?.startsWith('attachment') === true
        assert.ok(seen.status < 500 && (isPage || isRedirect || isFile), `${page.name}: ${seen.status} ${seen.text}`)
        assert.match(seen.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
      },
    ),
    { numRuns: runs, ...HANGING },
  )
}

/** Adds the CSRF token of the page's form to the body. A body that is not a form is returned unchanged. */
async function withFormKey(
  page: Page,
  environment: Environment,
  browser: TestBrowser,
  path: string,
  body: string,
): Promise<string> {
  if (page.method === 'GET' || !page.purpose) return body
  try {
    const fields = body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))
    const query = Object.fromEntries(new URL(path, browser.address).searchParams)
    const input = page.from === 'body' ? fields : page.from === 'query' ? query : { ...query, ...fields }
    const browserToken = browser.cookies.get(environment.get(cookie).name) ?? ''
    const who = { browserToken } as Visitor
    const request = { query, url: path } as HttpRequest
    const context = { db: environment.db, who, environment, request, csrfToken: () => '' }
    const key = makeCsrfToken(environment, who, await page.purpose(input, context))
    if (body.startsWith('{')) return JSON.stringify({ ...fields, csrf_token: key })
    return `${body}&${new URLSearchParams({ csrf_token: key })}`
  } catch {
    return body
  }
}

function cookiesOf({ cookies }: TestBrowser): Record<string, string> {
  return cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
}

async function send(client: Client, operation: Operation, { path, body, headers }: FuzzRequest): Promise<Answer> {
  const init = { headers, ...(body === undefined ? {} : { raw: body }) }
  if (operation.output.kind !== 'events') return client.send(operation.method, path, init)
  // An event stream does not end, so it is closed as soon as its status is known.
  const abort = new AbortController()
  const authorization: Record<string, string> = client.token ? { authorization: `Bearer ${client.token}` } : {}
  const response = await fetch(`${client.address}${path}`, {
    headers: { ...headers, ...authorization },
    signal: abort.signal,
  })
  const isOpen = response.status === 200
  const text = isOpen ? '' : await response.text()
  abort.abort()
  return { status: response.status, text, body: isOpen ? '' : JSON.parse(text), headers: response.headers }
}

/**
 * Returns the status that is expected for an OAuth error. RFC 6749 §5.2 defines only 400 and 401; errors that it does
 * not cover keep their own status.
 */
const rfcStatus = (name: string, status: number): number =>
  name === 'invalid_client' ? 401 : status >= 500 || [413, 415, 429].includes(status) ? status : 400

const SHAPES: Record<string, ErrorShape> = { plain: 'own', oauth: 'oauth', rfc: 'rfc' }

/** Returns a function that asserts that a response is declared by the operation: its output or one of its errors. */
function compileAnswerCheck(operation: Operation): (answer: Answer) => void {
  const { output } = operation
  const schema = output.kind === 'json' ? Compile(output.schema) : undefined
  const errors = listErrors().filter(({ kind }) => kind !== 'internal' && errorsOf(operation).includes(kind))
  const declared = Object.keys((output as { schema?: { properties?: object } }).schema?.properties ?? {})
  const shape = SHAPES[operation.errorForm ?? 'plain']!
  return (answer) => {
    if (output.kind === 'image' && (answer.status === 200 || answer.status === 304)) {
      const types: readonly (string | null)[] = answer.status === 200 ? output.mediaTypes : [null]
      assert.ok(types.includes(answer.headers.get('content-type')), `${operation.name} answers another media type`)
      return
    }
    if (output.kind === 'raw' && answer.status in output.answers) return
    if (output.kind === 'file' && answer.status === 200) {
      assert.equal(answer.headers.get('content-type'), output.mediaType)
      return
    }
    if (output.kind === 'events' && answer.status === 200) return
    if (answer.status !== ('status' in output ? output.status : 200)) {
      const code = Number(answer.headers.get('errorcode'))
      const error = errors.find((one) => one.code === code)
      assert.ok(error, `${operation.name} does not declare ${answer.status}/${code}: ${answer.text}`)
      const status = shape === 'rfc' ? rfcStatus(answer.body?.error, error.status) : error.status
      assertError(answer, status, code, undefined, shape)
      return
    }
    if (!schema) return assert.equal(answer.text, '')
    const { body } = answer
    assert.ok(schema.Check(body), `${operation.name} answers what it does not declare: ${answer.text.slice(0, 500)}`)
    if (declared.length > 0)
      assert.deepEqual(
        Object.keys(body as object).filter((name) => !declared.includes(name)),
        [],
      )
  }
}
