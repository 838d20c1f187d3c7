import type { StoreCaller } from '../credentials/credentials.ts'
import type { Db } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { fingerprint, isSameTime } from '../statements/compare.ts'
import { findFaults } from '../statements/faults.ts'
import { targetOf } from '../statements/refs.ts'
import { type Statement, type Version, VOIDED } from '../statements/statement.ts'
import { listVerbs } from '../statements/verbs.ts'
import { senderSeenBy } from './chosen.ts'
import type { Validation } from './schema.ts'
import * as store from './store.ts'

/** As many as the statements resource takes at once. */
const MOST_STATEMENTS = 1000
const MOST_FAULTS = 500

type Fault = Validation['faults'][number]
interface Placed {
  readonly position: number
  readonly statement: Statement
}

/** What would become of statements if they were sent. Nothing is stored. */
export async function validateStatements(
  { get }: Pick<Environment, 'get'>,
  db: Db,
  who: StoreCaller,
  { value, version }: { value: unknown; version: Version },
): Promise<Validation> {
  const all = Array.isArray(value) ? value : [value]
  if (all.length > MOST_STATEMENTS)
    throw fail('validationFailed', `The batch has ${all.length} statements; up to ${MOST_STATEMENTS} are taken at once`)
  const faults: Fault[] = []
  const sound: Placed[] = []
  for (const [position, one] of all.entries()) {
    const found = findFaults(one, version)
    for (const fault of found) faults.push({ position, ...fault })
    if (found.length === 0) sound.push({ position, statement: one as Statement })
  }
  faults.push(...findRepeated(sound))
  if (who.usesLibrary) faults.push(...(await findStrangeVerbs({ get }, db, sound)))
  const { voiding, ...known } = await compareWithKnown(db, who, sound)
  faults.push(...voiding)
  faults.sort((a, b) => a.position - b.position)
  return {
    valid: faults.length === 0 && known.conflicts.length === 0,
    statements: all.length,
    faults: faults.slice(0, MOST_FAULTS),
    more: faults.length > MOST_FAULTS,
    ...known,
  }
}

const idOf = ({ statement }: Placed): string | undefined => statement.id?.toLowerCase()

/** A batch must not have one id twice (xAPI-Communication 2.1.2). */
function findRepeated(sound: readonly Placed[]): Fault[] {
  const seen = new Set<string>()
  return sound.flatMap((one) => {
    const id = idOf(one)
    if (id === undefined) return []
    if (!seen.has(id)) {
      seen.add(id)
      return []
    }
    const must = 'be another one: a statement before it in the batch has it'
    return { position: one.position, pointer: '/id', rule: 'XAPI-00144', must }
  })
}

async function findStrangeVerbs(parts: Pick<Environment, 'get'>, db: Db, sound: readonly Placed[]): Promise<Fault[]> {
  const library = new Set((await listVerbs(parts, db)).map(({ verbId }) => verbId))
  const must = 'be in the verb library, which GET /edu/v1/xapi/verbs lists: this key takes no others'
  return sound
    .filter(({ statement }) => !library.has(statement.verb.id))
    .map(({ position }) => ({ position, pointer: '/verb/id', rule: 'verb library', must }))
}

/** Of what the caller may read. */
async function compareWithKnown(db: Db, who: StoreCaller, sound: readonly Placed[]) {
  const found = { voiding: [] as Fault[], conflicts: [] as Validation['conflicts'], known: [] as Validation['known'] }
  if (!who.scopes.has('statements/read') && !who.scopes.has('statements/read/mine')) return found
  const voidedBy = ({ statement }: Placed) => (statement.verb.id === VOIDED ? targetOf(statement) : undefined)
  const ids = new Set(sound.flatMap((one) => [idOf(one), voidedBy(one)].filter((id) => id !== undefined)))
  if (ids.size === 0) return found
  const rows = await db.all(store.listKnown, { ids: [...ids], sender: senderSeenBy(who) ?? null })
  const byId = new Map(
    rows.map((row) => [row.statement_id, { ...row, statement: JSON.parse(row.payload) as Statement }]),
  )
  for (const one of sound) {
    const { position, statement } = one
    const [id, target] = [idOf(one), voidedBy(one)]
    const same = id === undefined ? undefined : byId.get(id)
    if (same) {
      const isSame =
        same.fingerprint === fingerprint(statement) && isSameTime(same.statement.timestamp, statement.timestamp)
      found[isSame ? 'known' : 'conflicts'].push({ position, id: id! })
    }
    if (target !== undefined && byId.get(target)?.statement.verb.id === VOIDED)
      found.voiding.push({
        position,
        pointer: '/object/id',
        rule: 'XAPI-00016',
        must: 'not be that of a voiding statement: those cannot be voided',
      })
  }
  return found
}
