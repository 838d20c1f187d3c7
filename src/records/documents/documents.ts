import { hash } from 'node:crypto'
import { normaliseHandle } from '../../identity/people/handles.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import type { Forget } from '../../kernel/forget.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { identify, keyOf } from '../statements/agents.ts'
import { bases } from '../statements/capture.ts'
import type { Agent, Version } from '../statements/statement.ts'
import { checkPosted, findRefusal, type Kind, merge, type Preconditions } from './rules.ts'
import * as store from './store.ts'

export { isJson, type Kind, type Preconditions, parseTags } from './rules.ts'

/** What a document belongs to. An agent's state has both, a profile one of them. */
export interface Place {
  readonly kind: Kind
  readonly agent?: Agent | undefined
  readonly activityId?: string | undefined
  /** In lower case. */
  readonly registration?: string | undefined
}

interface Document {
  readonly contentType: string
  readonly contents: Buffer<ArrayBuffer>
}

/** As it arrives: where it is JSON, with what it says. */
export type SentDocument = Document & { readonly json: unknown }

export type KeptDocument = Document & { readonly etag: string; readonly updated: Date }

type Who = StoreCaller & { readonly version: Version }
type Parts = Pick<Environment, 'config' | 'get'> & { readonly db: Db }

/** So many ids a list has at most: it has no pages. */
const MOST_IDS = 10_000
/** What people may have by tokens of apps, which anybody can get. Keys are given out by administrators, and have no such share. */
export const PERSON_DOCUMENTS = 1000
export const PERSON_BYTES = 16 * 1024 * 1024

export const etagOf = (contents: Buffer): string => hash('sha1', contents)

/** PUT replaces what is there, POST merges with it. */
export async function writeDocument(
  parts: Parts,
  who: Who,
  what: Place &
    Preconditions & { readonly id: string; readonly method: 'PUT' | 'POST'; readonly document: SentDocument },
): Promise<void> {
  const { method, document } = what
  checkOwn(parts, who, what)
  const isMerged = method === 'POST'
  if (isMerged) checkPosted(document.contentType, document.json)
  const key = keyOfDocument(what, what.id)
  await parts.db.transaction(async (tx) => {
    const owner = who.appId === undefined ? undefined : await holdOwner(tx, who.personId!)
    const before = await tx.first(store.holdDocument, { key, withContents: isMerged })
    const refusal = findRefusal({ ...what, version: who.version }, before?.etag)
    if (refusal) throw refusal
    const contents = before && isMerged ? mergeWith(before, document) : document.contents
    if (contents.length > parts.config.BODY_LIMIT_BYTES)
      throw fail('bodyTooLarge', 'The merged document would be too large; PUT a smaller one')
    const now = { key, contentType: document.contentType, contents, etag: etagOf(contents), now: who.at }
    if (before) await tx.all(store.replaceDocument, now)
    else if (!(await insert(parts, tx, what, now))) return writeDocument({ ...parts, db: tx }, who, what)
    if (owner !== undefined && contents.length > (before?.bytes ?? -1)) await checkShare(tx, owner)
  })
}

/** The person of a token, who cannot leave meanwhile. */
async function holdOwner(tx: Db, personId: number): Promise<string> {
  const person = await tx.first(store.lockPerson, { person: personId })
  if (!person) throw fail('tokenInvalid')
  return person.handle
}

const mergeWith = (before: RowOf<typeof store.holdDocument>, { json }: SentDocument): Buffer<ArrayBuffer> =>
  merge({ contentType: before.content_type, contents: before.contents! }, json)

/** Whether it was made: somebody else may have been quicker, and then theirs is there. */
async function insert(
  { get }: Parts,
  tx: Db,
  place: Place & { readonly id: string },
  written: { key: string; contentType: string; contents: Buffer<ArrayBuffer>; etag: string; now: Date },
): Promise<boolean> {
  const { kind, agent, activityId = null, registration, id } = place
  const account = agent?.account
  const row = await tx.first(store.insertDocument, {
    ...written,
    context: keyOfContext(place),
    kind,
    handle: account?.homePage.replace(/\/$/, '') === get(bases).homePage ? normaliseHandle(account.name) : null,
    activity: activityId,
    registration: registration ?? null,
    id,
  })
  return row !== undefined
}

