import { SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/states.tsx'
import { accountWords } from '../words.ts'
import { AppsCard } from './apps-card.tsx'
import { BrowsersCard } from './browsers-card.tsx'
import { ConnectionsCard } from './connections-card.tsx'
import { EmailCard } from './email-card.tsx'
import { PasskeysCard } from './passkeys-card.tsx'
import { PasswordCard } from './password-card.tsx'

const route = getRouteApi('/signed-in/account/security')
const { security: say } = accountWords

/** Shows the ways to sign in, and where the person is signed in. */
export function SecurityPage() {
  const settings = useQuery(route.useLoaderData().settings)
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Loaded query={settings}>
        {(person) => (
          <Stack gap="lg">
            <PasskeysCard hasPassword={person.hasPassword} />
            <ConnectionsCard />
            <BrowsersCard />
            <AppsCard />
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
              <PasswordCard person={person} />
              <EmailCard key={person.email} person={person} />
            </SimpleGrid>
          </Stack>
        )}
      </Loaded>
    </>
  )
}
