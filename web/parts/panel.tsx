import { useOnDemand } from './on-demand.ts'
import type { PanelProps } from './panel-box.tsx'

/** A panel at the side of the page. Its code is loaded when the first one opens. */
export function Panel(props: PanelProps) {
  const loaded = useOnDemand(props.isOpen, () => import('./panel-box.tsx'))
  return loaded && <loaded.PanelBox {...props} />
}
