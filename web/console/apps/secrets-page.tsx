import { Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { addAppSecret, dropOldAppSecret, listApps, readApp } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { consoleWords } from '../words.ts'
import { AppFrame } from './app-frame.tsx'
import { SecretsCard } from './secrets-card.tsx'

const route = getRouteApi('/signed-in/console/apps/$clientId/secrets')

export function AppSecretsPage() {
  const { clientId } = route.useParams()
  return (
    <AppFrame clientId={clientId}>
      {(app) =>
        app.public ? (
          <Card title={consoleWords.app.secrets}>
            <Text c="dimmed" size="sm">
              {consoleWords.app.noSecrets}
            </Text>
          </Card>
        ) : (
          <SecretsCard
            clientId={clientId}
            secrets={app.secrets}
            text={consoleWords.secrets.text}
            add={addAppSecret}
            dropOld={dropOldAppSecret}
            changes={[readApp, listApps]}
          />
        )
      }
    </AppFrame>
  )
}
