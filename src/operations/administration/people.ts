import { normaliseHandle } from '../../identity/people/handles.ts'
import { endEverything } from '../../identity/people/people.ts'
import { sendReset } from '../../identity/people/resets.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { readLine } from '../../kernel/lines.ts'
import type { MessagePolicy } from '../../kernel/messages/messages.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import type { NameSearch } from '../../kernel/room.ts'
import type { DecideAboutPerson, FindPeople, FoundPerson, KnownPerson, NamePerson } from './schema.ts'
import * as store from './store.ts'

export async function findPeople(db: Db, who: PersonCaller, what: FindPeople): Promise<Page<FoundPerson>> {
  const { query, status = null, role = null, sort = 'handle' } = what
  const filters = { status, role, now: who.at, ...spanOf(what) }
  const rows = await (query === undefined
    ? db.all(store.listPeople[sort], filters)
    : db.all(store.findPeople[sort], { ...readQuery(query), ...filters }))
  return pageOf(rows.map(showPerson), rows[0]?.total ?? 0, what)
}

/** Finds people by name, for administrators. */
export const findNamed = (db: Db, { person, typed, limit }: Pick<NameSearch, 'person' | 'typed' | 'limit'>) =>
  db.all(store.findByName, { person, ...readQuery(typed), limit })

/** Normalizes typed text, so that it can be compared with stored values. */
function readQuery(query: string) {
  const typed = query.normalize('NFC').trim().toLowerCase()
  const [, word = typed, rest = ''] = /^(\S+)\s+(.+)$/s.exec(typed) ?? []
  return { typed, handle: normaliseHandle(query), word, rest }
}

export async function readPerson(db: Db, who: PersonCaller, what: NamePerson): Promise<KnownPerson> {
  const row = await db.first(store.findPerson, { handle: normaliseHandle(what.handle), now: who.at })
  if (!row) throw fail('notFound', `There is no user with the handle ${what.handle}`)
  return {
    ...showPerson(row),
    disabledDate: row.disabled_at,
    reason: row.reason,
    hasPassword: row.has_password,
    passkeys: row.passkeys,
    browsers: row.browsers,
    sessions: row.sessions,
    lastSeenDate: row.last_seen,
    organisations: JSON.parse(row.organisations),
    apps: JSON.parse(row.apps, (name, value) =>
      typeof value === 'string' && name.endsWith('Date') ? new Date(value).toISOString() : value,
    ),
  }
}

/** Signs a person out of all browsers and all apps. */
export async function endSessions(db: Db, who: PersonCaller, what: DecideAboutPerson): Promise<KnownPerson> {
  await endEverything(db, who, { handle: what.handle, detail: { by: who.personId, reason: readReason(what) } })
  return readPerson(db, who, what)
}

/**
 * Sends a reset link to the person. The administrator never sees the link, because it would allow impersonating the
 * person.
 */
export const sendPasswordReset = (
  db: Db,
  who: PersonCaller,
  what: NamePerson,
  messages: MessagePolicy,
): Promise<void> => sendReset(db, who, { handle: what.handle, by: who.personId }, messages)

export function readReason(what: DecideAboutPerson): string {
  const reason = readLine('reason', what.reason)
  if (reason === '') throw fail('parameterMissing', 'reason is missing: it is recorded in the audit log')
  return reason
}

type PersonRow = Omit<RowOf<(typeof store.listPeople)['handle']>, 'total'>

export const showPerson = (row: PersonRow): FoundPerson => ({
  handle: row.handle,
  name: `${row.first_name} ${row.last_name}`.trim(),
  firstName: row.first_name,
  lastName: row.last_name,
  email: row.email,
  status: row.status as FoundPerson['status'],
  administrator: row.administrator,
  developer: row.developer,
  managedBy: row.managed_by,
  invitationExpiresDate: row.invited_until,
  createdDate: row.created_at,
})
