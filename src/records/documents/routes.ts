import type { TObject } from 'typebox'
import { fail } from '../../kernel/errors.ts'
import { parseStrictJson } from '../../kernel/http/input/json.ts'
import { type Context, type Operation, operation } from '../../kernel/http/operation.ts'
import { hasAlready } from '../../kernel/http/output/etags.ts'
import { type RawAnswer, raw } from '../../kernel/http/output/output.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import { recordStore, scope } from '../credentials/caller.ts'
import type { Scope } from '../credentials/scopes.ts'
import { isMediaType } from '../statements/model/forms.ts'
import { resource, xapi } from '../xapi/caller.ts'
import type { XapiCaller } from '../xapi/statements.ts'
import { type DocumentKind, isJson, type Preconditions, parseTags } from './document.ts'
import {
  deleteDocument,
  deleteState,
  etagOf,
  listDocuments,
  readDocument,
  type SentDocument,
  writeDocument,
} from './documents.ts'
import { examples } from './examples.ts'
import { type Parameters, readContext, readSince } from './parameters.ts'
import { ActivityProfile, AgentProfile, State } from './schema.ts'

type Input = Parameters & { readonly document?: Buffer<ArrayBuffer> }

interface Resource {
  readonly kind: DocumentKind
  readonly path: string
  /** The end of its operations' names, such as `readState`. */
  readonly name: keyof typeof examples
  readonly about: string
  readonly scope: Scope
  readonly inputs: typeof State | typeof ActivityProfile | typeof AgentProfile
}

const RESOURCES: readonly Resource[] = [
  {
    kind: 'state',
    path: '/xapi/activities/state',
    name: 'State',
    about: "a document of an agent's state in an activity",
    scope: 'state',
    inputs: State,
  },
  {
    kind: 'activity profile',
    path: '/xapi/activities/profile',
    name: 'ActivityProfile',
    about: 'a document about an activity',
    scope: 'profile',
    inputs: ActivityProfile,
  },
  {
    kind: 'agent profile',
    path: '/xapi/agents/profile',
    name: 'AgentProfile',
    about: 'a document about an agent',
    scope: 'profile',
    inputs: AgentProfile,
  },
]

const VERSION_HEADER = { 'X-Experience-API-Version': 'The version of xAPI: 1.0.3 or 2.0.0' }
const CONDITIONS = {
  ...VERSION_HEADER,
  'If-Match': 'Only if the document has one of these ETags',
  'If-None-Match': 'Only if it has none of these ETags; `*`: only if there is no document',
}

/** A document that is opened in a browser is only shown: it has no scripts, no forms and no origin. */
const SANDBOX = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox" }

const DONE = raw({ 204: { about: 'Done' } })

