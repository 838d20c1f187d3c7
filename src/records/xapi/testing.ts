import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { readPages } from '../../operations/testing/pages.ts'
import type { Answer, Client, TestApp } from '../../operations/testing/testing.ts'
import type { Scope } from '../credentials/scopes.ts'
import { makeTestKey } from '../credentials/testing.ts'
import type { Attachment, Statement, Version } from '../statements/model/statement.ts'
import { type MixedPart, parseMixed } from './multipart.ts'

export const STATEMENTS = '/xapi/statements'
export const VERSION_HEADER = 'x-experience-api-version'
export const THROUGH_HEADER = 'x-experience-api-consistent-through'
export const VERSIONS: readonly Version[] = ['1.0.3', '2.0.0']

/** Makes a statement about an activity that no other statement mentions. */
export const makeStatement = (more: object = {}): Statement & { id: string } => ({
  id: randomUUID(),
  actor: { mbox: 'mailto:ada@example.org' },
  verb: { id: 'https://example.org/verbs/flew' },
  object: { id: `https://example.org/sorties/${randomUUID()}` },
  ...more,
})

export const refTo = (id: string) => ({ objectType: 'StatementRef' as const, id })

export interface SendOptions {
  readonly query?: Record<string, unknown>
  readonly body?: unknown
  readonly raw?: string | Buffer
  readonly headers?: Record<string, string>
  readonly version?: Version
}
export interface Page {
  readonly statements: (Statement & { readonly id: string })[]
  readonly more: string
}

/** A client that speaks xAPI. */
export class Speaker {
  readonly client: Client
  readonly version: Version

  constructor(client: Client, version: Version = '2.0.0') {
    this.client = client
    this.version = version
  }

  as = (version: Version): Speaker => new Speaker(this.client, version)

  send = (method: string, path: string, { version, headers, ...init }: SendOptions = {}): Promise<Answer> =>
    this.client.send(method, path, { ...init, headers: { [VERSION_HEADER]: version ?? this.version, ...headers } })

  post = (body: unknown, more: SendOptions = {}): Promise<Answer> => this.send('POST', STATEMENTS, { body, ...more })
  put = (statementId: string, body: unknown, more: SendOptions = {}): Promise<Answer> =>
    this.send('PUT', STATEMENTS, { body, query: { statementId }, ...more })
  get = (query: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    this.send('GET', STATEMENTS, { query, headers })

  /** Stores statements, and returns their ids. */
  async store(...statements: object[]): Promise<string[]> {
    const answer = await this.post(statements)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  /** Reads one statement; the test fails if the caller cannot see it. */
  async read(statementId: string, more: Record<string, unknown> = {}): Promise<Statement & { id: string }> {
    const answer = await this.get({ statementId, ...more })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  /** Returns the ids of all matching statements, reading page by page. */
  async find(query: Record<string, unknown> = {}): Promise<string[]> {
    return (await this.pages(query)).flatMap(({ statements }) => statements.map(({ id }) => id))
  }

  async pages(query: Record<string, unknown> = {}): Promise<Page[]> {
    const read = async (more: string): Promise<Page> => {
      const answer = more === '' ? await this.get(query) : await this.send('GET', more)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }
    return readPages('', read, ({ more }) => more || undefined)
  }

  /** Requests statements with their attachments, and parses the multipart response. */
  async parts(
    query: Record<string, unknown>,
  ): Promise<{ headers: Headers; body: Page & Statement; parts: MixedPart[] }> {
    const { headers, bytes } = await this.#bytes(
      `${STATEMENTS}?${new URLSearchParams(query as Record<string, string>)}`,
    )
    const [first, ...parts] = parseMixed(bytes, headers.get('content-type') ?? '', 1000)
    return { headers, body: JSON.parse(first!.content.toString()), parts }
  }

  #bytes = (path: string): Promise<{ headers: Headers; bytes: Buffer }> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: this.client.token!, [VERSION_HEADER]: this.version }
      request(`${this.client.address}${path}`, { headers }, async (answer) =>
        resolve({
          headers: new Headers(answer.headers as Record<string, string>),
          bytes: await buffer(answer),
        }),
      )
        .on('error', reject)
        .end()
    })
}

/** Creates a client with a new key that has these scopes, or all scopes if none are given. */
export const makeSpeaker = async (app: TestApp, ...scopes: Scope[]): Promise<Speaker> =>
  new Speaker((await makeTestKey(app, scopes.length > 0 ? { scopes } : {})).client)

export const sha2 = (bytes: Buffer | string, algorithm = 'sha256'): string =>
  createHash(algorithm).update(bytes).digest('hex')

export const attachmentOf = (bytes: Buffer | string, more: Partial<Attachment> = {}): Attachment => ({
  usageType: 'https://example.org/usages/log',
  display: { en: 'Log' },
  contentType: 'text/plain',
  length: Buffer.byteLength(bytes),
  sha2: sha2(bytes),
  ...more,
})

export interface Part {
  readonly headers: Record<string, string>
  readonly content: Buffer | string
}
export const partOf = (content: Buffer | string, more: Record<string, string> = {}): Part => ({
  headers: {
    'Content-Type': 'text/plain',
    'Content-Transfer-Encoding': 'binary',
    'X-Experience-API-Hash': sha2(content),
    ...more,
  },
  content,
})

const BOUNDARY = 'a-boundary'
/** Writes a multipart body. It uses no library, so that tests can also write invalid bodies. */
export function writeParts(parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(({ headers, content }) => [
    `--${BOUNDARY}\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`,
    content,
    '\r\n',
  ])
  return Buffer.concat([...pieces, `--${BOUNDARY}--\r\n`].map((piece) => Buffer.from(piece)))
}

export const MIXED = { 'content-type': `multipart/mixed; boundary=${BOUNDARY}` }

/** Makes a multipart request body of statements and their attachments. */
export const withParts = (statements: unknown, ...parts: Part[]): { raw: Buffer; headers: Record<string, string> } => ({
  raw: writeParts([{ headers: { 'Content-Type': 'application/json' }, content: JSON.stringify(statements) }, ...parts]),
  headers: MIXED,
})
