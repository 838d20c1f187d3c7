import { Anchor, Group, Text } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet, useMatch } from '@tanstack/react-router'
import type { ClassDetails } from '../../api/operations.ts'
import { PartOf } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Tabs, tab } from '../../parts/tabs.tsx'
import { dashboardWords } from '../words.ts'

const route = getRouteApi('/signed-in/dashboard/classes/$classId')
const { class: say } = dashboardWords

/**
 * Lists the tabs of a class. Tabs that serve only to make changes are hidden from observers, who may not change
 * anything.
 */
const listTabs = ({ may }: ClassDetails) =>
  [
    { to: '/dashboard/classes/$classId', label: say.overview, isShown: true },
    { to: '/dashboard/classes/$classId/gradebook', label: say.gradebook, isShown: true },
    { to: '/dashboard/classes/$classId/grading', label: say.grading, isShown: may.grade },
    { to: '/dashboard/classes/$classId/roster', label: say.roster, isShown: true },
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
          <PartOf value={classDetails.name}>
            <Outlet />
          </PartOf>
        </>
      )}
    </Loaded>
  )
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
