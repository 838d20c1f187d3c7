import { fail } from '../../kernel/errors.ts'

/** Chosen codes are not too short to be guessed by trying, of which RATE_JOIN_PER_HOUR allows some. */
const JOIN_CODE = /^[A-Za-z0-9-]{6,40}$/

/**
 * Converts a join code to upper case: people read codes aloud and copy them by hand, so letter case does not matter.
 */
export const normaliseJoinCode = (code: string): string => code.trim().toUpperCase()

interface JoinCodeChoice {
  readonly joinCode?: string | undefined
  readonly newJoinCode?: boolean | undefined
}

/** Determines the new join code of a class: a chosen one, a generated one, none, or the current one. */
export function chooseJoinCode(
  { joinCode, newJoinCode }: JoinCodeChoice,
  current: string | null,
  make: () => string,
): string | null {
  if (newJoinCode) {
    if (joinCode) throw fail('validationFailed', 'Send joinCode or newJoinCode, not both')
    return make()
  }
  if (joinCode === undefined || normaliseJoinCode(joinCode) === current) return current
  if (joinCode !== '' && !JOIN_CODE.test(joinCode))
    throw fail('validationFailed', 'joinCode must be 6 to 40 letters, digits or -, or empty for none')
  return joinCode === '' ? null : normaliseJoinCode(joinCode)
}

interface ClassSettings {
  readonly name: string
  readonly sequential: boolean
  readonly joinCode: string | null
}

/**
 * Returns the changed settings before and after, for the audit log; undefined if nothing changed. Anybody can join with
 * a join code, so the log shows only whether there is one.
 */
export function compareSettings(
  before: ClassSettings,
  after: ClassSettings,
): { before: string; after: string } | undefined {
  const changed = (Object.keys(after) as (keyof ClassSettings)[]).filter((name) => before[name] !== after[name])
  if (changed.length === 0) return undefined
  const show = (settings: ClassSettings, other: string) =>
    JSON.stringify(
      Object.fromEntries(
        changed.map((name) => [name, name === 'joinCode' ? settings.joinCode && other : settings[name]]),
      ),
    )
  return { before: show(before, 'another'), after: show(after, 'new') }
}
