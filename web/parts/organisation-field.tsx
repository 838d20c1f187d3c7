import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { listOrganisations, type Organisation } from '../api/operations.ts'
import { query } from '../api/query.ts'
import { organisationWords } from './organisation-words.ts'
import type { OrganisationRole } from './own-organisations.ts'

const say = organisationWords
const SHOWN = 20
const REST_MS = 200

interface OrganisationFieldProps {
  readonly asRole: OrganisationRole
  /** The organisation that is selected at first. */
  readonly first?: Organisation | undefined
  readonly onChange: (key: string) => void
  readonly description?: string
  /** Whether the person can choose none. */
  readonly isOptional?: boolean
  readonly error?: ReactNode
}

/**
 * A field to choose one of the organisations in which the person has the role `asRole`. It searches by name, because
 * administrators can choose from all organisations.
 */
export function OrganisationField({
  asRole: role,
  first,
  onChange,
  description,
  isOptional = false,
  error,
}: OrganisationFieldProps) {
  const [chosen, setChosen] = useState(first)
  const [typed, setTyped] = useState('')
  const [text] = useDebouncedValue(typed.trim(), REST_MS)
  // After a choice, the field contains the name of the chosen organisation, which must not be used as a search.
  const isSearch = text !== '' && text !== chosen?.name
  const { data } = useQuery({
    ...query(listOrganisations, { role, limit: SHOWN, ...(isSearch && { query: text }) }),
    placeholderData: keepPreviousData,
  })
  const found = data?.docs ?? []
  const all =
    chosen && !found.some(({ organisation }) => organisation === chosen.organisation) ? [chosen, ...found] : found
  return (
    <Select
      label={say.label}
      description={description}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      searchable
      allowDeselect={false}
      clearable={isOptional}
      nothingFoundMessage={say.noneFound}
      data={all.map(({ organisation, name }) => ({ value: organisation, label: name }))}
      // No filter here, because the platform has already filtered the list.
      filter={({ options }) => options}
      value={chosen?.organisation ?? null}
      onSearchChange={setTyped}
      onChange={(key) => {
        setChosen(all.find(({ organisation }) => organisation === key))
        onChange(key ?? '')
      }}
      error={error}
    />
  )
}
