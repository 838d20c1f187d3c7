import { fail } from '../../kernel/errors.ts'
import { KEY_MUST, KEY_PATTERN } from './schema.ts'

const KEY = new RegExp(KEY_PATTERN)

export function checkKey(key: string): void {
  if (!KEY.test(key)) throw fail('validationFailed', `organisation must be ${KEY_MUST}`)
}

const TIME_ZONES: ReadonlySet<string> = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])
export const isTimeZone = (name: string): boolean => TIME_ZONES.has(name)
export const TIME_ZONE_MUST = 'the IANA name of a time zone, such as Europe/Berlin, or UTC'

export function checkTimeZone(name: string): void {
  if (!isTimeZone(name)) throw fail('validationFailed', `timeZone must be ${TIME_ZONE_MUST}`)
}

/**
 * Throws if the last owner would be removed, or the last one who can still sign in if the provider fails.
 * Administrators may do so, because they can manage every organisation.
 */
export function checkLastOwner(what: {
  isOwner: boolean
  others: number
  isLastWayIn: boolean
  administers: boolean
}): void {
  if (!what.isOwner || what.administers) return
  if (what.others === 0) throw fail('impossibleNow', 'This is the last owner: give another member the role owner first')
  if (what.isLastWayIn)
    throw fail(
      'impossibleNow',
      'This is the last break-glass account of the sign-in provider: choose another owner for it first, or stop enforcing the provider',
    )
}
