import { hash } from 'node:crypto'
import { normaliseHandle } from '../../identity/people/handles.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import type { Forget } from '../../kernel/forget.ts'
import { checkLaunchContext, checkLaunchWrite, isPreferences } from '../registrations/access.ts'
import { notePreferences } from '../registrations/fetching.ts'
import { LAUNCH_DATA } from '../registrations/names.ts'
import { identify, keyOf } from '../statements/model/agents.ts'
import { bases } from '../statements/model/names.ts'
import type { XapiCaller } from '../xapi/statements.ts'
import type { DocumentContext, Preconditions } from './document.ts'
import { checkPosted, findRefusal, merge } from './rules.ts'
import * as store from './store.ts'

interface Document {
  readonly contentType: string
  readonly contents: Buffer<ArrayBuffer>
}

/** A document as it was sent. `json` is its text if it is JSON. */
export type SentDocument = Document & { readonly json: string | undefined }

export type StoredDocument = Document & { readonly etag: string; readonly updated: Date }

type Services = Pick<Environment, 'config' | 'get'>

/** The maximum number of ids in a list, because lists are not paginated. */
const MOST_IDS = 10_000
/**
 * The maximum number of documents that a person may store with access tokens, which anybody can obtain. Keys have no
 * such limit, because administrators issue them.
 */
export const PERSON_DOCUMENTS = 1000
/** The maximum total size of these documents. */
export const PERSON_BYTES = 16 * 1024 * 1024

export const etagOf = (contents: Buffer): string => hash('sha1', contents)

/**
 * Stores a document. PUT replaces the stored document, POST merges into it. What is written with a token of an app
 * belongs to that app (decision 63).
 */
export async function writeDocument(
  db: Db,
  who: XapiCaller,
  what: DocumentContext &
    Preconditions & { readonly id: string; readonly method: 'PUT' | 'POST'; readonly document: SentDocument },
  services: Services,
): Promise<void> {
  const { method, document } = what
  refuseForeign(who, what, services)
  if (who.launch) checkLaunchWrite(what, method, document)
  const isMerged = method === 'POST'
  if (isMerged) checkPosted(document.contentType, document.json)
  const key = keyOfDocument(what, what.id)
  await db.transaction(async (tx) => {
    const isPersons = who.appId !== undefined || who.launch !== undefined
    const owner = isPersons ? await lockOwner(tx, who.personId!) : undefined
    const before = await tx.first(store.holdDocument, { key, app: appOf(who), withContents: isMerged })
    const refusal = findRefusal({ ...what, version: who.version }, before?.etag)
    if (refusal) throw refusal
    const contents = before && isMerged ? mergeWith(before, document) : document.contents
    if (contents.length > services.config.BODY_LIMIT_BYTES)
      throw fail('bodyTooLarge', 'The merged document would be too large; PUT a smaller one')
    // A key replaces the document of the app that wrote it. An app never changes what a key wrote: it gets its own
    // copy.
    const app = who.appId ?? before?.app_id ?? null
    const replaced = before?.app_id === app ? before : undefined
    const written = { key, app, contentType: document.contentType, contents, etag: etagOf(contents), now: who.at }
    if (replaced) await tx.all(store.replaceDocument, { ...written, isCommon: app === null && !isMerged })
    else if (!(await insertDocument(tx, who, what, written, services))) return writeDocument(tx, who, what, services)
    if (owner !== undefined && contents.length > (replaced?.bytes ?? -1)) await refuseExcess(tx, owner)
  })
}

/** Locks the token's person, who then cannot be deleted before the commit. Throws if there is no such person. */
async function lockOwner(tx: Tx, personId: number): Promise<string> {
  const person = await tx.first(store.lockPerson, { person: personId })
  if (!person) throw fail('tokenInvalid')
  return person.handle
}

const mergeWith = (before: RowOf<typeof store.holdDocument>, { json }: SentDocument): Buffer<ArrayBuffer> =>
  merge({ contentType: before.content_type, contents: before.contents! }, json)

/** Inserts a document. Returns false if a concurrent request has inserted it first. */
async function insertDocument(
  tx: Tx,
  who: XapiCaller,
  context: DocumentContext & { readonly id: string },
  written: {
    key: string
    app: number | null
    contentType: string
    contents: Buffer<ArrayBuffer>
    etag: string
    now: Date
  },
  { get }: Services,
): Promise<boolean> {
  const { kind, agent, activityId = null, registration, id } = context
  const account = agent?.account
  const row = await tx.first(store.insertDocument, {
    ...written,
    person: who.personId ?? null,
    credential: who.credentialId ?? null,
    context: keyOfContext(context),
    kind,
    handle: account?.homePage.replace(/\/$/, '') === get(bases).homePage ? normaliseHandle(account.name) : null,
    activity: activityId,
    registration: registration ?? null,
    id,
  })
  return row !== undefined
}

async function refuseExcess(tx: Tx, handle: string): Promise<void> {
  const { count, bytes } = (await tx.first(store.measure, { handle }))!
  if (count > PERSON_DOCUMENTS || bytes > PERSON_BYTES)
    throw fail(
      'storageFull',
      `A user can have at most ${PERSON_DOCUMENTS} documents and ${PERSON_BYTES} bytes in total; delete some`,
    )
}

