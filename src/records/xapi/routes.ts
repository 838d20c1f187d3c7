import { fail } from '../../kernel/errors.ts'
import { anyone } from '../../kernel/http/callers/callers.ts'
import { parseStrictJson } from '../../kernel/http/input/json.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { JSON_TYPE } from '../../kernel/http/output/media-types.ts'
import { type RawAnswer, raw } from '../../kernel/http/output/output.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import { BASE_URL } from '../../kernel/samples.ts'
import { scope } from '../credentials/caller.ts'
import { roundParsed } from '../statements/model/extensions.ts'
import { timestampOf } from '../statements/model/times.ts'
import { baseOf, xapiCaller } from './caller.ts'
import { MOST_SENT } from './checking.ts'
import { getActivity, getPerson } from './knowledge.ts'
import { parseLanguages } from './languages.ts'
import { parseMixed, writeMixed } from './multipart.ts'
import { versionHeader, xapiProtocol } from './protocol.ts'
import { GetAbout, GetActivity, GetAgent, GetStatements, PutStatement, SendStatements } from './schema.ts'
import { type SentStatements, sendStatements } from './sending.ts'
import { getStatements, lastSeen, type StatementsAnswer } from './statements.ts'

const op = operationsIn({ area: 'Record store', who: xapiCaller, scope: 'statements', protocol: xapiProtocol() })
/** Adds a header to every response of the statements resource: the time up to which all statements can be read. */
const statementsProtocol = xapiProtocol((request, environment) => ({
  ...versionHeader(request),
  ...throughHeader(lastSeen(environment)),
}))
const VERSION = { 'X-Experience-API-Version': 'The version of xAPI of the request: 1.0.3 or 2.0.0' }
const THROUGH = { 'X-Experience-API-Consistent-Through': 'Everything that was stored up to this time can be read' }
const LANGUAGES = { 'Accept-Language': 'The preferred languages of names and descriptions' }
/** The maximum number of parts in a multipart body: one for the statements, and one for each attachment. */
const MOST_PARTS = 1 + MOST_SENT

const headers = { 'X-Experience-API-Version': '2.0.0' }
/** The statement in the examples of the record store's operations. */
const statement = {
  id: '5e2f6d3a-8f41-4b0e-9a53-1c1d7a3f9d10',
  actor: { objectType: 'Agent', account: { homePage: BASE_URL, name: '@avery' } },
  verb: { id: 'http://adlnet.gov/expapi/verbs/experienced', display: { en: 'experienced' } },
  object: { objectType: 'Activity', id: 'https://school.example/simulator/crosswind' },
  result: { success: true, score: { scaled: 0.8 }, duration: 'PT1H30M' },
}

export const xapiOperations: readonly Operation[] = [
  op('POST /xapi/statements', {
    name: 'sendStatements',
    summary: 'Store xAPI statements',
    description:
      'Stores statements, for any tool that uses xAPI. Sending a statement again changes nothing; a different one with the same id is refused with 409. Either all statements of a batch are stored or none, and each fault is reported with its location.',
    example: { request: { body: [statement] }, headers },
    protocol: statementsProtocol,
    needs: [scope('statements/write')],
    input: SendStatements,
    from: 'raw',
    bodyBytes: ({ XAPI_BODY_BYTES }) => XAPI_BODY_BYTES,
    requestHeaders: VERSION,
    output: raw({ 200: { about: 'The ids of the statements, in order', mediaTypes: ['application/json'] } }, THROUGH),
    errors: ['conflict', 'forbidden', 'storageFull'],
    run: async ({ environment, db, who, request }, { body }) => {
      const { ids, through } = await sendStatements(db, who, readSent(request, body), environment)
      return { status: 200, headers: { ...JSON_HEADERS, ...throughHeader(through) }, body: JSON.stringify(ids) }
    },
  }),
  op('PUT /xapi/statements', {
    name: 'putStatement',
    summary: 'Store an xAPI statement by id',
    description:
      'Stores one statement under the id in the query. Sending it again changes nothing, so it is safe to repeat after a lost response.',
    example: { request: { statementId: statement.id, body: statement }, headers },
    protocol: statementsProtocol,
    needs: [scope('statements/write')],
    input: PutStatement,
    from: 'raw',
    bodyBytes: ({ XAPI_BODY_BYTES }) => XAPI_BODY_BYTES,
    requestHeaders: VERSION,
    output: raw({ 204: { about: 'Stored, or already stored' } }, THROUGH),
    errors: ['conflict', 'forbidden', 'storageFull'],
    run: async ({ environment, db, who, request }, { statementId, body }) => {
      const sent = { ...readSent(request, body), statementId }
      const { through } = await sendStatements(db, who, sent, environment)
      return { status: 204, headers: throughHeader(through) }
    },
  }),
  op('GET /xapi/statements', {
    name: 'getStatements',
    summary: 'List xAPI statements',
    description:
      'Returns statements by id or with filters, newest first, a page at a time; `more` is the path of the next page and is valid for a day. A caller with only the scope statements/read/mine sees what they have sent themselves. A statement that refers to another one is also found if that one matches.',
    example: { request: { verb: statement.verb.id, limit: 10 }, headers, after: 'sendStatements' },
    protocol: statementsProtocol,
    needs: [scope('statements/read', 'statements/read/mine')],
    input: GetStatements,
    requestHeaders: { ...VERSION, ...LANGUAGES },
    output: raw(
      {
        200: {
          about: 'A statement, or `statements` and `more`, the path of the next page',
          mediaTypes: ['application/json', 'multipart/mixed'],
        },
      },
      { ...THROUGH, 'Last-Modified': 'When the statement was stored, if one is requested by id' },
    ),
    // People who browse statements in the pages.
    mayLag: ({ personId, appId }) => personId !== undefined && appId === undefined,
    errors: ['notFound'],
    run: async ({ environment, db, who, request }, input) => {
      const what = { ...input, languages: languagesOf(request), base: baseOf(request) }
      return answerStatements(await getStatements(db, who, what, environment))
    },
  }),
  op('GET /xapi/activities', {
    name: 'getActivity',
    summary: 'Get an activity',
    description:
      'Returns the complete definition of an activity, merged from statements whose senders have the scope define. Names and descriptions come in all languages, whatever `Accept-Language` says.',
    example: { request: { activityId: statement.object.id }, headers, after: 'sendStatements' },
    needs: [scope('statements/read', 'statements/read/mine', 'state', 'profile')],
    input: GetActivity,
    requestHeaders: VERSION,
    output: raw({ 200: { about: 'The activity', mediaTypes: ['application/json'] } }),
    run: async ({ db }, input) => answerJson(await getActivity(db, input)),
  }),
  op('GET /xapi/agents', {
    name: 'getAgent',
    summary: 'Get an agent',
    description:
      'Returns a Person as in the xAPI specification: the identifier, and the names that the agent has had in statements. Other identifiers of the person are not revealed.',
    example: {
      request: { agent: JSON.stringify(statement.actor) },
      headers,
      as: 'ellis',
      after: 'sendStatements',
    },
    needs: [scope('statements/read', 'profile')],
    input: GetAgent,
    requestHeaders: VERSION,
    output: raw({ 200: { about: 'A Person, in which every property is a list', mediaTypes: ['application/json'] } }),
    run: async ({ db, who, environment }, input) => answerJson(await getPerson(db, who, input, environment)),
  }),
  op('GET /xapi/about', {
    name: 'getAbout',
    summary: 'Get xAPI versions',
    description:
      'Returns the supported versions of xAPI, from which clients choose one. It needs no key and no version header.',
    who: anyone,
    input: GetAbout,
    output: raw({ 200: { about: 'The versions', mediaTypes: ['application/json'] } }),
    run: async () => answerJson({ version: ['2.0.0', '1.0.3'] }),
  }),
]

