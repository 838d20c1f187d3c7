import { type PointerEvent, type RefObject, useState } from 'react'
import type { CourseDocument } from '../../api/operations.ts'
import type { LessonPosition } from './course-model.ts'

/** A place at which a dragged row can be dropped, and the row beside which it is shown. */
interface Drop {
  readonly to: LessonPosition
  readonly row: number
  readonly edge: 'before' | 'after'
}

/** Lists the places of all lessons and steps, in the order of their rows. */
export const placesIn = ({ lessons }: CourseDocument): LessonPosition[] =>
  lessons.flatMap((one, lesson) => [{ lesson }, ...(one.childLessons ?? []).map((_, step) => ({ lesson, step }))])

/** Finds where a lesson or step is dropped that is held over the upper or lower half of a row. */
export function dropAt(doc: CourseDocument, from: LessonPosition, row: number, isLower: boolean): Drop | undefined {
  const over = placesIn(doc)[row]
  if (!over) return undefined
  const edge = isLower ? 'after' : 'before'
  if (from.step === undefined) {
    // A lesson is dropped between lessons, never between the steps of one.
    const isAfter = isLower || over.step !== undefined
    return { to: { lesson: over.lesson + (isAfter ? 1 : 0) }, row, edge: isAfter ? 'after' : 'before' }
  }
  if (over.step !== undefined) return { to: { lesson: over.lesson, step: over.step + (isLower ? 1 : 0) }, row, edge }
  if (isLower || over.lesson === 0) return { to: { lesson: over.lesson, step: 0 }, row, edge: 'after' }
  const before = over.lesson - 1
  return { to: { lesson: before, step: doc.lessons[before]!.childLessons?.length ?? 0 }, row, edge }
}

const SCROLL_EDGE_PX = 72
const SCROLL_STEP_PX = 16

/** Lets people drag the rows of a list by their grips, with a mouse, a pen or a finger. */
export function useDrag(
  list: RefObject<HTMLOListElement | null>,
  doc: CourseDocument,
  onDrop: (from: LessonPosition, to: LessonPosition) => void,
) {
  const [drag, setDrag] = useState<{ readonly from: LessonPosition; readonly drop?: Drop | undefined }>()
  const end = () => setDrag(undefined)
  const findDrop = (from: LessonPosition, y: number) => {
    const rows = [...(list.current?.children ?? [])].map((one) => one.getBoundingClientRect())
    const row = rows.findIndex(({ bottom }) => y <= bottom)
    const index = row < 0 ? rows.length - 1 : row
    const { top = 0, height = 0 } = rows[index] ?? {}
    return dropAt(doc, from, index, y > top + height / 2)
  }
  return {
    drag,
    gripOf: (from: LessonPosition) => ({
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setDrag({ from })
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        if (!drag) return
        const { clientY } = event
        if (clientY < SCROLL_EDGE_PX) scrollBy(0, -SCROLL_STEP_PX)
        if (clientY > innerHeight - SCROLL_EDGE_PX) scrollBy(0, SCROLL_STEP_PX)
        setDrag({ from: drag.from, drop: findDrop(drag.from, clientY) })
      },
      onPointerUp: ({ clientY }: PointerEvent<HTMLElement>) => {
        // Found again, because the state may lag behind the pointer. A press without a move drops nothing.
        const drop = drag?.drop && findDrop(drag.from, clientY)
        if (drop) onDrop(drag!.from, drop.to)
        end()
      },
      onPointerCancel: end,
    }),
  }
}
