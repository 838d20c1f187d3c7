/** The parts of an OpenAPI document that the client is generated from. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly contentSchema?: Schema
  readonly title?: string
}
interface DescribedOperation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly {
    name?: string
    in?: string
    required?: boolean
    schema?: Schema
    example?: unknown
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema?: Schema }>> }
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema?: Schema }>> }>>
}
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)
const isWord = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name)
const join = (parts: readonly string[]): string => [...new Set(parts)].join(' | ')

/** Returns the TypeScript type of a schema, as text. */
function typeOf(schema: Schema | undefined): string {
  if (!schema) return 'unknown'
  if (schema.$ref) return nameOf(schema.$ref)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return join(schema.enum.map((one) => JSON.stringify(one)))
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return join(choices.map(typeOf))
  if (typeof schema.type === 'object') return join(schema.type.map((type) => typeOf({ ...schema, type })))
  switch (schema.type) {
    case 'array': {
      const item = typeOf(schema.items)
      return /[ |]/.test(item) ? `(${item})[]` : `${item}[]`
    }
    case 'object':
      return objectOf(schema)
    case 'integer':
      return 'number'
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type
    default:
      return 'unknown'
  }
}

function objectOf({ properties, patternProperties, required = [] }: Schema): string {
  if (!properties || Object.keys(properties).length === 0) {
    const values = patternProperties && Object.values(patternProperties)[0]
    return `Record<string, ${values ? typeOf(values) : 'unknown'}>`
  }
  const fields = Object.entries(properties).map(([name, schema]) => {
    const key = isWord(name) ? name : JSON.stringify(name)
    return `${key}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`
  })
  return `{ ${fields.join('; ')} }`
}

/**
 * Returns the type of an operation's input: all its fields, whether they are sent in the path, the query or the body.
 */
function inputOf({ parameters = [], requestBody }: DescribedOperation): string {
  const body = requestBody?.content['application/json']?.schema
  const fields = parameters.filter(({ in: place }) => place === 'query' || place === 'path')
  const properties = Object.fromEntries(fields.map(({ name, schema }) => [name, schema ?? {}])) as Record<
    string,
    Schema
  >
  const required = fields.flatMap(({ name, required }) => (required ? [name!] : []))
  const all: Schema = {
    properties: { ...properties, ...body?.properties },
    required: [...required, ...(body?.required ?? [])],
  }
  return Object.keys(all.properties!).length === 0 ? 'Record<never, never>' : objectOf(all)
}

/** Returns the type of a stream's events: the data of each event, by event name. */
function eventsOf(schema: Schema | undefined): string {
  const events = schema?.items?.oneOf ?? schema?.items?.anyOf ?? (schema?.items ? [schema.items] : [])
  const fields = events.map(({ title, properties }) => `${title}: ${typeOf(properties?.data?.contentSchema)}`)
  return `{ ${fields.join('; ')} }`
}

/** Returns the fixed headers of an operation. A protocol's version header is sent with the value from its example. */
function headersOf({ parameters = [] }: DescribedOperation): string {
  const versions = parameters.filter(({ name = '', in: place }) => place === 'header' && name.endsWith('-Version'))
  const said = Object.fromEntries(versions.map(({ name, example }) => [name, example]))
  return versions.length > 0 ? `, ${JSON.stringify(said)}` : ''
}

/**
 * Renders the declaration of an operation. For pages, images and files, which browsers load themselves, the declared
 * function only returns a URL.
 */
function renderOperation(path: string, method: string, described: DescribedOperation): string {
  const { operationId, summary, requestBody, responses } = described
  const [answered, answer] = Object.entries(responses['200']?.content ?? {})[0] ?? []
  const place = `'${path}'`
  const name = `'${operationId}'`
  const verb = `'${method.toUpperCase()}'`
  const input = inputOf(described)
  const make = (): string => {
    if (answered === 'text/event-stream') return `stream<${input}, ${eventsOf(answer?.schema)}>(${place})`
    if (method === 'get' && answered !== 'application/json') return `address<${input}>(${place})`
    const output = answered === 'application/json' ? typeOf(answer?.schema) : 'Blob'
    const isFile = requestBody && !requestBody.content['application/json']
    return `${isFile ? 'upload' : 'operation'}<${input}, ${output}>(${name}, ${verb}, ${place}${headersOf(described)})`
  }
  return `/** ${summary}. */\nexport const ${operationId} = /* @__PURE__ */ ${make()}\n`
}

/**
 * Renders a client for the whole API: a type for each schema and a function for each operation. Bundlers drop those
 * that are not used.
 */
export function renderClient({ paths, components }: ApiDocument): string {
  const types = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf({ ...schema })}\n`,
  )
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { responses }]) => !responses['200']?.content?.['text/html'])
      .map(([method, described]) => renderOperation(path, method, described)),
  )
  return [
    '// Made by `npm run docs` from the description of the interface (docs/openapi.json). Do not edit it.',
    "import { address, operation, stream, upload } from './call.ts'\n",
    ...types,
    ...operations,
  ].join('\n')
}
