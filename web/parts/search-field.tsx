import { TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Search } from './icons.tsx'

const REST_MS = 250

interface SearchFieldProps {
  readonly label: string
  /** The text of the search, from the URL. */
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

/** A field that filters a list while the person types, after a short pause. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(value ?? '')
  const told = useRef(value)
  // Show the text from the URL if something else changed it, such as the Back button.
  useEffect(() => {
    if (value === told.current) return
    told.current = value
    setTyped(value ?? '')
  }, [value])
  useEffect(() => {
    const next = typed.trim() || undefined
    if (next === told.current) return
    const rest = setTimeout(() => {
      told.current = next
      onChange(next)
    }, REST_MS)
    return () => clearTimeout(rest)
  })
  return (
    <TextInput
      type="search"
      size="xs"
      w={200}
      aria-label={label}
      placeholder={label}
      maxLength={200}
      spellCheck={false}
      autoComplete="off"
      leftSection={<Search size={14} aria-hidden />}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  )
}
