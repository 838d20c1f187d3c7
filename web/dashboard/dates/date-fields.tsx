import { SimpleGrid, TextInput } from '@mantine/core'
import { ApiProblem } from '../../api/call.ts'
import type { ClassDates } from '../../api/operations.ts'
import { dateWords as say } from './words.ts'
import { toLocal } from './zoned.ts'

export const FIELDS = ['opens', 'due', 'closes'] as const
export type Field = (typeof FIELDS)[number]
/** The three dates as values of date-time fields, in the time zone of the organisation. Empty for none. */
export type LocalDates = Readonly<Record<Field, string>>
export const NO_DATES: LocalDates = { opens: '', due: '', closes: '' }

export const toLocalDates = (row: ClassDates['dates'][number], timeZone: string): LocalDates => ({
  opens: toLocal(row.opens, timeZone),
  due: toLocal(row.due, timeZone),
  closes: toLocal(row.closes, timeZone),
})

/**
 * Returns the fields that differ. Only these are sent: a time in the hour that occurs twice when summer time ends would
 * otherwise change by being saved again.
 */
export function changesOf(before: LocalDates, after: LocalDates): Partial<Record<Field, string>> | undefined {
  const changed = FIELDS.filter((field) => before[field] !== after[field])
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map((field) => [field, after[field]]))
}

/** Returns the messages at the fields of the entries that were sent. */
export const errorsAt = (error: Error | null, index: number): Partial<Record<Field, string>> =>
  error instanceof ApiProblem
    ? Object.fromEntries(
        error.faults.flatMap(({ pointer, message }) => {
          const [, , at, field] = pointer.split('/')
          return Number(at) === index && field !== undefined && message !== undefined ? [[field, message]] : []
        }),
      )
    : {}

interface DateFieldsProps {
  readonly lesson: string
  readonly value: LocalDates
  readonly errors: Partial<Record<Field, string>>
  readonly isReadOnly?: boolean
  readonly onChange: (value: LocalDates) => void
}

/** The three date-time fields of a lesson or a class. */
export const DateFields = ({ lesson, value, errors, isReadOnly = false, onChange }: DateFieldsProps) => (
  <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xs" verticalSpacing="xs">
    {FIELDS.map((field) => (
      <TextInput
        key={field}
        type="datetime-local"
        size="sm"
        label={say[field]}
        aria-label={say.field(say[field], lesson)}
        min="2000-01-01T00:00"
        max="2200-12-31T23:59"
        value={value[field]}
        error={errors[field]}
        readOnly={isReadOnly}
        onChange={(event) => onChange({ ...value, [field]: event.currentTarget.value })}
      />
    ))}
  </SimpleGrid>
)
