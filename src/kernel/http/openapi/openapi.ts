import type { TObject, TSchema } from 'typebox'
import manifest from '../../../../package.json' with { type: 'json' }
import type { ErrorName } from '../../errors.ts'
import { describeRoles, ROLES } from '../../roles.ts'
import { BASE_URL, CLIENT_ID, CLIENT_SECRET, USER_IDS } from '../../samples.ts'
import { CSRF_FIELD } from '../callers/csrf.ts'
import { CSV_TYPE, IMAGE_BODY_TYPES } from '../input/bodies.ts'
import { isFile, isInQuery, namesInPath } from '../input/fields.ts'
import type { Interface } from '../interface.ts'
import { challengeOf, type Example, isRepeatable, type Operation, scopeOf, securityOf } from '../operation.ts'
import type { EventOutput } from '../output/output.ts'
import type { Page } from '../pages/page.ts'
import { errorsOf, refsToHeaders, SharedErrors, sharedHeaders } from './errors.ts'
import { describeKernel, KERNEL_AREA } from './kernel.ts'
import { type Json, type JsonObject, SharedSchemas } from './schemas.ts'

const ABOUT = `The training platform behind your apps.

- **Success** is status 200 with JSON. An operation with nothing else to return responds with \`{"success": true}\`.
- **Errors** are \`{"error_code", "error_description"}\`. The same two values are in the headers \`errorcode\` and
  \`errordescription\`, and in \`error_code\` and \`error_description\`. \`Retry-After\` says how many seconds to wait.
- **Authentication** is \`Authorization: Bearer <access token>\`.
- **Input** is lenient: \`null\`, \`""\` and \`nil\` mean "not given" for ids, numbers and dates; booleans and numbers can be
  strings; a list of ids can be one string with commas; unknown fields are ignored. A field that is sent twice is refused.
- **Bodies** are JSON or a form. In a form every value is a string, so other values need JSON. An image or a CSV file is sent as it is.
- **Retrying** a write is safe with an \`Idempotency-Key\`.
- **Ids** are opaque. A user has a different userId in each app.`

export interface ApiDocument {
  readonly openapi: string
  readonly info: JsonObject
  readonly servers: readonly JsonObject[]
  readonly 'x-samples': JsonObject
  readonly tags: readonly JsonObject[]
  readonly paths: Record<string, Record<string, JsonObject>>
  readonly components: Record<string, JsonObject>
}

/** Describes the whole API as OpenAPI 3.1, generated from the list of operations. The order is always the same. */
export function describeApi({ operations, pages, areas, answers }: Interface, { url }: { url: string }): ApiDocument {
  const schemas = new SharedSchemas()
  const errors = new SharedErrors()
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const operation of operations) {
    paths[operation.path] ??= {}
    paths[operation.path]![operation.method.toLowerCase()] = describeOperation(
      operation,
      answers[operation.name],
      schemas,
      errors,
    )
  }
  for (const page of pages)
    if (page.summary !== undefined)
      paths[page.path] = {
        ...paths[page.path],
        [page.method.toLowerCase()]: describePage(page, pages, schemas, errors),
      }
  Object.assign(paths, describeKernel(errors))
  return {
    openapi: '3.1.0',
    info: { title: 'Groundschool', version: manifest.version, description: ABOUT },
    servers: [{ url }],
    'x-samples': SAMPLES,
    tags: Object.entries({ ...areas, ...KERNEL_AREA }).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: {
        ...schemas.byName,
        ...errors.schemas,
      },
      responses: errors.responses,
      headers: sharedHeaders,
      parameters: { 'Idempotency-Key': idempotencyKey },
      securitySchemes,
    },
  }
}

/** Placeholder values in the examples, listed so that a page can replace them with real values. */
const SAMPLES: JsonObject = {
  description: 'Placeholders in the examples, to be replaced with your own values',
  baseUrl: BASE_URL,
  clientId: CLIENT_ID,
  userIds: Object.fromEntries(Object.entries(USER_IDS).map(([name, userId]) => [`@${name}`, userId])),
}