const operationsOf = ({ kind, path, name, about, scope: needed, inputs }: Resource): Operation[] => {
  const common = {
    ...resource(path),
    area: 'Record store',
    who: xapi(recordStore),
    needs: [scope(needed)],
    ...(kind === 'state' ? { role: 'with a token: the agent themselves' } : {}),
  } as const
  const write = (method: 'PUT' | 'POST') =>
    operation<XapiCaller, TObject, RawAnswer>({
      ...common,
      ...examples[name][method],
      name: `${method === 'PUT' ? 'put' : 'merge'}${name}`,
      summary: method === 'PUT' ? `Keeps ${about}` : `Keeps ${about}, or merges it with the one that is there`,
      method,
      input: inputs.write,
      from: 'raw',
      hasLargeBody: true,
      requestHeaders: CONDITIONS,
      output: DONE,
      errors: [
        'badRequest',
        'validationFailed',
        'preconditionFailed',
        ...(method === 'PUT' ? (['conflict'] as const) : []),
        ...(kind === 'state' ? (['storageFull'] as const) : []),
      ],
      run: async (context, input) => {
        const { document: body, ...parameters } = input as Input
        const document = readDocumentSent(context.request, body!)
        const what = { ...contextOf(kind, context, parameters), id: idOf(parameters)!, method, document }
        await writeDocument(context.db, context.who, what, context.environment)
        return { status: 204, headers: {} }
      },
    })
  return [
    write('PUT'),
    write('POST'),
    operation<XapiCaller, TObject, RawAnswer>({
      ...common,
      ...examples[name].GET,
      name: `read${name}`,
      summary: `Reads ${about}, or lists their ids`,
      method: 'GET',
      input: inputs.read,
      from: 'query',
      requestHeaders: { ...VERSION_HEADER, 'If-None-Match': 'ETags that the client has already' },
      output: raw(
        {
          200: { about: 'The document as it was sent, or the ids as a JSON array', mediaTypes: ['*/*'] },
          304: { about: 'The client has it already' },
        },
        {
          ETag: 'SHA-1 of the body, in hex',
          'Last-Modified': 'When the document was written, or the newest of the list',
        },
      ),
      errors: ['validationFailed', 'notFound', 'impossibleNow'],
      run: (context, input) => read(kind, context, input as Input),
    }),
    operation<XapiCaller, TObject, RawAnswer>({
      ...common,
      ...examples[name].DELETE,
      name: `delete${name}`,
      summary: kind === 'state' ? `Deletes ${about}, or all of them` : `Deletes ${about}`,
      method: 'DELETE',
      input: kind === 'state' ? State.some : inputs.one,
      from: 'query',
      requestHeaders: CONDITIONS,
      output: DONE,
      errors: ['badRequest', 'validationFailed', 'preconditionFailed'],
      run: async (context, input) => {
        const { db, who, environment } = context
        const what = contextOf(kind, context, input as Input)
        const id = idOf(input as Input)
        if (id === undefined) await deleteState(db, who, what, environment)
        else await deleteDocument(db, who, { ...what, id }, environment)
        return { status: 204, headers: {} }
      },
    }),
  ]
}

export const documentOperations: readonly Operation[] = RESOURCES.flatMap(operationsOf)

async function read(kind: DocumentKind, context: Context<XapiCaller>, input: Input): Promise<RawAnswer> {
  const { db, who, environment } = context
  const what = readContext(kind, who.version, input)
  const since = readSince(who.version, input)
  const id = idOf(input)
  if (id !== undefined) {
    const { contentType, contents, etag, updated } = await readDocument(db, who, { ...what, id }, environment)
    return answer(context.request, etag, updated, { 'content-type': contentType, ...SANDBOX }, contents)
  }
  const { ids, updated } = await listDocuments(db, who, { ...what, since }, environment)
  const body = Buffer.from(JSON.stringify(ids))
  return answer(context.request, etagOf(body), updated, { 'content-type': 'application/json' }, body)
}

function answer(
  request: HttpRequest,
  etag: string,
  updated: Date | undefined,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): RawAnswer {
  const quoted = `"${etag}"`
  const tagged = { etag: quoted, ...(updated && { 'last-modified': updated.toUTCString() }) }
  return hasAlready(request, quoted)
    ? { status: 304, headers: tagged }
    : { status: 200, headers: { ...tagged, ...headers }, body }
}

const contextOf = (kind: DocumentKind, { who, request }: Context<XapiCaller>, input: Parameters) => ({
  ...readContext(kind, who.version, input),
  ...conditionsOf(request),
})

const conditionsOf = ({ headers }: HttpRequest): Preconditions => ({
  match: parseTags(headers['if-match']),
  noneMatch: parseTags(headers['if-none-match']),
})

const idOf = ({ stateId, profileId }: Parameters): string | undefined => stateId ?? profileId

function readDocumentSent(request: HttpRequest, contents: Buffer<ArrayBuffer>): SentDocument {
  const contentType = request.oneHeader('content-type') ?? 'application/octet-stream'
  if (contentType.length > 200 || !isMediaType(contentType))
    throw fail('badRequest', 'Content-Type must be a media type of up to 200 characters, such as application/json')
  // A document with the media type of JSON must be valid JSON (3.2), so that it can be merged.
  const json = isJson(contentType) ? parseStrictJson(contents) : undefined
  if (isJson(contentType) && json === undefined)
    throw fail('badRequest', 'The document is empty, which is not valid JSON')
  return { contentType, contents, json }
}
