import type { MoveOn } from './names.ts'

/** A unit or a block of a registered package, with its state. */
export interface ItemState {
  readonly position: number
  readonly parent: number | null
  readonly kind: 'unit' | 'block'
  /** The id that the publisher gave it. */
  readonly publisher: string
  readonly moveOn: MoveOn
  readonly collateralCredit: readonly string[]
  isCompleted: boolean
  isPassed: boolean
  isWaived: boolean
  isSatisfied: boolean
  /** True for a unit that is no lesson of the class: the blocks around it do not wait for it. */
  readonly isLeftOut: boolean
}

/** A change that follows from the state of a course. `course` is the position of the course itself. */
export type Consequence = { readonly kind: 'satisfied' | 'waived'; readonly position: number }
export const COURSE = -1

const isDone = ({ isSatisfied, isLeftOut }: ItemState): boolean => isSatisfied || isLeftOut

export function meetsMoveOn({ moveOn, isCompleted, isPassed, isWaived }: ItemState): boolean {
  if (isWaived) return true
  switch (moveOn) {
    case 'NotApplicable':
      return true
    case 'Completed':
      return isCompleted
    case 'Passed':
      return isPassed
    case 'CompletedAndPassed':
      return isCompleted && isPassed
    case 'CompletedOrPassed':
      return isCompleted || isPassed
  }
}

/**
 * Applies the rules of satisfaction to the items of a course, which it changes, until nothing follows any more. Returns
 * what followed, in the order in which statements are to say it: blocks from the inside out, then the course, then
 * single units, and waived units before what follows from them.
 */
export function settle(items: readonly ItemState[], isCourseSatisfied: boolean): Consequence[] {
  const byPublisher = new Map(items.map((item) => [item.publisher, item]))
  const childrenOf = Map.groupBy(items, ({ parent }) => parent)
  const waived: Consequence[] = []
  const [units, blocks]: [Consequence[], Consequence[]] = [[], []]
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false
    // Children come after their block in the document, so the reverse order visits them first.
    for (const item of items.toReversed()) {
      if (item.isSatisfied) continue
      const isMet = item.kind === 'unit' ? meetsMoveOn(item) : (childrenOf.get(item.position) ?? []).every(isDone)
      if (!isMet) continue
      item.isSatisfied = true
      hasChanged = true
      const { position } = item
      ;(item.kind === 'unit' ? units : blocks).push({ kind: 'satisfied', position })
      for (const publisher of item.collateralCredit) {
        const unit = byPublisher.get(publisher)
        if (unit?.kind !== 'unit' || unit.isWaived || unit.isSatisfied) continue
        unit.isWaived = true
        waived.push({ kind: 'waived', position: unit.position })
      }
    }
  }
  const isMet = !isCourseSatisfied && items.every(isDone)
  const course: Consequence[] = isMet ? [{ kind: 'satisfied', position: COURSE }] : []
  const depth = (position: number): number => {
    let count = 0
    for (let at = items[position]?.parent ?? null; at !== null; at = items[at]?.parent ?? null) count++
    return count
  }
  const inner = blocks.sort((a, b) => depth(b.position) - depth(a.position) || a.position - b.position)
  return [...waived, ...inner, ...course, ...units.sort((a, b) => a.position - b.position)]
}