const idempotencyKey: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A random string, new for each write. Repeating the request with the same key returns the first response and has no second effect; keys are kept for a day',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const securitySchemes: JsonObject = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token. The list names the scope that it needs' },
  bearerInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'authorization',
    description: '`Bearer <access token>`, for resources that browsers load without headers',
  },
  browser: {
    type: 'apiKey',
    in: 'cookie',
    name: 'gs_browser',
    description:
      'The cookie that POST /account/v1/signin sets; gs_sbx_browser in the sandbox, and with the prefix __Host- if the platform uses https',
  },
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'Handle and password, client ID and client secret, or key and secret of the record store',
  },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'The METRICS_TOKEN of the installation' },
}

function describeOperation(
  operation: Operation,
  answer: unknown,
  schemas: SharedSchemas,
  errors: SharedErrors,
): JsonObject {
  const parameters = [
    ...describeQuery(operation, schemas),
    ...describeRequestHeaders(operation),
    ...(isRepeatable(operation) ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ]
  return {
    operationId: operation.name,
    tags: [operation.area],
    summary: operation.summary,
    ...describeMore(operation),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.from === 'query' ? {} : { requestBody: describeBody(operation, schemas) }),
    security: describeSecurity(operation),
    responses: {
      ...describeAnswers(operation, answer, schemas),
      ...(operation.output.kind === 'image' ? { 304: { description: 'Not modified' } } : {}),
      ...errors.describe(errorsOf(operation), operation.errorForm, challengeOf(operation)),
    },
  }
}

/** Describes how a caller authenticates, and which scope an access token needs. */
function describeSecurity(operation: Operation): JsonObject[] {
  const scope = scopeOf(operation)
  return securityOf(operation).map((name) => {
    if (name === undefined) return {}
    return { [name]: scope !== undefined && name.startsWith('bearer') ? [scope] : [] }
  })
}

function describeAnswers(operation: Operation, answer: unknown, schemas: SharedSchemas): JsonObject {
  const { output } = operation
  const headers = {
    ...Object.fromEntries(
      Object.entries(output.headers ?? {}).map(([name, description]) => [
        name,
        { description, schema: { type: 'string' } },
      ]),
    ),
    ...refsToHeaders(['x-request-id', 'RateLimit', 'RateLimit-Policy']),
  }
  if (output.kind !== 'raw')
    return { [statusOf(operation)]: { description: 'OK', headers, ...describeContent(operation, answer, schemas) } }
  return Object.fromEntries(
    Object.entries(output.answers).map(([status, { about, mediaTypes = [] }]) => [
      status,
      {
        description: about,
        headers,
        ...(mediaTypes.length > 0 ? { content: Object.fromEntries(mediaTypes.map((type) => [type, {}])) } : {}),
      },
    ]),
  )
}

const fieldsOf = (input: TObject): [name: string, schema: TSchema, isRequired: boolean][] =>
  Object.entries<TSchema>(input.properties).map(([name, schema]) => [
    name,
    schema,
    (input.required ?? []).includes(name),
  ])

const ABOUT_PAGES =
  "Open this URL in the user's own browser: it is a page for people, not for scripts, it works without JavaScript, and it asks the user to sign in first if necessary. An error that cannot be reported to an app is shown as a page with the status of the error."
const ABOUT_FORMS =
  "The user's browser sends this form from the page at the same URL, with the cookie and the `csrf_token` of that page, so that no other site can send it; without them the form is shown again with status 403. An error that the user can correct is shown in the form with the status of the error."

/** Describes a page that apps send people to, or the form on it. */
function describePage(page: Page, pages: readonly Page[], schemas: SharedSchemas, errors: SharedErrors): JsonObject {
  const { name, summary = '', description, path, example, leadsTo = 'the app' } = page
  const isForm = page.method === 'POST'
  // A form that continues the request of its page keeps the page's fields in the query.
  const input = isForm && page.from === 'either' ? pages.find((one) => one.path === path)!.input : page.input
  const isInBody = isForm && page.from === 'body'
  return {
    operationId: name,
    tags: ['Sign-in'],
    summary,
    description: `${description} ${isForm ? ABOUT_FORMS : ABOUT_PAGES}`,
    ...describeExample(example),
    ...(isInBody
      ? {}
      : { parameters: describeQuery({ input, path, from: 'query', ...(example && { example }) }, schemas) }),
    ...(isForm ? { requestBody: describeForm(page, isInBody ? {} : input.properties, schemas) } : {}),
    security: [],
    responses: {
      200: {
        description: isForm ? 'The next page' : 'The page',
        content: { 'text/html': { schema: { type: 'string' } } },
      },
      303: {
        description: `Redirect to ${leadsTo}`,
        headers: { Location: { description: 'The URL', schema: { type: 'string' } } },
      },
      ...errors.describe(isForm ? FORM_ERRORS : PAGE_ERRORS, 'page'),
    },
  }
}

