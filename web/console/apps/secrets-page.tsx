import { Text } from '@mantine/core'
import { addAppSecret, dropOldAppSecret, listApps, readApp } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { consoleWords } from '../words.ts'
import { useApp } from './app-frame.tsx'
import { SecretsCard } from './secrets-card.tsx'

export function AppSecretsPage() {
  const app = useApp()
  return app.public ? (
    <Card title={consoleWords.app.secrets}>
      <Text c="dimmed" size="sm">
        {consoleWords.app.noSecrets}
      </Text>
    </Card>
  ) : (
    <SecretsCard
      clientId={app.clientId}
      secrets={app.secrets}
      text={
        app.tokenEndpointAuthMethod === 'private_key_jwt' ? consoleWords.app.keyedSecrets : consoleWords.secrets.text
      }
      add={addAppSecret}
      dropOld={dropOldAppSecret}
      changes={[readApp, listApps]}
    />
  )
}
