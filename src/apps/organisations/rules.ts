import { fail } from '../../kernel/errors.ts'
import { KEY_MUST, KEY_PATTERN } from './schema.ts'

const KEY = new RegExp(KEY_PATTERN)

export function checkKey(key: string): void {
  if (!KEY.test(key)) throw fail('validationFailed', `organisation must be ${KEY_MUST}`)
}

/** Throws if the last owner would be removed. Administrators may do so, because they can manage every organisation. */
export function checkLastOwner(what: { isOwner: boolean; others: number; administers: boolean }): void {
  if (what.isOwner && what.others === 0 && !what.administers)
    throw fail('impossibleNow', 'This is the last owner: give another member the role owner first')
}
