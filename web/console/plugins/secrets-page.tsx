import { addPluginSecret, dropOldPluginSecret, listPlugins, readPlugin } from '../../api/operations.ts'
import { SecretsCard } from '../apps/secrets-card.tsx'
import { consoleWords } from '../words.ts'
import { usePlugin } from './plugin-frame.tsx'

export function PluginSecretsPage() {
  const { clientId, secrets } = usePlugin()
  return (
    <SecretsCard
      clientId={clientId}
      secrets={secrets}
      text={consoleWords.secrets.pluginText}
      add={addPluginSecret}
      dropOld={dropOldPluginSecret}
      changes={[readPlugin, listPlugins]}
    />
  )
}
