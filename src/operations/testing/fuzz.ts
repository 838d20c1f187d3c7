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
  /** Who sends: each request is one of theirs, by chance. */
  readonly clients: readonly Client[]
  /** Whose cookies go along, where an operation is for people in a browser. */
  readonly browsers?: readonly TestBrowser[]
  readonly samples: Samples
  readonly runs: number
  /** Makes again what the requests may have deleted; called now and then. */
  prepare(): Promise<void>
}

const PREPARE_EVERY = 20
/** Whatever takes so long hangs; no run is left out for want of time. */
const HANGING = { interruptAfterTimeLimit: 120_000, markInterruptAsFailure: true }

/** Sends an operation what its schema allows and what it does not, and checks every answer. A failure prints the seed and the smallest request. */
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

/** The same for a page: it is shown, leads elsewhere, gives a file, or says what is wrong, as a page. Forms come with their key, or nothing would get past that. */
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
          ...(body === undefined ? {} : { body: withFormKey(page, environment, browser, path, body) }),
        })
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

/** What the form would have carried, had we shown it; a body that is no form stays as it is. */
function withFormKey(page: Page, environment: Environment, browser: TestBrowser, path: string, body: string): string {
  if (page.method === 'GET') return body
  try {
    const fields = body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))
    const query = Object.fromEntries(new URL(path, browser.address).searchParams)
    const input = page.from === 'body' ? fields : page.from === 'query' ? query : { ...query, ...fields }
    const browserToken = browser.cookies.get(environment.get(cookie).name) ?? ''
    const key = makeCsrfToken(environment, { browserToken } as Visitor, page.purpose(input, { query } as HttpRequest))
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
  // A stream that opened is closed again: that it did is the answer.
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

/** RFC 6749 §5.2 knows 400 and 401; what is not about the request itself keeps its own status. */
const rfcStatus = (name: string, status: number): number =>
  name === 'invalid_client' ? 401 : status >= 500 || [413, 415, 429].includes(status) ? status : 400

const SHAPES: Record<string, ErrorShape> = { plain: 'own', oauth: 'oauth', rfc: 'rfc' }

/** Every answer is what the operation declares, or an error that it declares, in its shape. */
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
