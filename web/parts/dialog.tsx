import type { DialogProps } from './dialog-box.tsx'
import { useOnDemand } from './on-demand.ts'

/** A modal dialog. Its code is loaded when the first one opens, because a page can be read without it. */
export function Dialog(props: DialogProps) {
  const loaded = useOnDemand(props.isOpen, () => import('./dialog-box.tsx'))
  return loaded && <loaded.DialogBox {...props} />
}
