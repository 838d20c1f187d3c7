import { type App, listApps, listChangedApps, readApp, setAppStatus } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { appWords } from './app-words.ts'
import { notify, notifyProblem, offerUndo } from './notify.tsx'
import { ReasonDialog } from './reason-dialog.tsx'

const say = appWords

type NamedApp = Pick<App, 'clientId' | 'name'>

/** Returns functions that approve and suspend an app, for administrators. */
export function useAppStatus({ clientId, name }: NamedApp) {
  const set = useWrite(setAppStatus, { changes: [listApps, listChangedApps, readApp] })
  // Use `mutateAsync`: its promise still resolves if the row of the app is unmounted meanwhile, whereas `mutate` would
  // drop its callbacks.
  const suspend = (reason: string) =>
    set.mutateAsync({ clientId, status: 'suspended', reason }).then(() => notify(say.suspended(name)))
  const undo = () => suspend(say.undone).catch((error: Error) => notifyProblem(error.message))
  const approve = () =>
    set.mutateAsync({ clientId, status: 'approved' }).then(() => offerUndo(say.approved(name), () => void undo()))
  return {
    // Errors are ignored here, because `error` shows them.
    approve: () => void approve().catch(() => {}),
    suspend: (reason: string, onDone = () => {}) => void suspend(reason).then(onDone, () => {}),
    isPending: set.isPending,
    error: set.error,
  }
}

interface SuspendProps {
  readonly app: NamedApp
  readonly decide: ReturnType<typeof useAppStatus>
  readonly isOpen: boolean
  readonly onClose: () => void
  /** Texts of another occasion to suspend an app, such as refusing one that was never approved. */
  readonly title?: string
  readonly go?: string
  readonly text?: string
}

export const SuspendDialog = ({ app, decide, isOpen, onClose, title, go, text }: SuspendProps) =>
  isOpen && (
    <ReasonDialog
      title={title ?? say.suspendTitle(app.name)}
      go={go ?? say.suspend}
      help={say.reasonHelp}
      isDangerous
      isPending={decide.isPending}
      error={decide.error}
      onGo={(reason) => decide.suspend(reason, onClose)}
      onClose={onClose}
    >
      {text ?? say.suspendText}
    </ReasonDialog>
  )
