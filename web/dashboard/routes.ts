import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedIn } from '../parts/base-routes.ts'
import { known, oneOf, pageFrom, textFrom } from '../parts/search.ts'

const dashboard = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard',
  component: lazyRouteComponent(() => import('./list-page.tsx'), 'ClassListPage'),
})

const classPage = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/classes/$classId',
  component: lazyRouteComponent(() => import('./classes/class-page.tsx'), 'ClassPage'),
})

const gradebook = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/classes/$classId/gradebook',
  component: lazyRouteComponent(() => import('./classes/gradebook-page.tsx'), 'GradebookPage'),
  validateSearch: ({ search }: Record<string, unknown>): { search?: string } =>
    known({ search: textFrom(search, 200) }),
})

/** A moment of this century, in milliseconds of the epoch. */
const isMoment = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0 && Number(value) < Date.UTC(2100, 0)

const student = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/classes/$classId/students/$studentId',
  component: lazyRouteComponent(() => import('./classes/student-page.tsx'), 'StudentPage'),
  /** What of the timeline is looked at. */
  validateSearch: ({ from, to }: Record<string, unknown>): { from?: number; to?: number } =>
    known(isMoment(from) && isMoment(to) && from < to ? { from, to } : { from: undefined, to: undefined }),
})

const grading = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/classes/$classId/grading',
  component: lazyRouteComponent(() => import('./classes/grading-page.tsx'), 'GradingPage'),
  validateSearch: ({ page }: Record<string, unknown>): { page?: number } => known({ page: pageFrom(page) }),
})

const STATUSES = ['active', 'suspended', 'dropped'] as const
const roster = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/classes/$classId/roster',
  component: lazyRouteComponent(() => import('./classes/roster-page.tsx'), 'RosterPage'),
  validateSearch: ({
    page,
    status,
    search,
  }: Record<string, unknown>): { page?: number; status?: (typeof STATUSES)[number]; search?: string } =>
    known({ page: pageFrom(page), status: oneOf(STATUSES, status), search: textFrom(search, 200) }),
})

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/classes/$classId/settings',
  component: lazyRouteComponent(() => import('./classes/settings-page.tsx'), 'SettingsPage'),
})

const course = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/courses/$courseId',
  component: lazyRouteComponent(() => import('./courses/course-page.tsx'), 'CoursePage'),
})

export const dashboardRoutes = [dashboard, classPage, gradebook, student, grading, roster, settings, course] as const
