import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { listErrors } from './errors.ts'
import { errorsOf } from './http/openapi-errors.ts'
import { isWrite, type Operation } from './http/operation.ts'
import { type Answer, assertError, type Client } from './testing.ts'

/** Values that mean something to the platform under test, by the name of the field: without them every request would end at "not found". */
export type Samples = Readonly<Record<string, readonly unknown[]>>

export interface Fuzz {
  /** Who sends: each request is one of theirs, by chance. */
  readonly clients: readonly Client[]
  readonly samples: Samples
  readonly runs: number
  /** Makes again what the requests may have deleted; called now and then. */
  prepare(): Promise<void>
}

const PREPARE_EVERY = 20

/** Sends an operation what its schema allows and what it does not, and checks every answer. A failure prints the seed and the smallest request. */
export async function fuzzOperation(operation: Operation, { clients, samples, runs, prepare }: Fuzz): Promise<void> {
  const checkAnswer = compileAnswerCheck(operation)
  let sent = 0
  await fc.assert(
    fc.asyncProperty(requestsTo(operation, samples), fc.constantFrom(...clients), async (request, client) => {
      if (sent++ % PREPARE_EVERY === 0) await prepare()
      checkAnswer(await send(client, operation, request))
    }),
    { numRuns: runs, interruptAfterTimeLimit: 30_000 },
  )
}

interface FuzzRequest {
  readonly path: string
  readonly body: string | undefined
  readonly headers: Record<string, string>
}

const nest = (levels: number): unknown => Array.from({ length: levels }).reduce((value: unknown) => [value], 1)

const EDGES: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1.5, 1e308, -1e308, 2 ** 53, -(2 ** 53)],
  ...[
    '',
    'nil',
    'null',
    ' ',
    '\t',
    '\n',
    '0',
    '-1',
    '01',
    '1e9',
    'NaN',
    'Infinity',
    'true',
    'FALSE',
    '9007199254740993',
  ],
  ...[
    'a\0b',
    '\ud800',
    '\udc00x',
    '\u202eabc',
    '\ufeff',
    'e\u0301',
    '😀',
    '%',
    '%00',
    '%2e%2e',
    '\\',
    "'; drop table--",
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '.',
    'a..b',
    '../..',
    '{}',
    '[]',
    ',',
    ',,',
    'a,b',
    '02/30/2026',
    '2026-13-01',
  ],
  ...['x'.repeat(200), 'x'.repeat(201), '😀'.repeat(201), 'x'.repeat(5000), 'a.'.repeat(100)],
  ...[[], [null], [''], [[]], [1, 'a'], Array(1001).fill('x'), {}, { a: 1 }, { length: 1 }, nest(66), nest(120)],
  JSON.parse('{"__proto__": {"x": 1}}'),
]
const RAW_BODIES = [
  ...[
    '',
    ' ',
    'null',
    'true',
    '5',
    '"x"',
    '[]',
    '[{}]',
    '{',
    '{"id":',
    '{"id":"x",}',
    '{} {}',
    '\ufeff{}',
    '\0',
    'id=x',
  ],
  ...[
    '{"id":"x","id":"y"}',
    '{"id":1e400}',
    '{"id":"x","data":12345678901234567890}',
    '{"id":"\\ud800"}',
    "{'id':'x'}",
  ],
  '['.repeat(200_000),
  `{"id":"x","data":"${'x'.repeat(1_600_000)}"}`,
]
const HEADERS: Record<string, readonly string[]> = {
  'idempotency-key': ['', ' ', 'same', 'k'.repeat(255), 'k'.repeat(256), '\xe9', '"quoted"'],
  'if-match': ['', '*', '"1"', 'W/"1"', '1', ',', '"', '\xff', `"${'9'.repeat(30)}"`, '"1", "2"'],
  'last-event-id': ['', '0', '1', '-1', 'x', '9'.repeat(40), '\xe9'],
  'content-type': [
    'text/plain',
    'application/json; charset=utf-16',
    'multipart/form-data; boundary=x',
    'application/xml',
    ';',
  ],
  authorization: [
    '',
    'x',
    'Basic',
    'Basic ',
    'Basic !',
    'Basic QGF2ZXJ5Ong=',
    'Basic Og==',
    'Basic /w==',
    'Basic AAAA',
    '\xe9',
  ],
  clientid: ['', 'gs-first', 'gs-sbx-first', 'gs-nobody', '\xe9', 'x'.repeat(3000)],
  'x-request-id': ['', 'a b', '12345678', 'x'.repeat(100)],
}

const json = fc.jsonValue({ maxDepth: 4 })

/** What the schema allows, and for its edges now and then what it does not. */
function valuesOf(schema: TSchema, samples: readonly unknown[]): fc.Arbitrary<unknown> {
  const known = samples.length > 0 ? [{ weight: 6, arbitrary: fc.constantFrom(...samples) }] : []
  return fc.oneof(
    ...known,
    { weight: 3, arbitrary: allowedBy(schema) },
    { weight: 2, arbitrary: fc.constantFrom(...EDGES) },
  )
}

interface Facts extends TSchema {
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly items?: TSchema
  readonly maxItems?: number
}

