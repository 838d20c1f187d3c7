import { type ErrorName, fail, type PlatformError } from '../../kernel/errors.ts'

/** A fault of a package, in the form of the faults of other refusals. */
export interface PackageFault {
  /** Where the fault is, such as `/courseStructure/au/2/url`; empty for the package as a whole. */
  readonly pointer: string
  /** The requirement of the specification, by its id in `@cmi5/requirements`. */
  readonly rule?: string
  /** The end of the sentence "it must …". */
  readonly must: string
  readonly message: string
}

/** The maximum number of faults that a refusal lists. */
const MOST_FAULTS = 20

/** Collects the faults of a package, so that its author sees all of them. */
export class Faults {
  readonly found: PackageFault[] = []

  add(pointer: string, rule: string | undefined, must: string, message: string): void {
    // One more than a refusal lists tells that there are more; the rest is not worth its memory.
    if (this.found.length > MOST_FAULTS) return
    this.found.push({ pointer, ...(rule !== undefined && { rule }), must, message })
  }
}

/** A fault that was tolerated in a package. */
export interface PackageNote {
  /** Place of the fault, such as `/manifest/organizations/organization/item/2`; empty for the package as a whole. */
  readonly pointer: string
  readonly message: string
}

/** The maximum number of notes on a package. */
const MOST_NOTES = 50

/** Collects what was tolerated in a package. */
export class Notes {
  readonly #found: PackageNote[] = []
  #more = 0

  add(pointer: string, message: string): void {
    if (this.#found.length < MOST_NOTES) this.#found.push({ pointer, message })
    else this.#more++
  }

  /** The notes, of which the last one counts those that are not listed. */
  get list(): readonly PackageNote[] {
    if (this.#more === 0) return this.#found
    return [...this.#found, { pointer: '', message: `${this.#more} more of such faults were tolerated` }]
  }
}

/** Creates the error for a package with these faults. Its message has the first fault, with its requirement. */
export function refusePackage(faults: readonly PackageFault[], kind: ErrorName = 'validationFailed'): PlatformError {
  const [first] = faults
  const rule = first?.rule === undefined ? '' : ` (cmi5 ${first.rule})`
  const others = Math.min(faults.length, MOST_FAULTS) - 1
  const count = faults.length > MOST_FAULTS ? `more than ${others}` : others
  const more = others < 1 ? '' : `, and ${count} more ${others === 1 ? 'fault' : 'faults'}`
  const problem = fail(kind, `${first?.message ?? 'The package is not valid'}${rule}${more}`)
  problem.faults = faults.slice(0, MOST_FAULTS)
  return problem
}

/** The requirement that zip archives follow the format's specification. */
const ZIP_FORMAT = '14.1.0.0-1'

/** Creates the error for a zip archive that does not follow the format. */
export const refuseZip = (message: string): PlatformError =>
  refusePackage([{ pointer: '', rule: ZIP_FORMAT, must: 'be a zip archive that follows the format', message }])

/** Creates the error for a zip archive that follows the format, but is not accepted. */
export const refuseArchive = (must: string, message: string): PlatformError =>
  refusePackage([{ pointer: '', must, message }])