const JSON_HEADERS = { 'content-type': JSON_TYPE }
const throughHeader = (through: number) => ({ 'x-experience-api-consistent-through': timestampOf(through) })
const answerJson = (value: object): RawAnswer => ({ status: 200, headers: JSON_HEADERS, body: JSON.stringify(value) })
const languagesOf = ({ headers }: HttpRequest): string[] => parseLanguages(headers['accept-language'])

function answerStatements({ text, through, seq, attachments }: StatementsAnswer): RawAnswer {
  const headers = {
    ...throughHeader(through),
    ...(seq === undefined ? {} : { 'last-modified': new Date(Math.floor(seq / 1000)).toUTCString() }),
  }
  if (!attachments) return { status: 200, headers: { ...JSON_HEADERS, ...headers }, body: text }
  const { type, body } = writeMixed([
    { headers: { 'Content-Type': 'application/json' }, content: Buffer.from(text) },
    ...attachments.map(({ sha2, contentType, bytes }) => ({
      headers: { 'Content-Type': contentType, 'Content-Transfer-Encoding': 'binary', 'X-Experience-API-Hash': sha2 },
      content: bytes,
    })),
  ])
  return { status: 200, headers: { ...headers, 'content-type': type }, body }
}

/**
 * Reads the body of a request: JSON, or multipart/mixed with JSON first and then the bytes of attachments
 * (xAPI-Communication 1.5).
 */
function readSent({ headers }: HttpRequest, body: Buffer): SentStatements {
  const contentType = headers['content-type'] ?? ''
  const type = typeOf(contentType)
  if (type === 'application/json') return { body: readJson(body), bytes: body.length, parts: [] }
  if (type !== 'multipart/mixed')
    throw fail('badRequest', 'Send statements as application/json, or as multipart/mixed with their attachments')
  const [first, ...others] = parseMixed(body, contentType, MOST_PARTS)
  if (!first || typeOf(first.headers.get('content-type') ?? '') !== 'application/json')
    throw fail('badRequest', 'The first part of the body must be the statements, as application/json')
  const parts = others.map(({ headers: own, content }, i) => {
    if (own.get('content-transfer-encoding')?.toLowerCase() !== 'binary')
      throw fail('badRequest', `Part ${i + 2} of the body must have Content-Transfer-Encoding: binary`)
    const length = own.get('content-length')
    if (length !== undefined && Number(length) !== content.length)
      throw fail(
        'badRequest',
        `Part ${i + 2} of the body has ${content.length} bytes, but its Content-Length is ${length}`,
      )
    return { hash: own.get('x-experience-api-hash'), bytes: content }
  })
  return { body: readJson(first.content), bytes: first.content.length, parts }
}

const typeOf = (contentType: string): string => /^[^;\s]*/.exec(contentType)![0].toLowerCase()

function readJson(body: Buffer): unknown {
  const value = roundParsed(parseStrictJson(body))
  if (value === undefined) throw fail('badRequest', 'The body is empty; send a statement or an array of them')
  return value
}
