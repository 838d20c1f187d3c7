import type { DatesEntry } from './schema.ts'

export const FIELDS = ['opens', 'due', 'closes'] as const
type Field = (typeof FIELDS)[number]

/** A mistake at a field of the request. `must` is the rule for programs, `message` a sentence for people. */
export interface DatesFault {
  readonly pointer: string
  readonly must: string
  readonly message: string
}

const FIRST = '2000-01-01'
const LAST = '2201-01-01'
const MUST = 'be a date and time between 2000 and 2200, such as 2026-11-20T09:00'

const ISO = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(Z|[+-]\d\d:?\d\d)?$/i

/**
 * Converts a time in ISO 8601 to UTC; one without an offset stays local, without `Z`. Undefined if there is no such
 * time.
 */
function readTime(text: string): string | undefined {
  const [, day = '', time = '', offset = ''] = ISO.exec(text) ?? []
  const local = new Date(`${day}T${time}Z`)
  // `new Date('2026-02-30')` is a day in March.
  if (Number.isNaN(local.getTime()) || !local.toISOString().startsWith(day) || time.startsWith('24')) return undefined
  if (offset === '') return local.toISOString().slice(0, -1)
  const at = new Date(`${day}T${time}${offset.toUpperCase().replace(/(\d\d)(\d\d)$/, '$1:$2')}`)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

/**
 * Reads the three dates of an entry: text in ISO 8601, in UTC or without an offset, null to clear the date, undefined
 * to keep it. A day without a time is not enough, because nobody could tell when on that day.
 */
export function readTimes(entry: DatesEntry): { [F in Field]: string | null | undefined } & { wrong: Field[] } {
  const wrong: Field[] = []
  const read = (field: Field): string | null | undefined => {
    const value = entry[field]
    if (value === undefined) return undefined
    if (value === null || value.trim() === '') return null
    const time = readTime(value.trim())
    if (time !== undefined && time >= FIRST && time < LAST) return time
    wrong.push(field)
    return undefined
  }
  return { opens: read('opens'), due: read('due'), closes: read('closes'), wrong }
}

export const faultAt = (index: number, field: string, must: string, message: string): DatesFault => ({
  pointer: `/dates/${index}/${field}`,
  must,
  message,
})

export const wrongTime = (index: number, field: Field): DatesFault =>
  faultAt(index, field, MUST, 'Enter a date and time between 2000 and 2200')

/** Returns the rule that three dates break, for an import file; undefined if they are in order. */
export function orderMistake({ opens, due, closes }: { [F in Field]?: string }): string | undefined {
  const [from, by, until] = [opens, due, closes].map((time) => (time === undefined ? Number.NaN : Date.parse(time)))
  if (from! >= by!) return 'must be due after it opens'
  if (by! > until!) return 'must be due no later than it closes'
  return from! >= until! ? 'must close after it opens' : undefined
}

/** A lesson whose dates are in the wrong order, for everybody or for one student. */
export interface Conflict {
  readonly lesson_id: number
  readonly parent_id: number | null
  readonly name: string
  readonly student_id: number | null
  readonly student: string | null
  readonly is_due_early: boolean
  readonly is_closed_early: boolean
}

/** An entry of the request, with the ids of its lesson and student. */
export interface PlacedEntry {
  readonly index: number
  readonly lesson: number | null
  readonly student: number | null
  readonly fields: readonly Field[]
}

/**
 * Finds the field of the request that brings the dates of a lesson into the wrong order. Returns undefined if no entry
 * applies to the lesson.
 */
export function placeConflict(conflict: Conflict, entries: readonly PlacedEntry[]): DatesFault | undefined {
  const [fields, must, what] = conflict.is_due_early
    ? ([['due', 'opens'], 'put the due date after the opening time', 'would be due before it opens'] as const)
    : conflict.is_closed_early
      ? ([['closes', 'due'], 'put the closing time at or after the due date', 'would close before it is due'] as const)
      : ([['closes', 'opens'], 'put the closing time after the opening time', 'would close before it opens'] as const)
  const candidates = entries
    .filter(({ lesson }) => lesson === null || lesson === conflict.lesson_id || lesson === conflict.parent_id)
    .filter(({ student }) => student === null || student === conflict.student_id)
    .toSorted((a, b) => rank(b, conflict) - rank(a, conflict))
  for (const field of fields) {
    const entry = candidates.find((candidate) => candidate.fields.includes(field))
    if (!entry) continue
    const whom = conflict.student === null || entry.student !== null ? '' : ` for ${conflict.student}`
    return faultAt(entry.index, field, must, `“${conflict.name}” ${what}${whom}`)
  }
  return undefined
}

/** Dates of the student win over those of everybody, and those of the lesson over the parent's and the class's. */
const rank = ({ lesson, student }: PlacedEntry, conflict: Conflict): number =>
  (student === null ? 0 : 4) + (lesson === null ? 0 : lesson === conflict.lesson_id ? 2 : 1)
