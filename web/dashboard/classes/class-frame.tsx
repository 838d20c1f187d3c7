import { Anchor, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type ClassDetails, readClass } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/states.tsx'
import tabs from '../../parts/tabs.module.css'
import { dashboardWords } from '../words.ts'

const { class: say } = dashboardWords

interface ClassFrameProps {
  /** The class's name where it has none of its own. */
  readonly title?: string
  readonly lead?: ReactNode | ((one: ClassDetails) => ReactNode)
  readonly action?: (one: ClassDetails) => ReactNode
  readonly children: (one: ClassDetails) => ReactNode
}

/** Observers see what instructors see. */
export const mayTeach = ({ role }: ClassDetails): boolean => role === 'instructor' || role === 'manager'

const PAGES = [
  ['/dashboard/classes/$classId', say.overview],
  ['/dashboard/classes/$classId/gradebook', say.gradebook],
  ['/dashboard/classes/$classId/grading', say.grading],
  ['/dashboard/classes/$classId/roster', say.roster],
  ['/dashboard/classes/$classId/settings', say.settings],
] as const
/** There is nothing on them that an observer could do. */
const FOR_TEACHERS: readonly string[] = [say.grading, say.settings]

/** What all pages of a class stand in. */
export function ClassFrame({ title, lead, action, children }: ClassFrameProps) {
  const classId = useParams({ strict: false }).classId!
  const found = useQuery(query(readClass, { classId }))
  return (
    <Loaded query={found}>
      {(one) => (
        <>
          <PageHead
            title={title ?? one.name}
            lead={typeof lead === 'function' ? lead(one) : lead}
            action={action?.(one)}
            above={
              <Group gap={6}>
                <Anchor component={Link} to="/dashboard" size="sm">
                  {dashboardWords.classes.title}
                </Anchor>
                {title !== undefined && (
                  <>
                    <Text size="sm" c="dimmed" aria-hidden>
                      /
                    </Text>
                    <Anchor
                      size="sm"
                      renderRoot={(props) => <Link to="/dashboard/classes/$classId" params={{ classId }} {...props} />}
                    >
                      {one.name}
                    </Anchor>
                  </>
                )}
              </Group>
            }
          />
          {one.studentId === null && (
            <nav aria-label={say.pages(one.name)} className={tabs.tabs}>
              {PAGES.filter(([, label]) => mayTeach(one) || !FOR_TEACHERS.includes(label)).map(([to, label]) => (
                <Link
                  key={to}
                  to={to}
                  params={{ classId }}
                  className={tabs.tab}
                  activeOptions={{ exact: true, includeSearch: false }}
                  activeProps={{ 'data-active': true }}
                >
                  {label}
                </Link>
              ))}
            </nav>
          )}
          {children(one)}
        </>
      )}
    </Loaded>
  )
}