async function checkShare(tx: Db, handle: string): Promise<void> {
  const { count, bytes } = (await tx.first(store.measure, { handle }))!
  if (count > PERSON_DOCUMENTS || bytes > PERSON_BYTES)
    throw fail(
      'storageFull',
      `A person has at most ${PERSON_DOCUMENTS} documents and ${PERSON_BYTES} bytes in all; delete some`,
    )
}

export async function readDocument(
  parts: Parts,
  who: Who,
  what: Place & { readonly id: string },
): Promise<KeptDocument> {
  checkOwn(parts, who, what)
  const row = await parts.db.first(store.findDocument, { key: keyOfDocument(what, what.id) })
  if (!row) throw fail('notFound', 'There is no such document')
  const { content_type: contentType, ...kept } = row
  return { contentType, ...kept }
}

/** The ids of what was written after a moment, the oldest first; and when the newest of them was. */
export async function listDocuments(
  parts: Parts,
  who: Who,
  what: Place & { readonly since?: Date | undefined },
): Promise<{ readonly ids: string[]; readonly updated: Date | undefined }> {
  checkOwn(parts, who, what)
  const { registration, since = null } = what
  const rows = await parts.db.all(store.listDocuments, {
    context: keyOfContext(what),
    registration: registration ?? null,
    since,
    limit: MOST_IDS + 1,
  })
  if (rows.length > MOST_IDS)
    throw fail(
      'impossibleNow',
      `There are more than ${MOST_IDS} documents; narrow the list with since, or for states with registration`,
    )
  return { ids: [...new Set(rows.map(({ id }) => id))], updated: rows.at(-1)?.updated }
}

/** Deletes one document; that there is none is no mistake. */
export async function deleteDocument(
  parts: Parts,
  who: Who,
  what: Place & Preconditions & { readonly id: string },
): Promise<void> {
  checkOwn(parts, who, what)
  const key = keyOfDocument(what, what.id)
  await parts.db.transaction(async (tx) => {
    const before = await tx.first(store.holdDocument, { key, withContents: false })
    const refusal = findRefusal({ ...what, method: 'DELETE', version: who.version }, before?.etag)
    if (refusal) throw refusal
    if (before) await tx.all(store.deleteDocument, { key })
  })
}

/** Deletes all state of an agent in an activity, or in one registration of it. */
export async function deleteState(parts: Parts, who: Who, what: Place & Preconditions): Promise<void> {
  checkOwn(parts, who, what)
  if (what.match || what.noneMatch)
    throw fail('badRequest', 'If-Match and If-None-Match are about one document: send its stateId, or leave them out')
  const registration = what.registration ?? null
  await parts.db.all(store.deleteDocuments, { context: keyOfContext(what), registration })
}

export async function* exportDocuments(db: Db, personId: number): AsyncGenerator<unknown> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const rows = await db.all(store.exportOfPerson, { person: personId, after })
    for (const { document_key, activity_id, content_type, contents, ...row } of rows) {
      const text = contents.toString()
      const isText = Buffer.from(text).equals(contents)
      yield {
        ...row,
        activityId: activity_id,
        contentType: content_type,
        ...(isText ? { contents: text } : { contentsInBase64: contents.toString('base64') }),
      }
    }
    if (rows.length < 8) return
    after = rows.at(-1)!.document_key
  }
}

/** What is kept of their account goes with them. */
export const forgetDocuments: Forget = {
  forgetPerson: async (tx, _who, personId) => {
    await tx.all(store.deleteOfPerson, { person: personId })
  },
}

/** A token of an app speaks for its person alone: it reaches what belongs to their account, and nothing else. */
function checkOwn({ get }: Parts, who: Who, { agent }: Place): void {
  if (who.appId === undefined) return
  const own = identify({ account: { homePage: get(bases).homePage, name: who.handle! } })
  if (!agent || identify(agent) !== own)
    throw fail('forbidden', `With a token, agent must be the account of its user: ${own!.slice('account '.length)}`)
}

const keyOfContext = ({ kind, agent, activityId }: Place): string =>
  keyOf(JSON.stringify([kind, agent && identify(agent), activityId]))

const keyOfDocument = (place: Place, id: string): string =>
  keyOf(JSON.stringify([keyOfContext(place), place.registration, id]))
