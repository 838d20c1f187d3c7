import { Badge } from '@mantine/core'
import type { PackageLesson } from '../../api/operations.ts'
import { Circle, CircleCheck, CircleMinus, CircleX, Clock, type IconType, Loader } from '../../parts/icons.tsx'
import { launchWords as say } from './words.ts'

type Reported = Pick<
  PackageLesson,
  'completed' | 'passed' | 'failed' | 'waived' | 'waiveReason' | 'satisfied' | 'progress' | 'score'
>
type State = keyof typeof say.states

const LOOKS: Record<State, { readonly icon: IconType; readonly color: string }> = {
  waived: { icon: CircleMinus, color: 'green' },
  passed: { icon: CircleCheck, color: 'green' },
  failed: { icon: CircleX, color: 'red' },
  completed: { icon: Clock, color: 'yellow' },
  open: { icon: Loader, color: 'sky' },
  new: { icon: Circle, color: 'gray' },
}

/** Returns the state of a lesson by what its content has reported. `hasStarted`: the student has opened it. */
function stateOf({ waived, satisfied, failed, completed, passed }: Reported, hasStarted: boolean): State {
  if (waived) return 'waived'
  if (satisfied) return 'passed'
  if (failed) return 'failed'
  if (completed || passed) return 'completed'
  return hasStarted ? 'open' : 'new'
}

interface PackageStateProps {
  readonly reported: Reported
  readonly hasStarted: boolean
}

/** Shows the state of a lesson with an icon and a word. */
export function PackageState({ reported, hasStarted }: PackageStateProps) {
  const state = stateOf(reported, hasStarted)
  const { icon: Icon, color } = LOOKS[state]
  return (
    <Badge color={color} leftSection={<Icon size={13} aria-hidden />}>
      {say.states[state]}
    </Badge>
  )
}

/** Says what it takes to pass a lesson. */
export const sayMoveOn = ({
  moveOn,
  masteryScore,
}: Pick<PackageLesson, 'moveOn' | 'masteryScore'>): string | undefined =>
  moveOn === null ? undefined : say.moveOn[moveOn]?.(masteryScore)