const PAGE_ERRORS: readonly ErrorName[] = [
  'duplicate',
  'validationFailed',
  'appNotUsable',
  'authorizationIncomplete',
  'noSuchApp',
  'tooManyRequests',
  'internal',
  'notReady',
]
const FORM_ERRORS: readonly ErrorName[] = [
  ...PAGE_ERRORS,
  'badRequest',
  'wrongCredentials',
  'forbidden',
  'notFound',
  'bodyTooLarge',
  'unsupportedMediaType',
]

/** Describes the fields that a form has besides those in the query. */
function describeForm({ input }: Page, inQuery: object, schemas: SharedSchemas): JsonObject {
  const own = fieldsOf(input).filter(([name]) => !(name in inQuery))
  const token = { type: 'string', description: 'The token from the page, which binds the form to the browser' }
  const schema = {
    type: 'object',
    required: [...own.flatMap(([name, , isRequired]) => (isRequired ? [name] : [])), CSRF_FIELD],
    properties: {
      ...Object.fromEntries(own.map(([name, field]) => [name, schemas.publish(field)])),
      [CSRF_FIELD]: token,
    },
  }
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema } } }
}

/** Describes the parameters in the path and the query. */
function describeQuery(
  { input, from, path, example }: Pick<Operation, 'input' | 'from' | 'path' | 'example'>,
  schemas: SharedSchemas,
): JsonObject[] {
  const inPath = namesInPath(path)
  const isFromQuery = isInQuery(from)
  return fieldsOf(input).flatMap(([name, field, isRequired]) => {
    const isInPath = inPath.includes(name)
    if (!isInPath && (!isFromQuery || isFile(field))) return []
    const { description = '', ...schema } = schemas.publish(field)
    return {
      name,
      in: isInPath ? 'path' : 'query',
      description: from === 'either' && !isInPath ? `${description}. Can also be in the body` : description,
      required: isInPath || (from !== 'either' && isRequired),
      schema,
      // In the query, a list is sent as one text, separated by commas.
      ...(schema.type === 'array' || 'anyOf' in schema ? { style: 'form', explode: false } : {}),
      // If a field may be in the query or the body, only the body's description has its example.
      ...(isInPath || from !== 'either' ? exampleOf(example?.request?.[name]) : {}),
    }
  })
}

const exampleOf = (value: unknown): JsonObject => (value === undefined ? {} : { example: value as Json })

/** Describes the request headers. `Authorization` is left out, because OpenAPI declares it through security schemes. */
const describeRequestHeaders = ({ requestHeaders = {}, example }: Operation): JsonObject[] =>
  Object.entries(requestHeaders)
    .filter(([name]) => name !== 'Authorization')
    .map(([name, description]) => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
      ...exampleOf(example?.headers?.[name]),
    }))

function describeBody({ input, from, example }: Operation, schemas: SharedSchemas): JsonObject {
  // In OpenAPI 3.1, a binary body is described by its media type only.
  if (from === 'image')
    return { required: true, content: Object.fromEntries(IMAGE_BODY_TYPES.map((type) => [type, {}])) }
  if (from === 'raw') {
    const file = fieldsOf(input).find(([, field]) => isFile(field))
    return { required: true, content: { '*/*': exampleOf(file && example?.request?.[file[0]]) } }
  }
  if (from === 'stream') {
    const [file] = fieldsOf(input).find(([, field]) => isFile(field))!
    return { required: true, content: { 'application/octet-stream': exampleOf(example?.request?.[file]) } }
  }
  if (from === 'csv') {
    const [file] = fieldsOf(input).find(([, field]) => isFile(field))!
    const schema = { type: 'string', description: input.properties[file].description }
    return { required: true, content: { [CSV_TYPE]: { schema, ...exampleOf(example?.request?.[file]) } } }
  }
  const isEither = from === 'either'
  const { required, ...optional } = schemas.publish(input)
  const schema = isEither || required === undefined ? optional : { required, ...optional }
  return {
    ...(isEither ? { description: 'Each field can be in the body or in the query' } : {}),
    required: !isEither && required !== undefined,
    content: {
      'application/json': { schema, ...exampleOf(example?.request) },
      'application/x-www-form-urlencoded': { schema },
    },
  }
}

