import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { MessagePolicy } from '../../kernel/messages/messages.ts'
import { emailChangedLetter } from './letters.ts'
import { tellPerson } from './people.ts'
import { SEARCH_VERSION, searchKeys } from './search-keys.ts'
import * as store from './store.ts'

/** The columns of a person that other modules may set. */
export interface PersonColumns {
  readonly handle: string
  readonly first_name: string
  readonly last_name: string
  readonly email: string | null
  readonly country: string | null
  /** An ISO 8601 date. */
  readonly date_of_birth: string | null
  readonly gender: string | null
  readonly position: string | null
  readonly account_kind: string | null
  /** An object as JSON text. */
  readonly service: string
  readonly public_search: boolean
  readonly camera_disabled: boolean
  readonly proximity_friends: boolean
  readonly administrator: boolean
  readonly developer: boolean
  readonly password_hash: string | null
}

type Names = Pick<PersonColumns, 'handle' | 'first_name' | 'last_name'>

/**
 * Omitted columns keep their value. Handle, first name and last name must be given together, because the search keys
 * depend on all three.
 */
export type PersonChange = { readonly id: number } & Partial<Omit<PersonColumns, keyof Names>> &
  (Names | { readonly [Name in keyof Names]?: never })

/** Computes the search keys of these names, and adds the version of the rules that produced them. */
export const searchColumns = ({ handle, first_name: firstName, last_name: lastName }: Names) => ({
  search_keys: searchKeys({ handle, firstName, lastName }),
  search_version: SEARCH_VERSION,
})

/**
 * Updates columns of people, for all modules. The caller must have locked their rows. A new password hash starts a new
 * epoch, which invalidates proofs of identity made with the old password.
 */
export async function changePeople(tx: Tx, changes: readonly PersonChange[]): Promise<void> {
  const rows = changes.map(({ service, ...change }) => ({
    ...change,
    ...(service !== undefined && { service: JSON.parse(service) }),
    ...(change.handle !== undefined && searchColumns(change)),
  }))
  if (rows.length > 0) await tx.all(store.changePeople, { rows: JSON.stringify(rows) })
}

/**
 * The only code that replaces an e-mail address on request. The caller must have verified the person's identity and
 * locked the account.
 */
export async function replaceEmail(
  tx: Tx,
  who: Caller,
  what: { personId: number; handle: string; email: string | null },
  messages: MessagePolicy,
): Promise<void> {
  const { personId, handle, email } = what
  await tellPerson(tx, who, { personId, ...emailChangedLetter(handle, who.at, messages) }, messages)
  // Invalidate reset links sent to the old address.
  await tx.all(store.endResets, { person: personId, now: who.at })
  await changePeople(tx, [{ id: personId, email }])
  await recordAudit(tx, who, { action: 'email.changed', personId })
}

/**
 * Increments the version of the person's picture or cover, which is part of the image id. Returns false if the person's
 * epoch has changed since their identity was verified.
 */
export const countImage = async (
  tx: Tx,
  what: { personId: number; epoch: number; kind: 'picture' | 'cover' },
): Promise<boolean> =>
  (await tx.first(store.countImage, { person: what.personId, epoch: what.epoch, kind: what.kind })) !== undefined

/**
 * Starts a new epoch, which invalidates all earlier proofs of identity. Returns undefined if another transaction has
 * already started one.
 */
export const startEpoch = async (tx: Tx, what: { personId: number; epoch: number }): Promise<number | undefined> =>
  (await tx.first(store.startEpoch, { person: what.personId, epoch: what.epoch }))?.epoch

const AT_ONCE = 500

/** Recomputes search keys that an older version of the rules produced. Returns the number of people updated. */
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
