import { fail, type PlatformError } from '../../kernel/errors.ts'
import type { Fault } from './faults.ts'

/** So many faults are told as a sentence; all that were found stand in the body. */
const TOLD = 5

/** So many faults are looked for. */
export const MOST_FAULTS = 20

/** A refusal with a sentence such as "actor.account must be …": the fault is taken out of it. */
export function failSaying(rule: string, sentence: string, at?: string): PlatformError {
  const problem = fail('validationFailed', sentence)
  const [, path, must] = /^([\w.]+) must (.*)$/s.exec(sentence) ?? []
  problem.faults = [{ pointer: at ?? (path ? `/${path.replaceAll('.', '/')}` : ''), rule, must: must ?? sentence }]
  return problem
}

/** A refusal that names each fault, in its sentence and one by one in `faults`. */
export function failWith(faults: readonly Fault[]): PlatformError {
  const told = faults.slice(0, TOLD).map(({ pointer, must }) => `${pointer || 'the statement'} must ${must}`)
  const more = faults.length > TOLD ? `; and ${faults.length >= MOST_FAULTS ? 'perhaps ' : ''}more, see faults` : ''
  const problem = fail('validationFailed', told.join('; ') + more)
  problem.faults = faults
  return problem
}
