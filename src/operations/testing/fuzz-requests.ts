import fc from 'fast-check'
import type { TObject, TSchema } from 'typebox'
import { isFile, type Source } from '../../kernel/http/input/fields.ts'

/**
 * Values that exist on the platform under test, by field name. Without them, every request would only get "not found".
 */
export type Samples = Readonly<Record<string, readonly unknown[]>>

/** The properties of an operation or a page that determine its requests. */
export interface Target {
  readonly method: string
  readonly path: string
  readonly input: TObject
  readonly from: Source
  /** Request headers that the operation reads. */
  readonly requestHeaders?: Readonly<Record<string, string>>
  /** If true, every request has the caller's token, because the operation requires one. */
  readonly isTokenKept: boolean
}

export interface FuzzRequest {
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
    '12345678901234567890',
    '{"id":0.3333333333333333333333}',
    '{"id":"\\ud800"}',
    "{'id':'x'}",
  ],
  '['.repeat(200_000),
  `{"id":"x","data":"${'x'.repeat(1_600_000)}"}`,
]
const HEADERS: Record<string, readonly string[]> = {
  'idempotency-key': ['', ' ', 'same', 'k'.repeat(255), 'k'.repeat(256), '\xe9', '"quoted"'],
  'if-match': ['', '*', '"1"', 'W/"1"', '1', ',', '"', '\xff', `"${'9'.repeat(30)}"`, '"1", "2"'],
  'if-none-match': ['', '*', '"x"', 'W/"x", "y"', ',', '\xff'],
  'last-event-id': ['', '0', '1', '-1', 'x', '9'.repeat(40), '\xe9'],
  'content-type': [
    'text/plain',
    'application/json; charset=utf-16',
    'multipart/form-data; boundary=x',
    'image/png',
    'application/octet-stream',
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
  origin: ['null', 'https://evil.example.org', '\xe9'],
  'sec-fetch-site': ['cross-site', 'same-site', 'same-origin', 'none', 'x'],
  'x-experience-api-version': ['2.0.0', '1.0.3', '2.0.0', '1.0.3', '2.0', '1.0', '0.95', '2.0.0, 1.0.3', '\xe9'],
  'x-request-id': ['', 'a b', '12345678', 'x'.repeat(100)],
}

const json = fc.jsonValue({ maxDepth: 4 })

/** Generates values that the schema allows, mixed with edge cases that it may refuse. */
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
  readonly anyOf?: readonly TSchema[]
  readonly const?: unknown
  readonly maxItems?: number
}

function allowedBy(schema: TSchema): fc.Arbitrary<unknown> {
  const { type, minimum, maximum, minLength, maxLength, items, maxItems, anyOf, const: only } = schema as Facts
  if (anyOf) return fc.oneof(...anyOf.map(allowedBy))
  if (only !== undefined) return fc.constant(only)
  if (type === 'string')
    return fc.string({ minLength: minLength ?? 0, maxLength: Math.min(maxLength ?? 30, 300), unit: 'grapheme' })
  if (type === 'boolean') return fc.oneof(fc.boolean(), fc.constantFrom('true', 'False'))
  if (type === 'integer' || type === 'number') {
    const range = { min: Math.ceil(minimum ?? -1000), max: Math.floor(maximum ?? 1000) }
    return fc.oneof(fc.integer(range), fc.integer(range).map(String))
  }
  if (type === 'array') return fc.array(items ? allowedBy(items) : json, { maxLength: Math.min(maxItems ?? 5, 5) })
  return json
}

