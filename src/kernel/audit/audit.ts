import type { Caller, SignedIn } from '../caller.ts'
import type { Config } from '../config.ts'
import type { Db } from '../database/database.ts'
import type { Retention } from '../database/retention.ts'
import type { RowOf } from '../database/statement.ts'
import type { AuditAction } from './actions.ts'
import { tellSignIn } from './sign-ins.ts'
import * as store from './store.ts'

export interface AuditEntry {
  readonly action: AuditAction
  readonly personId?: number
  readonly appId?: number
  readonly sessionId?: string
  /**
   * Details for the reader; never a secret. Identify other people only by their internal id, which the data download
   * leaves out. The person whom the entry is about can download all other values.
   */
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>
}

/** Writes one entry to the audit log. Call it in the transaction of the change that the entry records. */
export async function recordAudit(db: Db, who: Caller, entry: AuditEntry): Promise<void> {
  await db.first(store.insertEntry, {
    at: who.at,
    action: entry.action,
    person: entry.personId ?? null,
    app: entry.appId ?? null,
    session: entry.sessionId ?? null,
    address: who.address,
    request: who.requestId,
    detail: JSON.stringify(detailOf(who, entry)),
  })
  tellSignIn(db, entry.action)
}

/** Writes many audit entries at once, each about one person. */
export async function recordAudits(
  db: Db,
  who: Caller,
  entries: readonly Pick<AuditEntry, 'action' | 'personId' | 'detail'>[],
): Promise<void> {
  const rows = entries.map((entry) => ({
    action: entry.action,
    person_id: entry.personId,
    detail: detailOf(who, entry),
  }))
  await db.all(store.insertEntries, {
    rows: JSON.stringify(rows),
    at: who.at,
    address: who.address,
    request: who.requestId,
  })
}

function detailOf(who: Caller, entry: AuditEntry): AuditEntry['detail'] {
  const { detail = {} } = entry
  const isSelf = !isAlwaysOwn(entry.action, detail) && isDoneBySelf(who, entry)
  return { ...doerOf(who, entry), ...detail, ...(isSelf && { self: true }) }
}

/**
 * Returns the id of the acting person, for an entry that is not about a person but, say, about an app or an
 * organisation.
 */
const doerOf = (who: Caller & Partial<SignedIn>, { personId }: AuditEntry): { by?: number } =>
  who.browserId !== undefined && who.personId !== undefined && personId === undefined ? { by: who.personId } : {}

/**
 * Actions that only the person concerned can take, in their own browser. The address in such an entry is therefore
 * theirs.
 */
const OWN_ACTIONS: readonly string[] = [
  ...[
    'sign-in.password',
    'sign-in.passkey',
    'sign-in.reset',
    'sign-in.provider',
    'sign-out',
    'sign-out.elsewhere',
    'data.exported',
  ],
  ...[
    'consent.given',
    'consent.denied',
    'consent.scopes-withdrawn',
    'consent.withdrawn',
    'device.allowed',
    'device.denied',
  ],
  ...['passkey.added', 'passkey.renamed', 'passkey.removed', 'calendar-feed.created', 'calendar-feed.deleted'],
]
/** Tells whether only the person concerned, or the parent whom `detail` names, can take this action. */
export const isAlwaysOwn = (action: string, detail: object): boolean =>
  'parent' in detail ? action.startsWith('child.') : OWN_ACTIONS.includes(action)

/**
 * Tells whether the actor was the person concerned: the parent whom the entry names or else the person whom it is
 * about. Only recorded for actions that other people can take as well.
 */
const isDoneBySelf = (who: Caller & Partial<SignedIn>, { personId, detail }: AuditEntry): boolean =>
  who.browserId !== undefined && who.personId === (detail?.parent ?? personId)

/** Numeric details that the data download includes. Other numbers may be ids of other people. */
const TOLD_NUMBERS = ['kept', 'given']
const EXPORTED_AT_ONCE = 500

/** Exports the audit entries about a person, and those about what the person did as a parent. */
export async function* exportAudit(db: Db, personId: number) {
  for (let after = { after: '-infinity', id: 0 }; ; ) {
    const page = await db.all(store.listOfPerson, { person: personId, ...after, limit: EXPORTED_AT_ONCE })
    for (const entry of page) yield tellEntry(entry, personId)
    const last = page.at(-1)
    if (!last || page.length < EXPORTED_AT_ONCE) return
    after = { after: last.position, id: last.id }
  }
}

function tellEntry(entry: RowOf<typeof store.listOfPerson>, personId: number) {
  const { at, action, client_id: clientId, session_id: sessionId, is_of_child: isOfChild } = entry
  const detail = JSON.parse(entry.detail) as Record<string, unknown>
  const isDoer = 'parent' in detail ? detail.parent === personId : !isOfChild
  const isOwn = isDoer && (detail.self === true || isAlwaysOwn(action, detail))
  return {
    at,
    action,
    about: isOfChild ? 'a child' : 'you',
    clientId,
    sessionId,
    detail: Object.fromEntries(Object.entries(detail).flatMap((fact) => tellFact(fact, personId))),
    ...(isOwn ? { address: entry.address, requestId: entry.request_id } : {}),
  }
}

const tellFact = ([name, value]: [string, unknown], personId: number): [string, unknown][] => {
  // `self` is left out: the entry in the download has an address if and only if the person acted.
  if (name === 'self') return []
  if (name === 'parent') return [[name, value === personId ? 'you' : 'a parent']]
  return typeof value === 'number' && !TOLD_NUMBERS.includes(name) ? [] : [[name, value]]
}

export const auditRetention = ({ AUDIT_DAYS: days }: Pick<Config, 'AUDIT_DAYS'>): readonly Retention[] => [
  { days, remove: store.deleteOld },
]
