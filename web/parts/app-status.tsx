import { type App, listApps, listChangedApps, readApp, setAppStatus } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { Confirm } from './confirm.tsx'
import { notify, notifyProblem, offerUndo } from './notify.tsx'
import { words } from './words.ts'

const { app: say } = words

type NamedApp = Pick<App, 'clientId' | 'name'>

/** Approves or suspends an app, for administrators. */
export function useAppStatus({ clientId, name }: NamedApp) {
  const set = useWrite(setAppStatus, { changes: [listApps, listChangedApps, readApp] })
  // The row of the app may be unmounted by then. A promise still resolves, but `mutate` drops the callbacks of an
  // unmounted component.
  const suspend = () => set.mutateAsync({ clientId, status: 'suspended' }).then(() => notify(say.suspended(name)))
  const undo = () => suspend().catch((error: Error) => notifyProblem(error.message))
  const approve = () =>
    set.mutateAsync({ clientId, status: 'approved' }).then(() => offerUndo(say.approved(name), () => void undo()))
  return {
    // A failure shows in `error`.
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
