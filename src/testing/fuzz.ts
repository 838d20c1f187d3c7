import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { FastifyRequest } from 'fastify'
import { Compile } from 'typebox/compile'
import type { Visitor } from '../caller.ts'
import type { Environment } from '../environment.ts'
import { listErrors } from '../errors.ts'
import { makeFormKey } from '../http/callers/csrf.ts'
import { errorsOf } from '../http/openapi/errors.ts'
import type { Operation } from '../http/operation.ts'
import type { Page } from '../http/pages/page.ts'
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
  const { access } = operation
  const isForPeople = ['visitor', 'person', 'own image', 'download'].includes(access)
  const checkAnswer = compileAnswerCheck(operation)
  const requests = requestsTo({ ...operation, isTokenKept: ['user', 'stream', 'image'].includes(access) }, samples)
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
  const place = page.method === 'GET' ? 'query' : page.place
  let sent = 0
  await fc.assert(
    fc.asyncProperty(
      requestsTo({ ...page, place, isTokenKept: true }, samples),
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
    const input = page.place === 'body' ? fields : page.place === 'query' ? query : { ...query, ...fields }
    const browserToken = browser.cookies.get(environment.cookie.name) ?? ''
    const key = makeFormKey(environment, { browserToken } as Visitor, page.purpose(input, { query } as FastifyRequest))
    if (body.startsWith('{')) return JSON.stringify({ ...fields, form_key: key })
    return `${body}&${new URLSearchParams({ form_key: key })}`
  } catch {
    return body
  }
}

function cookiesOf({ cookies }: TestBrowser): Record<string, string> {
  return cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
}

async function send(client: Client, operation: Operation, { path, body, headers }: FuzzRequest): Promise<Answer> {
  const init = { headers, ...(body === undefined ? {} : { raw: body }) }
  if (operation.access !== 'stream') return client.send(operation.method, path, init)
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

/** Every answer is what the operation declares, or an error that it declares, in its shape. */
function compileAnswerCheck(operation: Operation): (answer: Answer) => void {
  const schema = Compile(operation.answer)
  const errors = listErrors().filter(({ kind }) => kind !== 'internal' && errorsOf(operation).includes(kind))
  const declared = Object.keys((operation.answer as { properties?: object }).properties ?? {})
  const shape = (operation.errorForm ?? 'own') as ErrorShape
  return (answer) => {
    if ('mediaTypes' in operation && (answer.status === 200 || answer.status === 304)) {
      const types: readonly (string | null)[] = answer.status === 200 ? operation.mediaTypes : [null]
      assert.ok(types.includes(answer.headers.get('content-type')), `${operation.name} answers another media type`)
      return
    }
    if (operation.access === 'download' && answer.status === 200) {
      assert.equal(answer.headers.get('content-type'), operation.mediaType)
      return
    }
    if (answer.status !== 200) {
      const code = Number(answer.headers.get('errorcode'))
      const error = errors.find((one) => one.code === code)
      assert.ok(error, `${operation.name} does not declare ${answer.status}/${code}: ${answer.text}`)
      const status = shape === 'rfc' ? rfcStatus(answer.body?.error, error.status) : error.status
      assertError(answer, status, code, undefined, shape)
      return
    }
    const isEmpty = (operation.answer as { type?: string }).type === 'null'
    const body = isEmpty && answer.text === '' ? null : answer.body
    assert.ok(schema.Check(body), `${operation.name} answers what it does not declare: ${answer.text.slice(0, 500)}`)
    if (declared.length > 0)
      assert.deepEqual(
        Object.keys(body as object).filter((name) => !declared.includes(name)),
        [],
      )
  }
}
