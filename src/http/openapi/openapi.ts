import type { TObject, TSchema } from 'typebox'
import manifest from '../../../package.json' with { type: 'json' }
import type { ErrorName } from '../../errors.ts'
import { IMAGE_BODY_TYPES } from '../input/bodies.ts'
import { isFile, namesInPath } from '../input/fields.ts'
import type { Operation, StreamOperation } from '../operation.ts'
import type { Page } from '../pages/page.ts'
import { errorsOf, isRepeatable, refsToHeaders, SharedErrors, sharedHeaders } from './errors.ts'
import { describeKernel } from './kernel.ts'
import { type Json, type JsonObject, SharedSchemas } from './schemas.ts'

/** A sentence for each area of the product, in the order of the document. */
const AREAS: Record<string, string> = {
  'Sign-in': 'How an app gets an access token for a person.',
  Account: "The person's own account, for the platform's pages and for scripts: never for apps.",
  Profile: 'Who a user is, and users who are nobody in particular.',
  Pictures: 'Pictures and covers of users.',
  'User search': 'Other users of the app who want to be found.',
  Friends: 'Friends, requests for friendship, and blocks.',
  Families: 'Parents, who look after the accounts of their children.',
  Buckets: 'Small JSON documents of an app, shared by its users.',
  Platform: 'For operators and tools: health, figures, and this description.',
}

const ABOUT = `The learning and training platform that other people's apps stand on.

- **Success** is status 200 with JSON. An operation with nothing to say answers \`{"success": true}\`.
- **Errors** are \`{"error_code", "error_description"}\`; the same two values travel in the headers \`errorcode\` and
  \`errordescription\`, and as \`error_code\` and \`error_description\`. \`Retry-After\` says how many seconds to wait.
- **Sign-in** is \`Authorization: Bearer <access token>\`.
- **Input** is forgiving: \`null\`, \`""\` and \`nil\` mean "not given" for ids, numbers and dates; booleans and numbers may be
  text; a list of ids may be one text with commas; unknown fields are ignored. A field that is given twice is refused.
- **Bodies** are JSON or a form. In a form every value is text, so only JSON can carry other values. An image is sent as it is.
- **Repeating** a write is safe with an \`Idempotency-Key\`.
- **Ids** are opaque. A user has another userId in each app.`

export interface ApiDocument {
  readonly openapi: string
  readonly info: JsonObject
  readonly servers: readonly JsonObject[]
  readonly tags: readonly JsonObject[]
  readonly paths: Record<string, Record<string, JsonObject>>
  readonly components: Record<string, JsonObject>
}

/** The whole interface as OpenAPI 3.1, made from the table of operations; always in the same order. */
export function describeApi(
  operations: readonly Operation[],
  pages: readonly Page[],
  { url }: { url: string },
): ApiDocument {
  const schemas = new SharedSchemas()
  const errors = new SharedErrors()
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const operation of operations) {
    paths[operation.path] ??= {}
    paths[operation.path]![operation.method.toLowerCase()] = describeOperation(operation, schemas, errors)
  }
  for (const page of pages)
    if (page.method === 'GET' && page.about !== undefined)
      paths[page.path] = { get: describePage(page, schemas, errors) }
  Object.assign(paths, describeKernel(errors))
  return {
    openapi: '3.1.0',
    info: { title: 'Groundschool', version: manifest.version, description: ABOUT },
    servers: [{ url }],
    tags: Object.entries(AREAS).map(([name, description]) => ({ name, description })),
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

const idempotencyKey: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A new random text for each write. Repeated with the same request, it gives the first answer again and has no second effect; kept for a day',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const securitySchemes: JsonObject = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token' },
  bearerInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'authorization',
    description: '`Bearer <access token>`, for what browsers load without headers',
  },
  browser: {
    type: 'apiKey',
    in: 'cookie',
    name: 'gs_browser',
    description:
      'The cookie that POST /account/v1/signin sets; gs_sbx_browser in the sandbox, and with __Host- in front where the platform is reached by https',
  },
  basic: { type: 'http', scheme: 'basic', description: 'Handle and password, or client ID and client secret' },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'METRICS_TOKEN of the installation' },
}

function describeOperation(operation: Operation, schemas: SharedSchemas, errors: SharedErrors): JsonObject {
  const parameters = [
    ...describeQuery(operation, schemas),
    ...describeRequestHeaders(operation),
    ...(isRepeatable(operation) ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ]
  return {
    operationId: operation.name,
    tags: [operation.area],
    summary: operation.summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.place === 'query' ? {} : { requestBody: describeBody(operation, schemas) }),
    security: securityOf(operation),
    responses: {
      200: {
        description: 'Done',
        headers: {
          ...Object.fromEntries(
            Object.entries(operation.answerHeaders ?? {}).map(([name, description]) => [
              name,
              { description, schema: { type: 'string' } },
            ]),
          ),
          ...refsToHeaders(['x-request-id', 'RateLimit', 'RateLimit-Policy']),
        },
        ...describeContent(operation, schemas),
      },
      ...('mediaTypes' in operation ? { 304: { description: 'The client has it already' } } : {}),
      ...errors.describe(errorsOf(operation), operation.errorForm),
    },
  }
}