const statusOf = ({ output }: Operation): number => ('status' in output ? output.status : 200)

/** Returns the text that people read: the description, who may call the operation, and what the caller needs. */
function describeMore(operation: Operation): JsonObject {
  const { description, who, needs = [], roles, example } = operation
  const scope = scopeOf(operation)
  const as = roles ? ` (${describeRoles(roles)})` : ''
  const held = needs.length > 0 ? `, with ${needs.map(({ name }) => name).join(' and ')}` : ''
  const limited = scope === undefined ? '' : ` An access token needs the scope \`${scope}\`.`
  const callers = `For: ${who.name}${as}${held}.${limited}`
  return {
    description: `${description}\n\n${callers}`,
    'x-callers': who.name,
    ...(roles ? { 'x-roles': roles.map((role) => ROLES[role]) } : {}),
    ...(scope === undefined ? {} : { 'x-scope': scope }),
    ...(needs.length > 0 ? { 'x-needs': needs.map(({ name }) => name) } : {}),
    ...describeExample(example, who.name),
  }
}

/**
 * Describes how to run the example with the demo data: who sends it, which example has to run before, and which values
 * have to be filled in.
 */
function describeExample({ as, clientId, pair, environment, after, fill }: Example = {}, callers?: string): JsonObject {
  const about = {
    ...(callers === undefined || callers === 'anyone' || callers === 'plugin' ? {} : { as: `@${as ?? 'avery'}` }),
    ...(clientId === undefined ? {} : { clientId }),
    ...(pair ? { pair: { ...pair } } : callers === 'plugin' ? { pair: DEMO_PLUGIN } : {}),
    ...(environment === undefined ? {} : { environment }),
    ...(after === undefined ? {} : { after }),
    ...(fill === undefined ? {} : { fill: { ...fill } }),
  }
  return Object.keys(about).length > 0 ? { 'x-example': about } : {}
}
const DEMO_PLUGIN: JsonObject = { key: 'gs-demo-ai', secret: CLIENT_SECRET }

function describeContent({ name, output }: Operation, answer: unknown, schemas: SharedSchemas): JsonObject {
  switch (output.kind) {
    case 'raw':
      return {}
    case 'events':
      return { content: { 'text/event-stream': { schema: describeEvents(output, schemas) } } }
    case 'image':
      return { content: Object.fromEntries(output.mediaTypes.map((type) => [type, {}])) }
    case 'file':
      return { content: { [output.mediaType]: {} } }
    case 'json': {
      const { type, title } = output.schema as { type?: string; title?: string }
      const own = `${name[0]!.toUpperCase()}${name.slice(1)}Answer`
      const schema = type === 'object' ? schemas.share(output.schema, title ?? own) : schemas.publish(output.schema)
      return { content: { 'application/json': { schema, ...exampleOf(answer) } } }
    }
  }
}

/** Describes the events of a stream as a list. Each event has its name, and its data as JSON. */
function describeEvents({ events, about }: EventOutput, schemas: SharedSchemas): JsonObject {
  const items = Object.entries(events).map(([event, { about, data }]) => ({
    type: 'object',
    title: event,
    description: about,
    required: ['event', 'data'],
    properties: {
      event: { const: event },
      id: { type: 'string', description: 'Position of the client; browsers send it back as Last-Event-ID' },
      data: { type: 'string', contentMediaType: 'application/json', contentSchema: schemas.publish(data) },
    },
  }))
  return { type: 'array', description: about, items: { oneOf: items } }
}
