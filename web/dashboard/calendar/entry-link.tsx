import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

interface EntryLinkProps {
  readonly entry: { readonly classId: string; readonly lessonId: string | null }
  readonly className?: string | undefined
  readonly title?: string
  readonly children: ReactNode
}

/** Links to the lesson of an entry or, for a date of the whole class, to the class. */
export const EntryLink = ({ entry: { classId, lessonId }, ...props }: EntryLinkProps) =>
  lessonId === null ? (
    <Link to="/dashboard/classes/$classId" params={{ classId }} {...props} />
  ) : (
    <Link to="/dashboard/classes/$classId/lessons/$lessonId" params={{ classId, lessonId }} {...props} />
  )
