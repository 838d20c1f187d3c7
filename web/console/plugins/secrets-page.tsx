import { getRouteApi } from '@tanstack/react-router'
import { addPluginSecret, dropOldPluginSecret, listPlugins, readPlugin } from '../../api/operations.ts'
import { SecretsCard } from '../apps/secrets-card.tsx'
import { consoleWords } from '../words.ts'
import { PluginFrame } from './plugin-frame.tsx'

const route = getRouteApi('/signed-in/console/plugins/$clientId/secrets')

export function PluginSecretsPage() {
  const { clientId } = route.useParams()
  return (
    <PluginFrame clientId={clientId}>
      {({ secrets }) => (
        <SecretsCard
          clientId={clientId}
          secrets={secrets}
          text={consoleWords.secrets.pluginText}
          add={addPluginSecret}
          dropOld={dropOldPluginSecret}
          changes={[readPlugin, listPlugins]}
        />
      )}
    </PluginFrame>
  )
}
