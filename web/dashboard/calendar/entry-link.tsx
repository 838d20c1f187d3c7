import type { ReactNode } from 'react'
import { TextLink } from '../../parts/link.tsx'

interface EntryLinkProps {
  readonly entry: { readonly classId: string; readonly lessonId: string | null; readonly locked?: boolean }
  readonly className?: string | undefined
  readonly title?: string
  readonly children: ReactNode
}

/** Links to the lesson of an entry. If it is locked, links to the class, which says why. */
export const EntryLink = ({ entry: { classId, lessonId, locked = false }, ...props }: EntryLinkProps) =>
  lessonId === null || locked ? (
    <TextLink to="/dashboard/classes/$classId" params={{ classId }} {...props} />
  ) : (
    <TextLink to="/dashboard/classes/$classId/lessons/$lessonId" params={{ classId, lessonId }} {...props} />
  )
