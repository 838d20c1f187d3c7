import { failWithFaults } from '../faults/faults.ts'
import { fingerprint } from '../model/compare.ts'
import { type Ref, refsOf, targetOf } from '../model/refs.ts'
import type { Fault, Statement } from '../model/statement.ts'
import { findRefsFault } from './rules.ts'
import type { NewStatement, Sender } from './schema.ts'
import { chargeOf } from './shares.ts'

/** The statements of one request, prepared for storing. */
export interface StoreRequest {
  readonly sender: Sender
  readonly statements: readonly PreparedStatement[]
}

/** A statement, and the values derived from it that decide whether it can be stored. */
export interface JudgedStatement extends Pick<NewStatement, 'statement'> {
  readonly fingerprint: string
  readonly refs: readonly Ref[]
}

export interface PreparedStatement extends NewStatement, JudgedStatement {
  readonly text: string
  /** The bytes that it counts for in its share of storage. */
  readonly charge: number
}

/** Step 1: computes as much as possible before the transaction, during which all other writers have to wait. */
export const prepareRequest = (sender: Sender, statements: readonly NewStatement[]): StoreRequest => ({
  sender,
  statements: statements.map(prepareStatement),
})

function prepareStatement(one: NewStatement): PreparedStatement {
  const { statement, links, contents = [], pointer = '' } = one
  const refs = refsOf(statement)
  const fault = findRefsFault(refs.length)
  if (fault) throw refuseStatement(one, fault)
  const text = textOf(statement)
  const attached = contents.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const charge = chargeOf({ text, refs: refs.length, attached })
  return {
    statement,
    contents,
    pointer,
    ...(links && { links }),
    text,
    charge,
    fingerprint: fingerprint(statement),
    refs,
  }
}

/**
 * Converts a statement to the text that is stored. `stored` is left out, because it is derived from `seq`. The
 * timestamp comes first, so that readers can tell without parsing whether there is one.
 */
const textOf = ({ stored: _stored, timestamp, ...statement }: Statement): string =>
  JSON.stringify({ timestamp, ...statement })

export const refuseStatement = ({ pointer = '' }: Pick<NewStatement, 'pointer'>, fault: Fault): Error =>
  failWithFaults([{ ...fault, pointer: pointer + fault.pointer }])

/** The weight of a statement that refers to another one. */
const WEIGHT_OF_REFERENCE = 25
/** Any other statement weighs 1 for each of this many keys, and at least 1. */
const REFS_PER_WEIGHT = 20

export const weigh = ({ statements }: StoreRequest): number =>
  statements.reduce(
    (sum, { statement, refs }) =>
      sum + (targetOf(statement) ? WEIGHT_OF_REFERENCE : Math.max(1, refs.length / REFS_PER_WEIGHT)),
    0,
  )
