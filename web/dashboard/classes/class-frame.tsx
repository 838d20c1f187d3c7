import { Anchor, Group, Text } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet, useMatch } from '@tanstack/react-router'
import { useState } from 'react'
import { type ClassDetails, readHere } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { onDemand } from '../../parts/on-demand.ts'
import { PartOf } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Tabs, tab } from '../../parts/tabs.tsx'
import { lessonsWaiting } from '../evaluations/outbox.ts'
import { dashboardWords } from '../words.ts'

const route = getRouteApi('/signed-in/dashboard/classes/$classId')
const { class: say } = dashboardWords

/**
 * Lists the tabs of a class. Tabs that serve only to make changes are hidden from observers, who may not change
 * anything.
 */
const listTabs = ({ may, hasPackages = false }: ClassDetails) =>
  [
    { to: '/dashboard/classes/$classId', label: say.overview, isShown: true },
    { to: '/dashboard/classes/$classId/gradebook', label: say.gradebook, isShown: true },
    { to: '/dashboard/classes/$classId/grading', label: say.grading, isShown: may.grade },
    { to: '/dashboard/classes/$classId/roster', label: say.roster, isShown: true },
    { to: '/dashboard/classes/$classId/dates', label: say.dates, isShown: true },
    { to: '/dashboard/classes/$classId/sessions', label: say.content, isShown: hasPackages },
    { to: '/dashboard/classes/$classId/settings', label: say.settings, isShown: may.changeRoster },
  ] as const

/** Returns the class of the current page. `ClassFrame` renders pages only once the class is loaded. */
export const useClass = (): ClassDetails => useSuspenseQuery(route.useLoaderData().classDetails).data

/** The frame of all pages of a class: links back, and tabs for staff. */
export function ClassFrame() {
  const found = useQuery(route.useLoaderData().classDetails)
  return (
    <Loaded query={found}>
      {(classDetails) => (
        <>
          <Breadcrumb classDetails={classDetails} />
          {classDetails.studentId === null && (
            <Tabs label={say.pages(classDetails.name)}>
              {listTabs(classDetails).map(
                ({ to, label, isShown }) =>
                  isShown && (
                    <Link key={to} to={to} params={{ classId: classDetails.classId }} {...tab}>
                      {label}
                    </Link>
                  ),
              )}
            </Tabs>
          )}
          {classDetails.may.evaluate && <Unsent classId={classDetails.classId} />}
          <PartOf value={classDetails.name}>
            <Outlet />
          </PartOf>
        </>
      )}
    </Loaded>
  )
}

const UnsentEvaluations = onDemand(
  async () => (await import('../evaluations/unsent-evaluations.tsx')).UnsentEvaluations,
)

/** Sends evaluations that an earlier visit left on this device. Their own page does so by itself. */
function Unsent({ classId }: { readonly classId: string }) {
  const here = useQuery(query(readHere, {}))
  const person = here.data?.person?.handle
  const isOwnPage =
    useMatch({ from: '/signed-in/dashboard/classes/$classId/lessons/$lessonId/evaluate', shouldThrow: false }) !==
    undefined
  if (person === undefined || isOwnPage) return null
  return <UnsentOf key={classId} person={person} classId={classId} />
}

function UnsentOf({ person, classId }: { readonly person: string; readonly classId: string }) {
  const [lessonIds] = useState(() => lessonsWaiting({ person, classId }))
  if (lessonIds.length === 0) return null
  return <UnsentEvaluations person={person} classId={classId} lessonIds={lessonIds} />
}

function Breadcrumb({ classDetails: { classId, name } }: { readonly classDetails: ClassDetails }) {
  // On the overview, the heading is the name of the class, so the breadcrumb leaves it out.
  const isOverview = useMatch({ from: '/signed-in/dashboard/classes/$classId/', shouldThrow: false }) !== undefined
  return (
    <Group gap={6} mb={4}>
      <Anchor component={Link} to="/dashboard" size="sm">
        {dashboardWords.classes.title}
      </Anchor>
      {!isOverview && (
        <>
          <Text size="sm" c="dimmed" aria-hidden>
            /
          </Text>
          <Anchor
            size="sm"
            renderRoot={(props) => <Link to="/dashboard/classes/$classId" params={{ classId }} {...props} />}
          >
            {name}
          </Anchor>
        </>
      )}
    </Group>
  )
}