export async function readDocument(
  db: Db,
  who: XapiCaller,
  what: DocumentContext & { readonly id: string },
  services: Services,
): Promise<StoredDocument> {
  refuseForeign(who, what, services)
  if (who.launch && isPreferences(what)) await notePreferences(db, who, who.launch.launch_id)
  const row = await db.first(store.findDocument, { key: keyOfDocument(what, what.id), app: appOf(who) })
  if (!row) throw fail('notFound', 'There is no such document')
  const { content_type: contentType, ...document } = row
  return { contentType, ...document }
}

/**
 * Lists the ids of the documents that were written after a given time, oldest first, and the time of the newest one.
 */
export async function listDocuments(
  db: Db,
  who: XapiCaller,
  what: DocumentContext & { readonly since?: Date | undefined },
  services: Services,
): Promise<{ readonly ids: string[]; readonly updated: Date | undefined }> {
  refuseForeign(who, what, services)
  const { registration, since = null } = what
  const rows = await db.all(store.listDocuments, {
    context: keyOfContext(what),
    app: appOf(who),
    registration: registration ?? null,
    since,
    limit: MOST_IDS + 1,
  })
  if (rows.length > MOST_IDS || rows.length < (rows[0]?.found ?? 0))
    throw fail(
      'impossibleNow',
      `There are more than ${MOST_IDS} documents, or their ids are too long for one list; narrow the list with since, or for states with registration`,
    )
  return { ids: [...new Set(rows.map(({ id }) => id))], updated: rows.at(-1)?.updated }
}

/** Deletes a document, if it exists, with those of other apps of the same name that the caller sees. */
export async function deleteDocument(
  db: Db,
  who: XapiCaller,
  what: DocumentContext & Preconditions & { readonly id: string },
  services: Services,
): Promise<void> {
  refuseForeign(who, what, services)
  if (who.launch) checkLaunchWrite(what, 'DELETE')
  const key = keyOfDocument(what, what.id)
  await db.transaction(async (tx) => {
    const before = await tx.first(store.holdDocument, { key, app: appOf(who), withContents: false })
    const refusal = findRefusal({ ...what, method: 'DELETE', version: who.version }, before?.etag)
    if (refusal) throw refusal
    if (before) await tx.all(store.deleteDocument, { key, app: appOf(who), etag: what.match ? before.etag : null })
  })
}

/** Deletes all state documents of an agent for an activity, optionally only those of one registration. */
export async function deleteState(
  db: Db,
  who: XapiCaller,
  what: DocumentContext & Preconditions,
  services: Services,
): Promise<void> {
  refuseForeign(who, what, services)
  if (who.launch) checkLaunchWrite({ ...what, id: LAUNCH_DATA }, 'DELETE')
  if (what.match || what.noneMatch)
    throw fail('badRequest', 'If-Match and If-None-Match apply to one document: send its stateId, or leave them out')
  const registration = what.registration ?? null
  await db.all(store.deleteDocuments, { context: keyOfContext(what), app: appOf(who), registration })
}

export async function* exportDocuments(db: Db, personId: number): AsyncGenerator<unknown> {
  for (let [after, afterApp] = ['00000000-0000-0000-0000-000000000000', 0]; ; ) {
    const rows = await db.all(store.exportOfPerson, { person: personId, after, afterApp })
    for (const { document_key, app_no, client_id, activity_id, content_type, contents, ...row } of rows) {
      const text = contents.toString()
      const isText = Buffer.from(text).equals(contents)
      yield {
        ...row,
        clientId: client_id,
        activityId: activity_id,
        contentType: content_type,
        ...(isText ? { contents: text } : { contentsInBase64: contents.toString('base64') }),
      }
    }
    if (rows.length === 0) return
    ;({ document_key: after, app_no: afterApp } = rows.at(-1)!)
  }
}

/** Deletes a person's documents when the person is deleted. */
export const forgetDocuments: Forget = {
  forgetPerson: async (tx, _who, personId) => {
    await tx.all(store.deleteOfPerson, { person: personId })
  },
}

/** Refuses callers who may use only the documents of one account: tokens of apps, and content of packages. */
function refuseForeign(who: XapiCaller, context: DocumentContext, { get }: Services): void {
  const { agent } = context
  if (who.launch) checkLaunchContext(who.launch, context, { get })
  if (who.appId === undefined) return
  const own = identify({ account: { homePage: get(bases).homePage, name: who.handle! } })
  if (!agent || identify(agent) !== own)
    throw fail('forbidden', `With a token, agent must be the account of its user: ${own!.slice('account '.length)}`)
}

/** The app whose documents the caller sees; null if the caller sees those of all apps. */
const appOf = ({ appId }: XapiCaller): number | null => appId ?? null

const keyOfContext = ({ kind, agent, activityId }: DocumentContext): string =>
  keyOf(JSON.stringify([kind, agent && identify(agent), activityId]))

const keyOfDocument = (context: DocumentContext, id: string): string =>
  keyOf(JSON.stringify([keyOfContext(context), context.registration, id]))
