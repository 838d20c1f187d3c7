import type { TObject } from 'typebox'
import { fail } from '../../kernel/errors.ts'
import { decodeJson, parseValidJson } from '../../kernel/http/input/json.ts'
import { type Context, type Example, type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { hasAlready } from '../../kernel/http/output/etags.ts'
import { type RawAnswer, raw } from '../../kernel/http/output/output.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import { BASE_URL } from '../../kernel/samples.ts'
import { scope } from '../credentials/caller.ts'
import type { Scope } from '../credentials/scopes.ts'
import { isMediaType } from '../statements/model/forms.ts'
import { xapiCaller } from '../xapi/caller.ts'
import { xapiProtocol } from '../xapi/protocol.ts'
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
import { type Parameters, readContext, readSince } from './parameters.ts'
import { ActivityProfile, AgentProfile, State } from './schema.ts'

const op = operationsIn({ area: 'Record store', who: xapiCaller, scope: 'statements', protocol: xapiProtocol() })

type Input = Parameters & { readonly document?: Buffer<ArrayBuffer> }

const activityId = 'https://sandhills.example.org/activities/walkaround'
const agent = JSON.stringify({ objectType: 'Agent', account: { homePage: BASE_URL, name: '@avery' } })

const READING =
  'Returns a document as it was sent, with its ETag. Without an id, returns a JSON array of the ids of up to 10,000 documents, oldest first; `since` leaves out documents that have not changed since then.'
const MERGING =
  'Merges the sent document into the stored one: if both are JSON objects, each property that is sent replaces the one of the same name. If there is no document yet, it is stored as sent.'
const PROFILE = {
  scope: 'profile',
  putting:
    'Stores a document of any kind under an id that you choose, or replaces it. Version 1.0.3 always requires If-Match or If-None-Match; version 2.0 requires one to replace a document.',
  deleting: 'Deletes a document; with If-Match, only if it has not changed. If there is none, nothing happens.',
  sender: { as: 'ellis' },
} as const

interface Resource {
  readonly kind: DocumentKind
  readonly path: `/${string}`
  /** The last part of the names of this resource's operations, such as `State` in `readState`. */
  readonly name: string
  /** This resource's document in the summaries, with its article. */
  readonly about: string
  readonly scope: Scope
  readonly inputs: typeof State | typeof ActivityProfile | typeof AgentProfile
  /** Descriptions of this resource's operations. */
  readonly putting: string
  readonly deleting: string
  /** The parameters in this resource's examples, and the person who sends the requests. */
  readonly sample: Readonly<Record<string, string>>
  readonly sender: Pick<Example, 'as'>
}

const RESOURCES: readonly Resource[] = [
  {
    kind: 'state',
    path: '/xapi/activities/state',
    name: 'State',
    about: 'a state document',
    scope: 'state',
    inputs: State,
    putting:
      "Stores a document of an agent's state in an activity, such as a bookmark or the answers so far, or replaces it. In version 2.0, replacing a document requires If-Match. With an access token, `agent` must be the account of its user.",
    deleting:
      'Deletes a state document or, without `stateId`, all state of the agent in the activity or in one registration. If there is none, nothing happens.',
    sample: { activityId, agent, registration: '3c1f2f9d-0b9d-4e52-8f0e-4a3c9a578e40', stateId: 'bookmark' },
    sender: {},
  },
  {
    kind: 'activity profile',
    path: '/xapi/activities/profile',
    name: 'ActivityProfile',
    about: 'an activity profile document',
    inputs: ActivityProfile,
    sample: { activityId, profileId: 'briefing' },
    ...PROFILE,
  },
  {
    kind: 'agent profile',
    path: '/xapi/agents/profile',
    name: 'AgentProfile',
    about: 'an agent profile document',
    inputs: AgentProfile,
    sample: { agent, profileId: 'preferences' },
    ...PROFILE,
  },
]

const VERSION_HEADER = { 'X-Experience-API-Version': 'The version of xAPI: 1.0.3 or 2.0.0' }
const CONDITIONS = {
  ...VERSION_HEADER,
  'If-Match': 'Only if the document has one of these ETags',
  'If-None-Match': 'Only if it has none of these ETags; `*`: only if there is no document',
}

/** Protects a browser that opens a document: the document runs no scripts, submits no forms and has no origin. */
const SANDBOX = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox" }

const DONE = raw({ 204: { about: 'Done' } })

const operationsOf = (resource: Resource): Operation[] => {
  const { kind, path, name, about, inputs, sample } = resource
  const common = {
    needs: [scope(resource.scope)],
    ...(kind === 'state' ? { roles: ['agent'] as const } : {}),
  } as const
  const headers = { 'X-Experience-API-Version': '2.0.0' }
  const afterPut = { headers, after: `put${name}`, ...resource.sender }
  const write = (method: 'PUT' | 'POST') =>
    op<TObject, RawAnswer>(`${method} ${path}`, {
      ...common,
      name: `${method === 'PUT' ? 'put' : 'merge'}${name}`,
      summary: `${method === 'PUT' ? 'Store' : 'Merge'} ${about}`,
      description: method === 'PUT' ? resource.putting : MERGING,
      example:
        method === 'PUT'
          ? {
              request: { ...sample, document: { bookmark: 'propeller', seen: 12 } },
              headers: { ...headers, 'If-None-Match': '*' },
              ...resource.sender,
            }
          : { request: { ...sample, document: { seen: 13 } }, ...afterPut },
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
    op<TObject, RawAnswer>(`GET ${path}`, {
      ...common,
      name: `read${name}`,
      summary: `Get ${about}`,
      description: READING,
      example: { request: sample, ...afterPut },
      input: inputs.read,
      requestHeaders: { ...VERSION_HEADER, 'If-None-Match': 'ETags of cached documents' },
      output: raw(
        {
          200: { about: 'The document as it was sent, or the ids as a JSON array', mediaTypes: ['*/*'] },
          304: { about: 'Not modified' },
        },
        {
          ETag: 'SHA-1 of the body, in hex',
          'Last-Modified': 'When the document was written, or the newest of the list',
        },
      ),
      errors: ['validationFailed', 'notFound', 'impossibleNow'],
      run: (context, input) => read(kind, context, input as Input),
    }),
    op<TObject, RawAnswer>(`DELETE ${path}`, {
      ...common,
      name: `delete${name}`,
      summary: `Delete ${about}`,
      description: resource.deleting,
      example: { request: sample, ...afterPut },
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
  return { contentType, contents, json: isJson(contentType) ? readJson(contents) : undefined }
}

/**
 * Checks that a document that is declared as JSON is valid JSON (3.2), so that it can be merged later. Nothing else
 * about it is checked: it is stored as it was sent.
 */
function readJson(contents: Buffer): string {
  if (contents.length === 0) throw fail('badRequest', 'The document is empty, which is not valid JSON')
  const text = decodeJson(contents)
  parseValidJson(text)
  return text
}
