import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listOrganisationOwners, listOrganisations, type Organisation } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { editingWords } from './words.ts'

const { ask: say } = editingWords
const MAX_NAMED = 3

/** Tells instructors who cannot create courses whom to ask. Renders nothing for others. */
export function AskOwner() {
  const own = useQuery(query(listOrganisations, { limit: 20 }))
  const asked = (own.data?.docs ?? []).filter(({ role, may }) => role === 'instructor' && !may.createCourses)
  if (asked.length === 0) return null
  return (
    <Alert variant="light" color="gray" title={say.title}>
      {asked.map((one) => (
        <Owners key={one.organisation} organisation={one} />
      ))}
    </Alert>
  )
}

function Owners({ organisation: { organisation, name } }: { readonly organisation: Organisation }) {
  const owners = useQuery(query(listOrganisationOwners, { organisation, limit: MAX_NAMED }))
  const names = (owners.data?.docs ?? []).map(
    ({ handle, firstName, lastName }) => `${firstName} ${lastName}`.trim() || handle,
  )
  return names.length > 0 && <Text size="sm">{say.text(name, say.and(names))}</Text>
}
