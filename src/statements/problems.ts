import { fail, type PlatformError } from '../errors.ts'
import type { Fault } from './faults.ts'

/** So many faults are told as a sentence; all that were found stand in the body. */
const TOLD = 5

/** A refusal that names each fault, in its sentence and one by one in `faults`. */
export function failWith(faults: readonly Fault[]): PlatformError {
  const told = faults.slice(0, TOLD).map(({ pointer, must }) => `${pointer || 'the statement'} must ${must}`)
  const problem = fail('validationFailed', told.join('; '))
  problem.faults = faults
  return problem
}
