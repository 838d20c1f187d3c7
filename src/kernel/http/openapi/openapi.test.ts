import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { Compile } from 'typebox/schema'
import { everything, operations, pages } from '../../../app.ts'
import { pkcePair, REDIRECT_URI, registerApp } from '../../../apps/oauth/testing.ts'
import { renderOpenApi, writeDocs } from '../../../operations/docs.ts'
import { formsOf, type Seen } from '../../../operations/testing/browser.ts'
import { giveBack, takeDatabase } from '../../../operations/testing/databases.ts'
import { type Answer, type Client, testApp } from '../../../operations/testing/testing.ts'
import { fail, listErrors } from '../../errors.ts'
import { anyone, appUser } from '../callers/callers.ts'
import { Id, IdList, isFile, isInQuery, isWholeBody, Nothing } from '../input/fields.ts'
import { isRepeatable, operationsIn } from '../operation.ts'
import { rfcStatusOf } from '../output/errors.ts'
import { json } from '../output/output.ts'
import type { Route } from '../request.ts'
import { buildServer } from '../server.ts'
import { type ApiDocument, describeApi } from './openapi.ts'

const BUCKET = '/app/v1/bucket'
const document = describeApi(everything, { url: 'http://localhost:4000' })

type Schema = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: tests look into the document freely
const published = document as any

/** Resolves a `$ref` within the OpenAPI document. */
// biome-ignore lint/suspicious/noExplicitAny: see above
const follow = (value: any, within: ApiDocument = document): any =>
  typeof value?.$ref !== 'string'
    ? value
    : value.$ref
        .slice(2)
        .split('/')
        // biome-ignore lint/suspicious/noExplicitAny: see above
        .reduce((place: any, step: string) => place[step], within)

const compile = (schema: Schema) => Compile({ ...schema, components: document.components } as never)

test('every reference of the description resolves, and every shared component is used', () => {
  const text = JSON.stringify(document)
  const used = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!))
  for (const ref of used) assert.ok(follow({ $ref: ref }), ref)
  for (const kind of ['schemas', 'responses', 'headers', 'parameters'])
    for (const name of Object.keys(document.components[kind] ?? {}))
      assert.ok(used.has(`#/components/${kind}/${name}`), `${kind} ${name}`)
})

test('every operation is described with all of its fields, headers and errors', () => {
  const errors = listErrors()
  for (const operation of operations) {
    const one = published.paths[operation.path][operation.method.toLowerCase()]
    assert.equal(one.operationId, operation.name)
    assert.equal(one.summary, operation.summary)
    const namesIn = (place: string) =>
      (one.parameters ?? []).filter((p: Schema) => p.in === place).map((p: Schema) => p.name)
    const inBody = Object.keys(one.requestBody?.content['application/json']?.schema.properties ?? {})
    const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const fields = Object.keys(operation.input.properties).filter((name) => !inPath.includes(name))
    const { from, output } = operation
    assert.deepEqual(namesIn('path'), inPath)
    const inQuery = fields.filter((name) => isInQuery(from) && !isFile(operation.input.properties[name]))
    assert.deepEqual(namesIn('query'), inQuery, operation.name)
    assert.deepEqual(inBody, from === 'query' || isWholeBody(from) ? [] : fields, operation.name)
    if (from === 'image') assert.ok(one.requestBody.content['image/png'])
    if (from === 'csv') assert.equal(one.requestBody.content['text/csv'].schema.type, 'string')
    if (from === 'stream') assert.ok(one.requestBody.content['application/octet-stream'])
    if (from === 'raw') assert.ok(one.requestBody.content['*/*'].example, operation.name)
    if (output.kind === 'image') assert.deepEqual(Object.keys(one.responses[200].content), output.mediaTypes)
    const answers = output.kind === 'raw' ? Object.keys(output.answers) : ['status' in output ? output.status : 200]
    for (const name of Object.keys(output.headers ?? {}))
      for (const status of answers) assert.ok(one.responses[status].headers[name], name)
    for (const kind of operation.errors) {
      const error = errors.find((one) => one.kind === kind)!
      const status = operation.errorForm === 'rfc' ? rfcStatusOf(fail(kind)) : error.status
      const examples = follow(one.responses[status]).content['application/json'].examples
      assert.ok(examples[kind], `${operation.name} ${kind}`)
    }
    assert.ok(
      document.tags.some((tag) => tag.name === operation.area),
      `give the area ${operation.area} a sentence`,
    )
  }
})

