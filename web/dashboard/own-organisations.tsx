import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listOrganisations } from '../api/operations.ts'
import { query } from '../api/query.ts'
import { TextLink } from '../parts/link.tsx'
import { dashboardWords } from './words.ts'

/** Links owners to the people and the settings of their organisations. Renders nothing for others. */
export function OwnOrganisations() {
  const own = useQuery(query(listOrganisations, { role: 'owner', limit: 20 }))
  const owned = (own.data?.docs ?? []).filter(({ role }) => role === 'owner')
  if (owned.length === 0) return null
  return (
    <Group gap="md">
      {owned.map(({ organisation, name }) => (
        <TextLink key={organisation} to="/console/organisations/$organisation" params={{ organisation }} size="sm">
          {dashboardWords.classes.organisation(name)}
        </TextLink>
      ))}
    </Group>
  )
}
