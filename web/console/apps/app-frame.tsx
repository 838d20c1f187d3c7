import { Alert, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ban, Clock } from 'lucide-react'
import type { ReactNode } from 'react'
import { type App, readApp } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { TextLink } from '../../parts/link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Tabs, tab } from '../../parts/tabs.tsx'
import { consoleWords } from '../words.ts'
import { AppStatusBadge } from './status-badge.tsx'

const { app: say } = consoleWords

interface AppFrameProps {
  readonly clientId: string
  readonly children: (app: App) => ReactNode
}

/** What all pages of an app stand in: its name, what it is now, and the way to the others. */
export function AppFrame({ clientId, children }: AppFrameProps) {
  const found = useQuery(query(readApp, { clientId }))
  return (
    <Loaded query={found}>
      {(app) => (
        <>
          <PageHead
            title={app.name}
            lead={app.organisationName ?? app.owner ?? undefined}
            action={<AppStatusBadge status={app.status} />}
            above={
              <TextLink to="/console/apps" size="sm">
                {consoleWords.apps.title}
              </TextLink>
            }
          />
          <AppTabs clientId={clientId} />
          <Stack gap="lg">
            {app.status === 'pending' && (
              <Alert color="yellow" icon={<Clock size={18} aria-hidden />} title={consoleWords.app.pendingTitle}>
                {consoleWords.app.pendingText}
              </Alert>
            )}
            {app.status === 'suspended' && (
              <Alert color="red" icon={<Ban size={18} aria-hidden />} title={consoleWords.app.suspendedTitle}>
                {consoleWords.app.suspendedText}
              </Alert>
            )}
            {children(app)}
          </Stack>
        </>
      )}
    </Loaded>
  )
}

const AppTabs = ({ clientId }: { readonly clientId: string }) => {
  const params = { clientId }
  return (
    <Tabs label={say.tabs}>
      <Link to="/console/apps/$clientId" params={params} {...tab}>
        {say.overview}
      </Link>
      <Link to="/console/apps/$clientId/settings" params={params} {...tab}>
        {say.settings}
      </Link>
      <Link to="/console/apps/$clientId/secrets" params={params} {...tab}>
        {say.secrets}
      </Link>
      <Link to="/console/apps/$clientId/snippets" params={params} {...tab}>
        {say.snippets}
      </Link>
      <Link to="/console/apps/$clientId/users" params={params} {...tab}>
        {say.users}
      </Link>
      <Link to="/console/apps/$clientId/requests" params={params} {...tab}>
        {say.requests}
      </Link>
    </Tabs>
  )
}