function allowedBy(schema: TSchema): fc.Arbitrary<unknown> {
  const { type, minimum, maximum, minLength, maxLength, items, maxItems } = schema as Facts
  if (type === 'string')
    return fc.string({ minLength: minLength ?? 0, maxLength: Math.min(maxLength ?? 30, 300), unit: 'grapheme' })
  if (type === 'boolean') return fc.oneof(fc.boolean(), fc.constantFrom('true', 'False'))
  if (type === 'integer' || type === 'number') {
    const range = { min: minimum ?? -1000, max: maximum ?? 1000 }
    return fc.oneof(fc.integer(range), fc.integer(range).map(String))
  }
  if (type === 'array') return fc.array(items ? allowedBy(items) : json, { maxLength: Math.min(maxItems ?? 5, 5) })
  return json
}

function requestsTo(operation: Operation, samples: Samples): fc.Arbitrary<FuzzRequest> {
  const byName = Object.fromEntries(
    Object.entries<TSchema>(operation.input.properties).map(([name, field]) => [
      name,
      valuesOf(field, samples[name] ?? []),
    ]),
  )
  const fields = fc.oneof(
    { weight: 4, arbitrary: fc.record(byName) },
    { weight: 1, arbitrary: fc.record(byName, { requiredKeys: [] }) },
  )
  const body = isWrite(operation)
    ? fc.oneof(
        { weight: 8, arbitrary: fc.tuple(fields, fc.dictionary(fc.string(), json, { maxKeys: 2 })).map(asJsonBody) },
        { weight: 2, arbitrary: fields.map(asForm) },
        { weight: 1, arbitrary: fc.constantFrom(...RAW_BODIES).map((text) => ({ text, type: 'application/json' })) },
      )
    : fc.constant(undefined)
  const [withQuery, withoutQuery] = { query: [8, 1], either: [1, 4], body: [1, 8] }[operation.place] as [number, number]
  const query = fc.oneof(
    { weight: withQuery, arbitrary: fields.map((given) => asForm(given).text) },
    { weight: withoutQuery, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.tuple(fields, fields).map((both) => both.map((given) => asForm(given).text).join('&')) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('id', 'id=%', 'id=%00', 'id=%ff%fe', '&&=&', 'id[]=1', '__proto__=1', '%F0%9F'),
    },
  )
  const named = Object.keys(operation.requestHeaders ?? {}).map((name) => name.toLowerCase())
  const headers = fc.record(
    Object.fromEntries(
      Object.entries(HEADERS).map(([name, values]) => {
        // The token of the client stays, where the operation wants one.
        if (name === 'authorization' && operation.access !== 'open') return [name, fc.constant(undefined)]
        const [absent, present] = named.includes(name) ? [1, 2] : [15, 1]
        const value = fc.constantFrom(...values)
        return [
          name,
          fc.oneof({ weight: absent, arbitrary: fc.constant(undefined) }, { weight: present, arbitrary: value }),
        ]
      }),
    ),
  )
  const path = pathsOf(operation.path, samples)
  return fc.tuple(path, query, body, headers).map(([path, query, given, extra]) => {
    const sent = Object.entries(extra).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    return {
      path: query === '' ? path : `${path}?${query}`,
      body: given?.text,
      headers: { ...(given ? { 'content-type': given.type } : {}), ...Object.fromEntries(sent) },
    }
  })
}

/** Fills the parameters of a path. */
function pathsOf(path: string, samples: Samples): fc.Arbitrary<string> {
  const parts = path.split(/(:\w+|\{\w+\})/)
  const texts = EDGES.filter((edge) => typeof edge === 'string' && edge.isWellFormed())
  return fc
    .tuple(
      ...parts.map((part) => {
        const name = /^(?::|\{)(\w+)/.exec(part)?.[1]
        if (!name) return fc.constant(part)
        return fc.constantFrom(...(samples[name] ?? []), ...texts).map((value) => encodeURIComponent(String(value)))
      }),
    )
    .map((filled) => filled.join(''))
}

interface GivenBody {
  readonly text: string
  readonly type: string
}

const asJsonBody = ([fields, unknown]: [object, object]): GivenBody => ({
  text: JSON.stringify({ ...unknown, ...fields }),
  type: 'application/json',
})

function asForm(fields: object): GivenBody {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  // The head of a request has a limit of its own, of which other tests tell.
  return { text: String(form).slice(0, 10_000), type: 'application/x-www-form-urlencoded' }
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

/** Every answer is what the operation declares, or an error that it declares, in our shape. */
function compileAnswerCheck(operation: Operation): (answer: Answer) => void {
  const schema = Compile(operation.answer)
  const errors = listErrors().filter(({ kind }) => kind !== 'internal' && errorsOf(operation).includes(kind))
  const declared = Object.keys((operation.answer as { properties?: object }).properties ?? {})
  return (answer) => {
    if (answer.status !== 200) {
      const { error_code: code } = answer.body ?? {}
      const isDeclared = errors.some((error) => error.status === answer.status && error.code === code)
      assert.ok(isDeclared, `${operation.name} does not declare ${answer.status}/${code}: ${answer.text}`)
      assertError(answer, answer.status, code)
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
