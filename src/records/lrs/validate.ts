import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail, PlatformError } from '../../kernel/errors.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { fingerprint, isSameTime } from '../statements/compare.ts'
import { findFaults } from '../statements/faults.ts'
import { findLinks } from '../statements/linking.ts'
import { findSentBy } from '../statements/query.ts'
import { targetOf } from '../statements/refs.ts'
import { type Statement, type Version, VOIDED } from '../statements/statement.ts'
import { findStrangeVerbs } from '../statements/verbs.ts'
import { MOST_SENT, STATEMENT_BYTES } from '../xapi/sending.ts'
import { senderSeenBy } from './chosen.ts'
import type { Validation } from './schema.ts'
import * as store from './store.ts'

const MOST_FAULTS = 500

type Fault = Validation['faults'][number]
interface Placed {
  readonly position: number
  readonly statement: Statement
}

/** What would become of statements if they were sent. Nothing is stored. */
export async function validateStatements(
  environment: Environment,
  db: Db,
  who: StoreCaller,
  { value, version }: { value: unknown; version: Version },
): Promise<Validation> {
  const all = Array.isArray(value) ? value : [value]
  if (all.length > MOST_SENT)
    throw fail('validationFailed', `The batch has ${all.length} statements; send at most ${MOST_SENT} at once`)
  const faults: Fault[] = []
  const sound: Placed[] = []
  for (const [position, one] of all.entries()) {
    const found = findFaults(one, version)
    for (const fault of found) faults.push({ position, ...fault })
    if (found.length === 0 && Buffer.byteLength(JSON.stringify(one)) > STATEMENT_BYTES)
      faults.push({ position, pointer: '', rule: 'size', must: `have ${STATEMENT_BYTES} bytes at the most` })
    else if (found.length === 0) sound.push({ position, statement: one as Statement })
  }
  faults.push(...findRepeated(sound))
  if (who.usesLibrary) faults.push(...(await findVerbs(environment, db, sound)))
  const { voiding, ...known } = await compareWithKnown(db, who, sound)
  faults.push(
    ...voiding,
    ...(await findForeign(db, who, sound)),
    ...(await findOthersActors(environment, db, who, sound)),
  )
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
    return { position: one.position, pointer: '/id', rule: 'XAPI-00085', must }
  })
}

async function findVerbs(environment: Environment, db: Db, sound: readonly Placed[]): Promise<Fault[]> {
  const strange = await findStrangeVerbs(
    environment,
    db,
    sound.map(({ statement }) => statement.verb.id),
  )
  const must = 'be in the verb library, which GET /edu/v1/xapi/verbs lists: this key takes no others'
  return sound
    .filter(({ statement }) => strange.includes(statement.verb.id))
    .map(({ position }) => ({ position, pointer: '/verb/id', rule: 'verb library', must }))
}

const voidedBy = ({ statement }: Placed): string | undefined =>
  statement.verb.id === VOIDED ? targetOf(statement) : undefined

/** Whoever may not do everything voids only what they have sent themselves. */
async function findForeign(db: Db, who: StoreCaller, sound: readonly Placed[]): Promise<Fault[]> {
  const voids = sound.filter((one) => voidedBy(one) !== undefined)
  if (voids.length === 0 || who.scopes.has('all')) return []
  const own = await findSentBy(
    db,
    who.senderKey,
    voids.map((one) => voidedBy(one)!),
  )
  const must = 'be that of a statement which you have sent: others are voided by keys that may do everything'
  return voids
    .filter((one) => !own.has(voidedBy(one)!))
    .map(({ position }) => ({ position, pointer: '/object/id', rule: 'scope all', must }))
}

/** A user of an app speaks for themselves, and for those whom they teach. */
async function findOthersActors(environment: Environment, db: Db, who: StoreCaller, sound: readonly Placed[]) {
  if (who.appId === undefined) return []
  const found = await Promise.all(
    sound.map(async ({ position, statement }): Promise<Fault[]> => {
      try {
        await findLinks(environment, db, who, statement)
        return []
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error
        return [{ position, pointer: '/actor', rule: 'interface', must: error.message.replace(/^actor must /, '') }]
      }
    }),
  )
  return found.flat()
}

/** Of what the caller may read. */
async function compareWithKnown(db: Db, who: StoreCaller, sound: readonly Placed[]) {
  const found = { voiding: [] as Fault[], conflicts: [] as Validation['conflicts'], known: [] as Validation['known'] }
  if (!who.scopes.has('statements/read') && !who.scopes.has('statements/read/mine')) return found
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
