import { Stack } from '@mantine/core'
import { useState } from 'react'
import { OrganisationField } from '../../parts/organisation-field.tsx'
import { PeopleImport } from '../../parts/people-import.tsx'
import { adminWords } from '../words.ts'

/** Imports people into an organisation that the administrator chooses. */
export function ImportPeople({ onClose }: { readonly onClose: () => void }) {
  const [organisation, setOrganisation] = useState('')
  return (
    <Stack>
      <OrganisationField asRole="owner" description={adminWords.people.importHelp} onChange={setOrganisation} />
      {organisation !== '' && <PeopleImport key={organisation} organisation={organisation} onClose={onClose} />}
    </Stack>
  )
}
