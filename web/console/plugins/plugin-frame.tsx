import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Plugin, readPlugin } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { TextLink } from '../../parts/link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Tabs, tab } from '../../parts/tabs.tsx'
import { consoleWords } from '../words.ts'
import { PluginStateBadge } from './state-badge.tsx'

const { plugin: say, plugins: sayAll } = consoleWords

interface PluginFrameProps {
  readonly clientId: string
  readonly children: (plugin: Plugin) => ReactNode
}

/** What all pages of a plugin stand in. */
export function PluginFrame({ clientId, children }: PluginFrameProps) {
  const found = useQuery(query(readPlugin, { clientId }))
  const params = { clientId }
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
          <Stack gap="lg">{children(plugin)}</Stack>
        </>
      )}
    </Loaded>
  )
}