test('writes of identified callers take an Idempotency-Key, and nothing else does', () => {
  const takers = Object.values<Record<string, Schema>>(published.paths).flatMap((path) =>
    Object.values(path)
      .filter((one) => JSON.stringify(one.parameters ?? []).includes('Idempotency-Key'))
      .map((one) => one.operationId),
  )
  const writes = operations.filter(isRepeatable)
  assert.deepEqual(takers.sort(), writes.map((one) => one.name).sort())
  assert.ok(takers.length > 0)
})

test('fields that clients may send in two forms are described in both, and a day of birth as a date', () => {
  const bodyOf = (path: string, method: string) =>
    published.paths[path][method].requestBody.content['application/json'].schema.properties
  const { users } = bodyOf(BUCKET, 'put')
  const check = compile(users)
  for (const good of [['a', 'b'], 'a,b', []]) assert.ok(check.Check(good as unknown), JSON.stringify(good))
  for (const bad of [5, [5], null]) assert.ok(!check.Check(bad as unknown), JSON.stringify(bad))
  for (const { dateOfBirth } of [bodyOf('/user/v1/my/profile', 'put'), bodyOf('/account/v1/children', 'post')]) {
    assert.deepEqual([dateOfBirth.type, dateOfBirth.format], ['string', 'date'])
    assert.match(dateOfBirth.description, /MM\/DD\/YYYY/)
  }
})

test('operations that take credentials in a header or as fields say so', () => {
  const schemesOf = (path: string, method: string) =>
    published.paths[path][method].security.map((one: object) => Object.keys(one)[0] ?? 'none')
  for (const path of ['token', 'v2/token', 'v2/revoke', 'v2/introspect', 'v2/device/authorize'])
    assert.deepEqual(schemesOf(`/oauth/${path}`, 'post'), ['basic', 'none'], path)
  assert.deepEqual(schemesOf('/auth/basic', 'get'), ['basic'], 'there are no such fields')
  assert.deepEqual(schemesOf('/oauth/logout', 'post'), ['bearer', 'none'])
  assert.deepEqual(schemesOf('/oauth/session/validate', 'get'), ['bearer', 'none'])
  assert.deepEqual(schemesOf(BUCKET, 'get'), ['bearer'])
  assert.deepEqual(schemesOf('/user/v1/my/profile', 'put'), [])
})

test('nothing internal leaks into the description', () => {
  assert.doesNotMatch(JSON.stringify(document), /"(x-kind|~[^"]*)":/)
})

test('every schema of the description compiles', () => {
  const schemas: Schema[] = Object.values(published.components.schemas)
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if ('schema' in value) schemas.push(value.schema as Schema)
    Object.values(value).forEach(visit)
  }
  visit(document.paths)
  visit(document.components.headers)
  assert.ok(schemas.length > 40)
  for (const schema of schemas) assert.ok(compile(schema), JSON.stringify(schema))
  const bucket = follow(published.paths[BUCKET].get.responses[200].content['application/json'].schema)
  assert.equal(compile(bucket).Check({ id: 'plan' }), false)
  assert.equal(compile({ $ref: '#/components/schemas/Error' }).Check({ error_code: 1, error_description: '' }), false)
})

