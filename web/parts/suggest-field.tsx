import { Autocomplete, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

/** A value that the person can pick, and the text that explains it. */
export interface Suggestion {
  readonly value: string
  readonly about?: string
}

/** Returns the read that finds suggestions for the typed text. */
export type Suggest = (typed: string) => UseQueryOptions<readonly Suggestion[], Error>

interface SuggestFieldProps {
  readonly name: string
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly suggest: Suggest
}

const REST_MS = 200

/** A text input that suggests values while the person types. Any other text is allowed as well. */
export function SuggestField({ name, label, placeholder, value, suggest }: SuggestFieldProps) {
  const [typed, setTyped] = useState(value)
  const [rested] = useDebouncedValue(typed.trim(), REST_MS)
  const found = useQuery(suggest(rested)).data ?? []
  const abouts = new Map(found.map((one) => [one.value, one.about]))
  return (
    <Autocomplete
      name={name}
      label={label}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      value={typed}
      onChange={setTyped}
      data={[...abouts.keys()]}
      // The read has chosen what matches.
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <div>
          {option.value}
          <Text size="xs" c="dimmed">
            {abouts.get(option.value)}
          </Text>
        </div>
      )}
      maxDropdownHeight={280}
    />
  )
}
