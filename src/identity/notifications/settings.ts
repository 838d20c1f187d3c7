import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { KIND_NAMES, KINDS, type Mailing } from './kinds.ts'
import type { NotificationSettings, SetNotificationSettings } from './schema.ts'
import * as store from './store.ts'

export async function readNotificationSettings(db: Db, personId: number): Promise<NotificationSettings> {
  const [rows, inbox] = await Promise.all([
    db.all(store.listSettings, { person: personId }),
    db.first(store.readInbox, { person: personId }),
  ])
  const chosen = new Map(rows.map(({ kind, ...choice }) => [kind, choice]))
  const kinds = KIND_NAMES.map((kind) => {
    const { about, email, isFixed = false } = KINDS[kind]
    const choice = (isFixed ? undefined : chosen.get(kind)) ?? { app: true, email }
    return { kind, about, isFixed, app: choice.app, email: choice.email as Mailing }
  })
  return { kinds, timeZone: inbox!.time_zone, emailAddress: inbox!.email }
}

/** Changes the given kinds, and the time zone if there is one. */
export async function setNotificationSettings(
  db: Db,
  who: PersonCaller,
  { kinds = [], timeZone }: SetNotificationSettings,
): Promise<NotificationSettings> {
  const fixed = kinds.find(({ kind, app, email }) => KINDS[kind].isFixed && !(app && email === KINDS[kind].email))
  if (fixed) throw fail('validationFailed', `${fixed.kind} concerns your account and cannot be turned off`)
  if (new Set(kinds.map(({ kind }) => kind)).size < kinds.length)
    throw fail('validationFailed', 'kinds has the same kind twice')
  if (timeZone !== undefined && !(await db.first(store.findZone, { zone: timeZone })))
    throw fail('validationFailed', 'timeZone must be an IANA time zone, such as Europe/Berlin')
  await db.transaction(async (tx) => {
    if (timeZone !== undefined) await tx.first(store.setTimeZone, { person: who.personId, zone: timeZone, now: who.at })
    if (kinds.length > 0) await tx.all(store.setSettings, { person: who.personId, rows: JSON.stringify(kinds) })
  })
  return readNotificationSettings(db, who.personId)
}