test('a schema with a title is described once, and the events of a stream each with their data', () => {
  const Thing = Type.Object({ id: Id('Which'), title: Type.String() }, { title: 'Thing' })
  const op = operationsIn({ area: 'Buckets', who: appUser })
  const common = { summary: 'Does', description: 'Does it.' }
  const made = describeApi(
    {
      operations: [
        op('GET /one', {
          ...common,
          who: anyone,
          name: 'one',
          input: Type.Object({ ids: IdList('Which', 3) }),
          output: json(Thing),
          run: async () => ({}),
        }),
        op('GET /many', {
          ...common,
          name: 'many',
          input: Nothing,
          output: json(Type.Object({ things: Type.Array(Thing) })),
          run: async () => ({}),
        }),
        op('GET /watch', {
          ...common,
          name: 'watch',
          input: Nothing,
          output: {
            kind: 'events',
            about: 'Events',
            events: {
              gone: { about: 'It is gone', data: Type.Object({ id: Type.String() }) },
              reset: { about: 'All of it', data: Thing },
            },
          },
          run: async () => () => {},
        }),
      ],
      pages: [],
      areas: {},
      gauges: [],
      answers: {},
    },
    { url: 'http://localhost' },
  )
  const ref = { $ref: '#/components/schemas/Thing' }
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const content = (path: string, type: string) => (made.paths[path]!.get as any).responses[200].content[type].schema
  assert.deepEqual(Object.keys(made.components.schemas!), ['Thing', 'ManyAnswer', 'Error'])
  assert.deepEqual(content('/one', 'application/json'), ref)
  assert.deepEqual(follow(content('/many', 'application/json'), made).properties.things, { type: 'array', items: ref })
  assert.deepEqual(follow(ref, made).properties.title, { type: 'string' })
  const [parameter] = made.paths['/one']!.get!.parameters as unknown as Schema[]
  assert.deepEqual([parameter!.style, parameter!.explode], ['form', false])
  const [gone, reset] = content('/watch', 'text/event-stream').items.oneOf
  assert.equal(gone.description, 'It is gone')
  assert.deepEqual(gone.properties.event, { const: 'gone' })
  assert.deepEqual(gone.properties.data.contentSchema.required, ['id'])
  assert.deepEqual(reset.properties.data.contentSchema, ref)
})

test('the files in docs/ are up to date', async (t) => {
  const connection = await takeDatabase()
  t.after(() => giveBack(connection))
  assert.deepEqual(await writeDocs(connection, { isCheck: true }), [], 'run npm run docs')
})

test('each environment serves the description of docs/openapi.json, with its own address', async (t) => {
  const app = await testApp(
    t,
    { BASE_URL: 'https://api.example.org', SANDBOX_URL: 'https://sandbox.example.org' },
    { withSandbox: true },
  )
  const file = JSON.parse(readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'))
  assert.deepEqual(file, JSON.parse(renderOpenApi()))
  assert.deepEqual(
    file.servers.map((server: Schema) => server.url),
    ['http://localhost:4000', 'http://localhost:4001'],
  )
  for (const [name, url] of [
    ['production', 'https://api.example.org'],
    ['sandbox', 'https://sandbox.example.org'],
  ] as const) {
    const answer = await app.nobody(name).get('/openapi.json')
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { ...file, servers: [{ url }] })
    assert.match(answer.headers.get('cache-control')!, /max-age=\d+/)
    const again = await app.nobody(name).get('/openapi.json', {}, { 'if-none-match': answer.headers.get('etag')! })
    assert.deepEqual([again.status, again.text], [304, ''])
  }
})

test('every route is in the description, and every path of the description is a route', async (t) => {
  const app = await testApp(t)
  const { routes } = buildServer(app.environment(), everything)
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  // Some protocols serve documented operations at further addresses, which are not documented.
  const aliases = operations
    .flatMap(({ protocol, ...row }) => protocol?.(app.environment(), [{ ...row, route: {} as Route }]) ?? [])
    .map(({ method, path }) => `${method} ${path}`)
  const hidden = routes.filter((route) => !described.includes(route) && !aliases.includes(route))
  assert.deepEqual(
    hidden.filter((route) => !/^GET \/(?:docs\/|web\/|favicon\.ico$)/.test(route) && !isOwnPage(route)),
    [],
  )
  assert.deepEqual(
    described.filter((route) => !routes.includes(route)),
    [],
  )
})

/** True for pages that people reach by links. No program calls them, because their forms need CSRF tokens. */
const isOwnPage = (route: string): boolean =>
  pages.some(({ method, path, summary }) => summary === undefined && route === `${method} ${path}`)