const fieldsOf = (input: TObject): [name: string, schema: TSchema, isRequired: boolean][] =>
  Object.entries<TSchema>(input.properties).map(([name, schema]) => [
    name,
    schema,
    (input.required ?? []).includes(name),
  ])

/** A page that apps lead people to. */
const describePage = (
  { name, about, input, path }: Page,
  schemas: SharedSchemas,
  errors: SharedErrors,
): JsonObject => ({
  operationId: name,
  tags: ['Sign-in'],
  summary: about ?? '',
  parameters: describeQuery({ input, path, place: 'query' }, schemas),
  security: [],
  responses: {
    200: { description: 'The page', content: { 'text/html': { schema: { type: 'string' } } } },
    303: { description: 'On to the app, in the header Location' },
    ...errors.describe(PAGE_ERRORS, 'page'),
  },
})
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

/** What stands in the address: in the path, or in the query. */
function describeQuery(
  { input, place, path }: Pick<Operation, 'input' | 'place' | 'path'>,
  schemas: SharedSchemas,
): JsonObject[] {
  const inPath = namesInPath(path)
  const isFromQuery = place === 'query' || place === 'either' || place === 'image'
  return fieldsOf(input).flatMap(([name, field, isRequired]) => {
    const isInPath = inPath.includes(name)
    if (!isInPath && (!isFromQuery || isFile(field))) return []
    const { description = '', ...schema } = schemas.publish(field)
    return {
      name,
      in: isInPath ? 'path' : 'query',
      description: place === 'either' && !isInPath ? `${description}. Here or in the body` : description,
      required: isInPath || (place !== 'either' && isRequired),
      schema,
      // A list is one text with commas.
      ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    }
  })
}

/** OpenAPI says `Authorization` through security schemes, never as a parameter. */
const describeRequestHeaders = ({ requestHeaders = {} }: Operation): JsonObject[] =>
  Object.entries(requestHeaders)
    .filter(([name]) => name !== 'Authorization')
    .map(([name, description]) => ({ name, in: 'header', description, schema: { type: 'string' } }))

function describeBody({ input, place }: Operation, schemas: SharedSchemas): JsonObject {
  // OpenAPI 3.1 says of bytes nothing but their media type.
  if (place === 'image')
    return { required: true, content: Object.fromEntries(IMAGE_BODY_TYPES.map((type) => [type, {}])) }
  const isEither = place === 'either'
  const { required, ...optional } = schemas.publish(input)
  const schema = isEither || required === undefined ? optional : { required, ...optional }
  return {
    ...(isEither ? { description: 'Each field travels here or in the query' } : {}),
    required: !isEither && required !== undefined,
    content: { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } },
  }
}

function securityOf({ access, requestHeaders }: Operation): Json {
  if (access === 'user') return [{ bearer: [] }]
  if (access === 'person' || access === 'own image' || access === 'download') return [{ browser: [] }]
  if (access === 'stream' || access === 'image') return [{ bearer: [] }, { bearerInQuery: [] }]
  return requestHeaders?.Authorization?.startsWith('Basic') ? [{ basic: [] }] : []
}

function describeContent(operation: Operation, schemas: SharedSchemas): JsonObject {
  if (operation.access === 'stream')
    return { content: { 'text/event-stream': { schema: describeEvents(operation, schemas) } } }
  if ('mediaTypes' in operation) return { content: Object.fromEntries(operation.mediaTypes.map((type) => [type, {}])) }
  if (operation.access === 'download') return { content: { [operation.mediaType]: {} } }
  const { name, answer } = operation
  const { type, title } = answer as { type?: string; title?: string }
  if (type === 'null') return {}
  const own = `${name[0]!.toUpperCase()}${name.slice(1)}Answer`
  const schema = type === 'object' ? schemas.share(answer, title ?? own) : schemas.publish(answer)
  return { content: { 'application/json': { schema } } }
}

/** The events of a stream as the list that they form, each with its name and the JSON in its data. */
function describeEvents({ events, answer }: StreamOperation, schemas: SharedSchemas): JsonObject {
  const items = Object.entries(events).map(([event, { about, data }]) => ({
    type: 'object',
    title: event,
    description: about,
    required: ['event', 'data'],
    properties: {
      event: { const: event },
      id: { type: 'string', description: 'Where the client is; browsers send it back as Last-Event-ID' },
      data: { type: 'string', contentMediaType: 'application/json', contentSchema: schemas.publish(data) },
    },
  }))
  return { ...schemas.publish(answer), type: 'array', items: { oneOf: items } }
}
