import { randomUUID } from 'node:crypto'
import type { Environment } from '../../kernel/environment.ts'
import { type Statement, VOIDED } from '../statements/model/statement.ts'
import { storeStatements } from '../statements/storing/storing.ts'

export type StatementWithId = Statement & { id: string }
export const PATH = '/lrs/v1/statements'
export const VERBS = 'https://example.org/verbs'
export const agent = (name: string) => ({ mbox: `mailto:${name}@example.org` })
/** Makes an activity that no other statement of the test file mentions. */
export const activity = () => ({ id: `https://example.org/sorties/${randomUUID()}` })

export const make = (more: Partial<StatementWithId> = {}): StatementWithId => ({
  id: randomUUID(),
  actor: agent('ada'),
  verb: { id: `${VERBS}/flew` },
  object: activity(),
  ...more,
})
export const refer = (target: string, verb = `${VERBS}/referred`): StatementWithId =>
  make({ verb: { id: verb }, object: { objectType: 'StatementRef', id: target } })
export const voiding = (target: StatementWithId): StatementWithId => refer(target.id, VOIDED)

/** Stores statements directly, without HTTP. */
export const save = (
  environment: Pick<Environment, 'get' | 'clock'>,
  statements: readonly StatementWithId[],
  { at = environment.clock(), senderKey = 'test' }: { at?: Date; senderKey?: string } = {},
) =>
  storeStatements(
    { at, senderKey },
    statements.map((statement) => ({ statement })),
    environment,
  )