test('answers are what the description says, errors too', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  const nobody = app.nobody()
  const calls: [Client, string, string, Schema][] = [
    [avery, 'PUT', BUCKET, { id: 'plan', users: blake.userId, data: [1] }],
    [avery, 'PUT', BUCKET, { id: 'plan' }],
    [avery, 'GET', BUCKET, { id: 'plan' }],
    [avery, 'GET', BUCKET, { id: 'plan', key: '0' }],
    [avery, 'GET', BUCKET, {}],
    [avery, 'GET', BUCKET, { id: 'other' }],
    [avery, 'POST', BUCKET, { id: 'plan', key: '1', value: null }],
    [avery, 'POST', BUCKET, { id: 'plan', key: 'a', value: null }],
    [avery, 'POST', `${BUCKET}/user`, { id: 'plan', userId: blake.userId }],
    [avery, 'POST', `${BUCKET}/user/remove`, { id: 'plan', userId: blake.userId }],
    [avery, 'POST', `${BUCKET}/user/remove`, { id: 'plan', userId: avery.userId }],
    [blake, 'POST', BUCKET, { id: 'plan', key: '1', value: null }],
    [blake, 'GET', `${BUCKET}/events`, { id: 'plan' }],
    [avery, 'GET', `${BUCKET}/list`, {}],
    [avery, 'DELETE', BUCKET, { id: 'plan' }],
    [avery, 'GET', '/user/v1/my/profile/picture', {}],
    [nobody, 'GET', '/user/v1/my/profile/cover', {}],
    [nobody, 'GET', BUCKET, { id: 'plan' }],
    [nobody, 'GET', '/auth/basic', {}],
    [nobody, 'GET', '/healthz', {}],
    [nobody, 'GET', '/readyz', {}],
    [nobody, 'GET', '/metrics', {}],
    [nobody, 'GET', '/openapi.json', {}],
    [nobody, 'GET', '/docs', {}],
    [nobody, 'GET', '/llms.txt', {}],
    [nobody, 'GET', '/llms-full.txt', {}],
  ]
  for (const [client, method, path, fields] of calls) {
    const answer = await client.send(method, path, method === 'GET' ? { query: fields } : { body: fields })
    assertDescribed(published.paths[path][method.toLowerCase()].responses, answer, `${method} ${path}`)
  }
})

function assertDescribed(responses: Record<string, Schema>, answer: Answer, what: string): void {
  const described = follow(responses[answer.status])
  assert.ok(described, `${what} gave ${answer.status}, which is not described: ${answer.text}`)
  for (const name of Object.keys(described.headers))
    assert.ok(name === 'Retry-After' || answer.headers.get(name), `${what} lacks the header ${name}`)
  const type = answer.headers.get('content-type')!.split(';')[0]!
  assert.ok(described.content[type], `${what} gave ${type}`)
  if (type !== 'application/json') return
  assert.ok(compile(described.content[type].schema).Check(answer.body as unknown), `${what}: ${answer.text}`)
  if (answer.status === 200) return
  const codes = Object.values<{ value: Schema }>(described.content[type].examples).map((one) => one.value.error_code)
  assert.ok(codes.includes(answer.body.error_code), `${what} gave ${answer.body.error_code}, which is not described`)
}

