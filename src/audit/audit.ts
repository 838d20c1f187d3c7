import type { Caller } from '../caller.ts'
import type { Config } from '../config.ts'
import type { Age } from '../database/age.ts'
import type { Db } from '../database/database.ts'
import * as store from './store.ts'

export interface AuditEntry {
  /** What happened, as `noun.verb`. */
  readonly action: string
  readonly personId?: number
  readonly appId?: number
  readonly sessionId?: string
  /** Facts for the reader; never a secret. */
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>
}

/** Writes one line of the audit log, in the transaction of what it tells about. */
export async function recordAudit(db: Db, who: Caller, entry: AuditEntry): Promise<void> {
  await db.first(store.insertEntry, {
    at: who.at,
    action: entry.action,
    person: entry.personId ?? null,
    app: entry.appId ?? null,
    session: entry.sessionId ?? null,
    address: who.address,
    request: who.requestId,
    detail: JSON.stringify(entry.detail ?? {}),
  })
}

/** What nobody but the person does, in their own browser: only there the address is theirs. */
const OWN_ACTIONS = [
  ...['sign-in.password', 'sign-in.passkey', 'sign-in.reset', 'sign-out', 'sign-out.elsewhere', 'data.exported'],
  ...['consent.given', 'consent.denied', 'consent.withdrawn', 'device.allowed', 'device.denied'],
  ...['passkey.added', 'passkey.renamed', 'passkey.removed'],
]
const EXPORTED_AT_ONCE = 500

/** For the download of everything that is kept about a person. */
export async function* exportAudit(db: Db, personId: number) {
  for (let after = { after: '-infinity', id: 0 }; ; ) {
    const page = await db.all(store.listOfPerson, { person: personId, ...after, limit: EXPORTED_AT_ONCE })
    for (const { at, action, client_id: clientId, session_id: sessionId, address } of page)
      yield { at, action, clientId, sessionId, ...(OWN_ACTIONS.includes(action) ? { address } : {}) }
    const last = page.at(-1)
    if (!last || page.length < EXPORTED_AT_ONCE) return
    after = { after: last.position, id: last.id }
  }
}

export const auditAges = ({ AUDIT_DAYS: days }: Pick<Config, 'AUDIT_DAYS'>): readonly Age[] => [
  { days, remove: store.deleteOld },
]