/** Generates requests with valid and invalid values, sent as query, JSON, form or raw body. */
export function requestsTo(target: Target, samples: Samples): fc.Arbitrary<FuzzRequest> {
  const byName = Object.fromEntries(
    Object.entries<TSchema>(target.input.properties).map(([name, field]) => [
      name,
      valuesOf(field, samples[name] ?? []),
    ]),
  )
  const fields = fc.oneof(
    { weight: 4, arbitrary: fc.record(byName) },
    { weight: 1, arbitrary: fc.record(byName, { requiredKeys: [] }) },
    { weight: 3, arbitrary: knownFields(target, samples) },
  )
  const body =
    target.method !== 'GET'
      ? fc.oneof(
          { weight: 8, arbitrary: fc.tuple(fields, fc.dictionary(fc.string(), json, { maxKeys: 2 })).map(asJsonBody) },
          { weight: 2, arbitrary: fields.map(asForm) },
          ...(['csv', 'raw', 'stream'].includes(target.from)
            ? [{ weight: 20, arbitrary: wholeBodies(target, samples) }]
            : []),
          { weight: 1, arbitrary: fc.constantFrom(...RAW_BODIES).map((text) => ({ text, type: 'application/json' })) },
        )
      : fc.constant(undefined)
  const [withQuery, withoutQuery] = {
    query: [8, 1],
    image: [8, 1],
    csv: [8, 1],
    raw: [8, 1],
    stream: [8, 1],
    either: [1, 4],
    body: [1, 8],
    multipart: [1, 8],
    'body only': [1, 8],
  }[target.from] as [number, number]
  const query = fc.oneof(
    { weight: withQuery, arbitrary: fields.map((given) => asForm(given).text) },
    { weight: withoutQuery, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.tuple(fields, fields).map((both) => both.map((given) => asForm(given).text).join('&')) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('id', 'id=%', 'id=%00', 'id=%ff%fe', '&&=&', 'id[]=1', '__proto__=1', '%F0%9F'),
    },
  )
  const named = Object.keys(target.requestHeaders ?? {}).map((name) => name.toLowerCase())
  const headers = fc.record(
    Object.fromEntries(
      Object.entries(HEADERS).map(([name, values]) => {
        if (name === 'authorization' && target.isTokenKept) return [name, fc.constant(undefined)]
        const [absent, present] = named.includes(name) ? [1, 2] : [15, 1]
        const value = fc.constantFrom(...values)
        return [
          name,
          fc.oneof({ weight: absent, arbitrary: fc.constant(undefined) }, { weight: present, arbitrary: value }),
        ]
      }),
    ),
  )
  const path = pathsOf(target.path, samples)
  return fc.tuple(path, query, body, headers).map(([path, query, given, extra]) => {
    const sent = Object.entries(extra).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    return {
      path: query === '' ? path : `${path}?${query.slice(0, MAX_QUERY)}`,
      body: given?.text,
      headers: { ...(given ? { 'content-type': given.type } : {}), ...Object.fromEntries(sent) },
    }
  })
}

/** Sample bodies that begin with this boundary are sent as multipart/mixed. */
export const FUZZ_BOUNDARY = 'fuzz-boundary'

function wholeBodies({ input, from }: Target, samples: Samples): fc.Arbitrary<GivenBody> {
  const [name = ''] = Object.entries<TSchema>(input.properties).find(([, field]) => isFile(field)) ?? []
  const texts = fc.oneof(fc.constantFrom(...((samples[name] ?? ['']) as string[])), fc.string())
  const typeOf = (text: string) =>
    text.startsWith(`--${FUZZ_BOUNDARY}`) ? `multipart/mixed; boundary=${FUZZ_BOUNDARY}` : 'application/json'
  return texts.map((text) => ({ text, type: from === 'csv' ? 'text/csv' : typeOf(text) }))
}

/**
 * Generates fields with sample values only: random values for many fields would hardly ever pass all checks together.
 */
const knownFields = ({ input }: Target, samples: Samples): fc.Arbitrary<object> => {
  const known = Object.keys(input.properties).filter((name) => samples[name]?.length)
  const values = Object.fromEntries(known.map((name) => [name, fc.constantFrom(...samples[name]!)]))
  return fc.oneof(fc.record(values), fc.record(values, { requiredKeys: [] }))
}

/** Generates paths whose parameters are filled in from samples and edge cases. */
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

/** Maximum number of characters in a query. It keeps requests below the limit for headers, which other tests cover. */
const MAX_QUERY = 10_000

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
  return { text: String(form), type: 'application/x-www-form-urlencoded' }
}
