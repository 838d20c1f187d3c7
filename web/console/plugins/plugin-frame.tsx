import { Stack } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import type { Plugin } from '../../api/operations.ts'
import { TextLink } from '../../parts/link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Tabs, tab } from '../../parts/tabs.tsx'
import { consoleWords } from '../words.ts'
import { PluginStateBadge } from './state-badge.tsx'

const route = getRouteApi('/signed-in/console/plugins/$clientId')
const { plugin: say, plugins: sayAll } = consoleWords

/** Returns the plugin of the current page. `PluginFrame` renders pages only once the plugin is loaded. */
export const usePlugin = (): Plugin => useSuspenseQuery(route.useLoaderData().plugin).data

/** The frame of all pages of a plugin: its name, its state and the tabs. */
export function PluginFrame() {
  const params = route.useParams()
  const found = useQuery(route.useLoaderData().plugin)
  return (
    <Loaded query={found}>
      {(plugin) => (
        <>
          <PageHead
            title={plugin.name}
            lead={plugin.description || sayAll.kinds[plugin.kind]}
            action={<PluginStateBadge plugin={plugin} />}
            above={
              <TextLink to="/console/plugins" size="sm">
                {sayAll.title}
              </TextLink>
            }
          />
          <Tabs label={say.tabs}>
            <Link to="/console/plugins/$clientId" params={params} {...tab}>
              {say.overview}
            </Link>
            <Link to="/console/plugins/$clientId/settings" params={params} {...tab}>
              {say.settings}
            </Link>
            <Link to="/console/plugins/$clientId/permissions" params={params} {...tab}>
              {say.permissions}
            </Link>
            <Link to="/console/plugins/$clientId/secrets" params={params} {...tab}>
              {say.secrets}
            </Link>
            {plugin.kind === 'ato' && (
              <Link to="/console/plugins/$clientId/deliveries" params={params} {...tab}>
                {say.deliveries}
              </Link>
            )}
          </Tabs>
          <Stack gap="lg">
            <Outlet />
          </Stack>
        </>
      )}
    </Loaded>
  )
}
