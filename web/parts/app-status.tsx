import { type App, listApps, listChangedApps, readApp, setAppStatus } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { Confirm } from './confirm.tsx'
import { notify, notifyProblem, offerUndo } from './notify.tsx'
import { words } from './words.ts'

const { app: say } = words

type NamedApp = Pick<App, 'clientId' | 'name'>

/** Returns functions that approve and suspend an app, for administrators. */
export function useAppStatus({ clientId, name }: NamedApp) {
  const set = useWrite(setAppStatus, { changes: [listApps, listChangedApps, readApp] })
  // Use `mutateAsync`: its promise still resolves if the row of the app is unmounted meanwhile, whereas `mutate` would
  // drop its callbacks.
  const suspend = () => set.mutateAsync({ clientId, status: 'suspended' }).then(() => notify(say.suspended(name)))
  const undo = () => suspend().catch((error: Error) => notifyProblem(error.message))
  const approve = () =>
    set.mutateAsync({ clientId, status: 'approved' }).then(() => offerUndo(say.approved(name), () => void undo()))
  return {
    // Errors are ignored here, because `error` shows them.
    approve: () => void approve().catch(() => {}),
    suspend: (onDone = () => {}) => void suspend().then(onDone, () => {}),
    isPending: set.isPending,
    error: set.error,
  }
}

interface SuspendProps {
  readonly app: NamedApp
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
