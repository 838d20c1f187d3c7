import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import type { Version } from '../statements/model/statement.ts'
import { listKnown, predictOutcomes } from '../statements/storing/storing.ts'
import {
  checkSender,
  checkSyntax,
  completeStatement,
  type PositionedFault,
  type PositionedStatement,
} from '../xapi/checking.ts'
import type { Validation } from './schema.ts'
import { senderSeenBy } from './selection.ts'

const MOST_FAULTS = 500

/**
 * Checks statements exactly as sending them would, without storing them. Attachments and signatures are not checked,
 * because this request does not contain their bytes.
 */
export async function validateStatements(
  db: Db,
  who: StoreCaller,
  { value, bytes, version }: { readonly value: unknown; readonly bytes: number; readonly version: Version },
  environment: Environment,
): Promise<Validation> {
  const batch = Array.isArray(value) ? value : [value]
  const { valid, faults } = checkSyntax(batch, { version, bytes, most: MOST_FAULTS + 1 })
  const { verbFaults, rightFaults } = await checkSender(db, who, valid, environment)
  const { storingFaults, conflicts, known } = await compareWithStored(db, who, valid, version)
  faults.push(...verbFaults, ...rightFaults, ...storingFaults)
  faults.sort((a, b) => a.position - b.position)
  return {
    valid: faults.length === 0 && conflicts.length === 0,
    statements: batch.length,
    faults: faults.slice(0, MOST_FAULTS),
    more: faults.length > MOST_FAULTS,
    conflicts,
    known,
  }
}

/** Predicts the outcome of storing, by comparing with the stored statements that the caller may read. */
async function compareWithStored(
  db: Db,
  who: StoreCaller,
  statements: readonly PositionedStatement[],
  version: Version,
) {
  const mayRead = who.scopes.has('statements/read') || who.scopes.has('statements/read/mine')
  const sender = senderSeenBy(who) ?? null
  const made = statements.map(({ statement }) => completeStatement({ ...who, version }, statement))
  const judgements = await predictOutcomes(made, async (wanted) =>
    mayRead ? listKnown(db, { ...wanted, sender }) : [],
  )
  const storingFaults: PositionedFault[] = []
  const conflicts: Validation['conflicts'] = []
  const known: Validation['known'] = []
  for (const [i, judgement] of judgements.entries()) {
    const { position } = statements[i]!
    const { id } = made[i]!
    if (judgement === 'same') known.push({ position, id })
    else if (judgement === 'conflict') conflicts.push({ position, id })
    else if (judgement !== 'new') storingFaults.push({ position, ...judgement })
  }
  return { storingFaults, conflicts, known }
}