test('the sign-in and device pages are described with their forms, fields, redirects and error pages', async (t) => {
  const app = await testApp(t)
  await app.givePassword('avery')
  const check = (path: string, method: string, seen: Seen, status: number) => {
    assert.equal(seen.status, status, seen.text)
    const described = follow(published.paths[path][method].responses[seen.status])
    assert.ok(described, `${method} ${path} ${seen.status}`)
    if (status === 303) assert.ok(described.headers.Location)
    else assert.ok(described.content[seen.headers.get('content-type')!.split(';')[0]!], path)
  }
  const fieldsOf = (path: string) => {
    const { parameters = [], requestBody } = published.paths[path].post
    const { schema } = requestBody.content['application/x-www-form-urlencoded']
    return [parameters.map(({ name }: Schema) => name), Object.keys(schema.properties), schema.required]
  }
  for (const [path, key] of [
    ['/oauth/signin', 'one'],
    ['/oauth/v2/signin', 'two'],
  ] as const) {
    const { clientId } = await registerApp(app, { key })
    const request = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      code_challenge: pkcePair().challenge,
      code_challenge_method: 'S256',
    }
    const browser = app.visitor()
    const page = await browser.get(path, request)
    check(path, 'get', page, 200)
    const [form] = formsOf(page.text)
    const [inQuery, inBody, required] = fieldsOf(path)
    assert.deepEqual(inBody, ['handle', 'password', 'keep', 'way', 'csrf_token'])
    assert.deepEqual(required, ['csrf_token'])
    for (const name of new URLSearchParams(form!.action.split('?')[1]).keys()) assert.ok(inQuery.includes(name), name)
    for (const name of Object.keys(form!.hidden)) assert.ok(inBody.includes(name), name)
    check(path, 'post', await browser.post(form!.action, { handle: '@avery', password: 'groundschool' }), 403)
    check(path, 'post', await browser.submit(page, { handle: '@avery', password: 'wrong' }), 401)
    const consent = await browser.submit(page, { handle: '@avery', password: 'groundschool' })
    check(path, 'post', consent, 200)
    await browser.submit(consent, { decision: 'allow' })
    check(path, 'get', await browser.get(path, request), 303)
    const again = await app.visitor().get(path, { ...request, client_id: 'gs-nobody' })
    check(path, 'get', again, 404)
  }
  const browser = app.visitor()
  const page = await browser.get('/device')
  check('/device', 'get', page, 200)
  assert.deepEqual(fieldsOf('/device'), [[], ['user_code', 'csrf_token'], ['csrf_token']])
  check('/device', 'post', await browser.post('/device', { user_code: 'BCDF-GHJK' }), 403)
  check('/device', 'post', await browser.submit(page, { user_code: '?' }), 400)
  check('/device', 'post', await browser.submit(page, { user_code: 'BCDF-GHJK' }), 303)
})

test('/docs is a page, whatever the client accepts, and serves no files', async (t) => {
  const app = await testApp(t)
  for (const headers of [{}, { accept: 'text/html' }]) {
    const page = await app.nobody().get('/docs', {}, headers)
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    assert.match(
      page.headers.get('content-security-policy')!,
      /^default-src 'none'; script-src 'self'; style-src 'self' /,
    )
    assert.match(page.text, /<a [^>]*href="\/docs\/reference"[\s\S]*<a [^>]*href="\/openapi.json"/)
  }
  // The API reference itself needs JavaScript.
  const reference = await app.nobody().get('/docs/createBucket', {}, { accept: 'text/html' })
  assert.match(reference.text, /<noscript>[^<]*JavaScript[^<]*<a [\s\S]*<a href="\/openapi.json">/)
  const status = async (path: string) => (await app.nobody().get(path, {}, { accept: 'text/html' })).status
  for (const path of ['/docs/', '/docs/createBucket', '/docs/callback']) assert.equal(await status(path), 200, path)
  for (const path of ['package.json', '%2e%2e/package.json', '..%2fpackage.json', 'swagger-ui-bundle.js', 'a/b'])
    assert.equal(await status(`/docs/${path}`), 404, path)
})

test('the description is compressed for clients that accept it', async (t) => {
  const app = await testApp(t)
  const sizes: Record<string, number> = {}
  for (const [accepted, coding] of [
    ['gzip, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0', null],
  ] as const) {
    const ask = (more: Record<string, string> = {}) =>
      getBytes(`${app.address}/openapi.json`, { 'accept-encoding': accepted, ...more })
    const { status, headers, bytes } = await ask()
    assert.deepEqual([status, headers['content-encoding'] ?? null], [200, coding])
    assert.match(headers.vary!, /Accept-Encoding/)
    const unpacked = coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes
    assert.deepEqual(JSON.parse(unpacked.toString()).paths, document.paths)
    sizes[String(coding)] = bytes.length
    assert.equal((await ask({ 'if-none-match': headers.etag! })).status, 304)
  }
  assert.ok(sizes.br! < sizes.null! / 10, JSON.stringify(sizes))
})

/** Reads the raw bytes of a response, because `fetch` would decompress them. */
async function getBytes(address: string, headers: Record<string, string>) {
  const [answer] = (await once(get(address, { headers }), 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, bytes: await buffer(answer) }
}
