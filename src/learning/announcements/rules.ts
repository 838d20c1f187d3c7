import { fail } from '../../kernel/errors.ts'
import { readLine } from '../../kernel/lines.ts'
import { holdsAny } from '../../kernel/roles.ts'
import { MAY } from '../classes/roles.ts'

interface Target {
  readonly teaches: boolean
  /** Whether the caller owns the organisation or is an administrator. */
  readonly manages: boolean
}

export const mayAnnounce = ({ teaches, manages }: Target): boolean =>
  holdsAny({ instructor: teaches, administrator: manages }, MAY.announce)

export const mayDelete = ({ is_author, ...target }: Target & { readonly is_author: boolean }): boolean =>
  is_author || mayAnnounce(target)

/** Returns the class or the organisation that a request names. It must name one of them. */
export function readTarget({ classId, organisation }: { classId?: string; organisation?: string }) {
  if (classId === undefined && organisation === undefined)
    throw fail('parameterMissing', 'classId or organisation is missing')
  if (classId !== undefined && organisation !== undefined)
    throw fail('validationFailed', 'Send either classId or organisation, not both')
  return { class: classId ?? null, organisation: organisation ?? null }
}

export function readContent(what: { title: string; text: string }): { title: string; text: string } {
  const title = readLine('title', what.title)
  const text = what.text.trim()
  if (title === '') throw fail('parameterMissing', 'title is missing')
  if (text === '') throw fail('parameterMissing', 'text is missing')
  return { title, text }
}
