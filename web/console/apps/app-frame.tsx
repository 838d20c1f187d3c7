import { Alert, Stack } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import type { App } from '../../api/operations.ts'
import { Ban, Clock } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Tabs, tab } from '../../parts/tabs.tsx'
import { consoleWords } from '../words.ts'
import { AppStatusBadge } from './status-badge.tsx'

const route = getRouteApi('/signed-in/console/apps/$clientId')
const { app: say } = consoleWords

/** Returns the app of the current page. `AppFrame` renders pages only once the app is loaded. */
export const useApp = (): App => useSuspenseQuery(route.useLoaderData().app).data

/** The frame of all pages of an app: its name, its status and the tabs. */
export function AppFrame() {
  const found = useQuery(route.useLoaderData().app)
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
          <AppTabs clientId={app.clientId} />
          <Stack gap="lg">
            {app.status === 'pending' && (
              <Alert color="yellow" icon={<Clock size={18} aria-hidden />} title={consoleWords.app.pendingTitle}>
                {consoleWords.app.pendingText}
              </Alert>
            )}
            {app.status === 'suspended' && (
              <Alert color="red" icon={<Ban size={18} aria-hidden />} title={consoleWords.app.suspendedTitle}>
                {app.statusReason !== null && <p>{consoleWords.app.suspendedReason(app.statusReason)}</p>}
                {consoleWords.app.suspendedText}
              </Alert>
            )}
            <Outlet />
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
