import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type App, listApps, listChangedApps, readApp, setAppStatus } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { consoleWords } from '../console/words.ts'
import { Card } from './card.tsx'
import { Confirm } from './confirm.tsx'
import { notify, notifyProblem, offerUndo } from './notify.tsx'
import { Problem } from './states.tsx'
import { words } from './words.ts'

const { approvals } = words
const { appStatus: say } = consoleWords

type Named = Pick<App, 'clientId' | 'name'>

/** What an administrator decides about an app. */
export function useAppStatus({ clientId, name }: Named) {
  const set = useWrite(setAppStatus, { changes: [listApps, listChangedApps, readApp] })
  // Where the app was may be gone when it is done: a promise is kept all the same, callbacks of a part that has left are not.
  const suspend = () => set.mutateAsync({ clientId, status: 'suspended' }).then(() => notify(approvals.suspended(name)))
  const undo = () => suspend().catch((error: Error) => notifyProblem(error.message))
  const approve = () =>
    set.mutateAsync({ clientId, status: 'approved' }).then(() => offerUndo(approvals.approved(name), () => void undo()))
  return {
    // Where it fails, `error` shows it.
    approve: () => void approve().catch(() => {}),
    suspend: (onDone = () => {}) => void suspend().then(onDone, () => {}),
    isPending: set.isPending,
    error: set.error,
  }
}

export function AppStatusCard({ app }: { readonly app: App }) {
  const [isAsked, setAsked] = useState(false)
  const decide = useAppStatus(app)
  return (
    <Card title={say.title}>
      <Stack>
        {decide.error && !isAsked && <Problem error={decide.error} />}
        <Group justify="space-between">
          <Text size="sm">{say.texts[app.status]}</Text>
          {app.status === 'approved' ? (
            <Button variant="light" color="red" onClick={() => setAsked(true)}>
              {say.suspend}
            </Button>
          ) : (
            <Button onClick={decide.approve} loading={decide.isPending}>
              {approvals.approve}
            </Button>
          )}
        </Group>
      </Stack>
      <SuspendDialog app={app} decide={decide} isOpen={isAsked} onClose={() => setAsked(false)} />
    </Card>
  )
}

interface SuspendProps {
  readonly app: Named
  readonly decide: ReturnType<typeof useAppStatus>
  readonly isOpen: boolean
  readonly onClose: () => void
}

export const SuspendDialog = ({ app, decide, isOpen, onClose }: SuspendProps) => (
  <Confirm
    isOpen={isOpen}
    title={say.suspendTitle(app.name)}
    go={say.suspend}
    isPending={decide.isPending}
    error={decide.error}
    onGo={() => decide.suspend(onClose)}
    onClose={onClose}
  >
    {say.suspendText}
  </Confirm>
)
