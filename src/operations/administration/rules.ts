import { MANAGERS } from '../../apps/organisations/roles.ts'
import { holdsAny } from '../../kernel/roles.ts'

/** The person whose account somebody wants to change, and the roles of the caller towards them. */
interface Target {
  readonly administrator: boolean
  /** True if the caller owns the organisation that manages the account. */
  readonly owns: boolean
  readonly administers: boolean
  /** True if the person belongs to another organisation. */
  readonly is_elsewhere: boolean
}

/**
 * Whether the caller may change the account. An owner may change accounts that their organisation created, but no
 * administrator, and nobody who belongs to another organisation: a new e-mail address gives access to everything there.
 */
export const mayManagePerson = ({ administrator, owns, administers, is_elsewhere }: Target): boolean =>
  holdsAny({ owner: owns && !administrator && !is_elsewhere, administrator: administers }, MANAGERS)
