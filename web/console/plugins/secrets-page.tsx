import { useParams } from '@tanstack/react-router'
import { addPluginSecret, dropOldPluginSecret, listPlugins, readPlugin } from '../../api/operations.ts'
import { SecretsCard } from '../apps/secrets-card.tsx'
import { consoleWords } from '../words.ts'
import { PluginFrame } from './plugin-frame.tsx'

export function PluginSecretsPage() {
  const { clientId } = useParams({ from: '/signed-in/console/plugins/$clientId/secrets' })
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
