import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, only, textFrom } from '../parts/search.ts'
import { signedIn } from './base.tsx'

const dashboard = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard',
  component: lazyRouteComponent(() => import('../classes/list-page.tsx'), 'ClassListPage'),
})

const classPage = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/classes/$classId',
  component: lazyRouteComponent(() => import('../classes/class-page.tsx'), 'ClassPage'),
})

const gradebook = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/classes/$classId/gradebook',
  component: lazyRouteComponent(() => import('../classes/gradebook-page.tsx'), 'GradebookPage'),
  validateSearch: ({ search }: Record<string, unknown>): { search?: string } =>
    only({ search: textFrom(search)?.slice(0, 200) }),
})

const wholeOr = <T,>(value: unknown, otherwise: T): number | T =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : otherwise

const student = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/classes/$classId/students/$studentId',
  component: lazyRouteComponent(() => import('../progress/student-page.tsx'), 'StudentPage'),
  /** What of the timeline is looked at, in milliseconds of the epoch. */
  validateSearch: ({ from, to }: Record<string, unknown>): { from?: number; to?: number } => {
    const [start, end] = [wholeOr(from, undefined), wholeOr(to, undefined)]
    return start !== undefined && end !== undefined && start < end ? { from: start, to: end } : {}
  },
})

const pageOf = (value: unknown): { page?: number } => {
  const page = wholeOr(value, undefined)
  return page === undefined ? {} : { page }
}

const grading = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/classes/$classId/grading',
  component: lazyRouteComponent(() => import('../classes/grading-page.tsx'), 'GradingPage'),
  validateSearch: ({ page }: Record<string, unknown>) => pageOf(page),
})

const STATUSES = ['active', 'suspended', 'dropped'] as const
const roster = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/classes/$classId/roster',
  component: lazyRouteComponent(() => import('../classes/roster-page.tsx'), 'RosterPage'),
  validateSearch: ({
    page,
    status,
    search,
  }: Record<string, unknown>): { page?: number; status?: (typeof STATUSES)[number]; search?: string } => ({
    ...pageOf(page),
    ...only({ status: oneOf(STATUSES, status), search: textFrom(search)?.slice(0, 200) }),
  }),
})

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/classes/$classId/settings',
  component: lazyRouteComponent(() => import('../classes/settings-page.tsx'), 'SettingsPage'),
})

const course = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/courses/$courseId',
  component: lazyRouteComponent(() => import('../courses/course-page.tsx'), 'CoursePage'),
})

export const dashboardRoutes = [dashboard, classPage, gradebook, student, grading, roster, settings, course] as const
