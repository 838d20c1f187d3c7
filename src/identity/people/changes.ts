import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { MessagePolicy } from '../../kernel/messages/messages.ts'
import { emailChangedLetter } from './letters.ts'
import { tellPerson } from './people.ts'
import { SEARCH_VERSION, searchKeys } from './search-keys.ts'
import * as store from './store.ts'

/** The columns of a person that other rooms may set. */
export interface PersonColumns {
  readonly handle: string
  readonly first_name: string
  readonly last_name: string
  readonly email: string | null
  readonly country: string | null
  /** A day in ISO 8601. */
  readonly date_of_birth: string | null
  readonly gender: string | null
  readonly position: string | null
  readonly account_kind: string | null
  /** JSON. */
  readonly service: string
  readonly public_search: boolean
  readonly camera_disabled: boolean
  readonly proximity_friends: boolean
  readonly administrator: boolean
  readonly developer: boolean
  readonly password_hash: string | null
}

type Names = Pick<PersonColumns, 'handle' | 'first_name' | 'last_name'>

/** What is not named stays. Names come together, because what somebody is found by is made of all of them. */
export type PersonChange = { readonly id: number } & Partial<Omit<PersonColumns, keyof Names>> &
  (Names | { readonly [Name in keyof Names]?: never })

/** What somebody is found by, and by which rules it was made. */
export const foundBy = ({ handle, first_name: firstName, last_name: lastName }: Names) => ({
  search_keys: searchKeys({ handle, firstName, lastName }),
  search_version: SEARCH_VERSION,
})

/** The one place where what is said about people is changed. Whoever calls it holds them. A new password ends what the old one has proved. */
export async function changePeople(tx: Tx, changes: readonly PersonChange[]): Promise<void> {
  const rows = changes.map(({ service, ...change }) => ({
    ...change,
    ...(service !== undefined && { service: JSON.parse(service) }),
    ...(change.handle !== undefined && foundBy(change)),
  }))
  if (rows.length > 0) await tx.all(store.changePeople, { rows: JSON.stringify(rows) })
}

/** The one place where an address is changed by hand. Whoever calls it has asked for proof, and holds the account. */
export async function replaceEmail(
  tx: Tx,
  who: Caller,
  what: { personId: number; handle: string; email: string | null },
  messages: MessagePolicy,
): Promise<void> {
  const { personId, handle, email } = what
  await tellPerson(tx, who, { personId, ...emailChangedLetter(handle, who.at, messages) }, messages)
  // Links that were sent to the old address end.
  await tx.all(store.endResets, { person: personId, now: who.at })
  await changePeople(tx, [{ id: personId, email }])
  await recordAudit(tx, who, { action: 'email.changed', personId })
}

/** Another picture or cover: its version is part of its id. False where the proof of who it is does not hold any more. */
export const countImage = async (
  tx: Tx,
  what: { personId: number; epoch: number; kind: 'picture' | 'cover' },
): Promise<boolean> =>
  (await tx.first(store.countImage, { person: what.personId, epoch: what.epoch, kind: what.kind })) !== undefined

/** What was proved before holds no longer. Gives the new epoch; undefined where somebody else was faster. */
export const startEpoch = async (tx: Tx, what: { personId: number; epoch: number }): Promise<number | undefined> =>
  (await tx.first(store.startEpoch, { person: what.personId, epoch: what.epoch }))?.epoch

const AT_ONCE = 500

/** Makes the keys of everybody anew whose keys were made by older rules; returns how many. */
export async function renewSearchKeys(db: Db, stopping: AbortSignal): Promise<number> {
  for (let count = 0; ; ) {
    const people = await db.all(store.listOutdated, { version: SEARCH_VERSION, limit: AT_ONCE })
    for (const { id, handle, first_name: first, last_name: last } of people) {
      if (stopping.aborted) return count
      const keys = searchKeys({ handle, firstName: first, lastName: last })
      if (await db.first(store.renewKeys, { id, handle, first, last, keys, version: SEARCH_VERSION })) count++
    }
    if (people.length < AT_ONCE) return count
  }
}
