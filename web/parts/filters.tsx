import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import classes from './filters.module.css'
import { onDemand } from './on-demand.ts'
import type { Suggest } from './suggest-field.tsx'
import { words } from './words.ts'

const { filters: say } = words

/** Loaded only where a filter suggests values, because few do. */
const SuggestField = onDemand(
  async () => (await import('./suggest-field.tsx')).SuggestField,
  ({ label }) => <TextInput label={label} disabled />,
)

export interface FilterField {
  readonly name: string
  readonly label: string
  readonly placeholder?: string
  /** Labels of the choices, by value; without choices the field is a text input. */
  readonly choices?: Readonly<Record<string, string>>
  /** Whether the field is a date and time, in the person's time zone. */
  readonly isMoment?: boolean
  /** Returns the read that finds suggestions for the typed text. */
  readonly suggest?: Suggest
}

type Values = Readonly<Record<string, string | undefined>>

interface FiltersProps {
  readonly fields: readonly FilterField[]
  /** The current values, from the URL. */
  readonly values: Values
  readonly onChange: (values: Values) => void
}

/** Formats a time as the value of a `datetime-local` field: in the person's time zone, to the minute. */
const toLocal = (iso: string | undefined): string => {
  const moment = new Date(iso ?? '')
  if (Number.isNaN(moment.getTime())) return ''
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** A form with the filters of a list. Their values are part of the URL, so that a filtered list can be shared. */
export function Filters({ fields, values, onChange }: FiltersProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget)
    const read = ({ name, isMoment }: FilterField): string | undefined => {
      const value = String(typed.get(name) ?? '').trim()
      if (value === '') return undefined
      return isMoment ? new Date(value).toISOString() : value
    }
    onChange(Object.fromEntries(fields.map((field) => [field.name, read(field)])))
  }
  const isFiltered = fields.some(({ name }) => values[name] !== undefined)
  return (
    // The fields are uncontrolled, so a new form is created when the values change.
    <search key={JSON.stringify(values)} aria-label={say.label}>
      <form onSubmit={submit} className={classes.filters}>
        {fields.map(({ name, label, placeholder, choices, isMoment, suggest }) =>
          suggest ? (
            <SuggestField
              key={name}
              name={name}
              label={label}
              placeholder={placeholder ?? ''}
              value={values[name] ?? ''}
              suggest={suggest}
            />
          ) : choices ? (
            <NativeSelect
              key={name}
              name={name}
              label={label}
              defaultValue={values[name] ?? ''}
              data={[
                { value: '', label: say.all },
                ...Object.entries(choices).map(([value, label]) => ({ value, label })),
              ]}
            />
          ) : (
            <TextInput
              key={name}
              name={name}
              label={label}
              type={isMoment ? 'datetime-local' : 'text'}
              defaultValue={isMoment ? toLocal(values[name]) : (values[name] ?? '')}
              {...(placeholder !== undefined && { placeholder })}
              autoComplete="off"
              spellCheck={false}
            />
          ),
        )}
        <Group gap="xs" className={classes.actions}>
          <Button type="submit" variant="default">
            {say.apply}
          </Button>
          {isFiltered && (
            <Button variant="subtle" color="gray" onClick={() => onChange({})}>
              {say.clear}
            </Button>
          )}
        </Group>
      </form>
    </search>
  )
}
