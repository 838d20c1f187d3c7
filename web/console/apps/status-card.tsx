import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { App } from '../../api/operations.ts'
import { SuspendDialog, useAppStatus } from '../../parts/app-status.tsx'
import { appWords } from '../../parts/app-words.ts'
import { Card } from '../../parts/card.tsx'
import { Problem } from '../../parts/states.tsx'
import { consoleWords } from '../words.ts'

const { appStatus: say } = consoleWords

/** Lets administrators approve or suspend an app. */
export function AppStatusCard({ app }: { readonly app: App }) {
  const [isAsked, setAsked] = useState(false)
  const decide = useAppStatus(app)
  return (
    <Card title={say.title}>
      <Stack>
        {decide.error && !isAsked && <Problem title={say.failed} error={decide.error} />}
        <Group justify="space-between">
          <Text size="sm">{say.texts[app.status]}</Text>
          {app.status === 'approved' ? (
            <Button variant="light" color="red" onClick={() => setAsked(true)}>
              {appWords.suspend}
            </Button>
          ) : (
            <Button onClick={decide.approve} loading={decide.isPending}>
              {appWords.approve}
            </Button>
          )}
        </Group>
      </Stack>
      <SuspendDialog app={app} decide={decide} isOpen={isAsked} onClose={() => setAsked(false)} />
    </Card>
  )
}
