import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { load } from '../api/load.ts'
import {
  listAwaiting,
  listCalendar,
  listClasses,
  listDates,
  listInvitations,
  listManagedClasses,
  listManagedCourses,
  listPackageItems,
  listPackageSessions,
  listPackages,
  listQuestions,
  listStudents,
  previewLesson,
  readAgenda,
  readCalendarFeed,
  readClass,
  readCourseDocument,
  readGradebook,
  readLessonContent,
  readPackage,
  readResults,
} from '../api/operations.ts'
import { query, queryClient } from '../api/query.ts'
import { signedIn } from '../parts/base-routes.ts'
import { known, oneOf, pageFrom, sortFrom, textFrom, textsFrom } from '../parts/search.ts'
import { monthFrom, monthOf, rangeOf } from './calendar/calendar-model.ts'
import { GRADEBOOK_COLUMNS, GRADEBOOK_STATES, gradebookPage } from './classes/gradebook-page-query.ts'
import { timelineQuery } from './progress/timeline-query.ts'

const dashboard = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard',
  component: lazyRouteComponent(() => import('./list-page.tsx'), 'ClassListPage'),
  validateSearch: ({ page }: Record<string, unknown>): { page?: number } => known({ page: pageFrom(page) }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { page = 1 } }) =>
    load(
      {
        agenda: query(readAgenda, {}),
        managedCourses: query(listManagedCourses, { limit: 100 }),
        managedClasses: query(listManagedClasses, { limit: 100 }),
        invitations: query(listInvitations, {}),
      },
      { classes: query(listClasses, { limit: 60, page }) },
    ),
})

const calendar = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/calendar',
  component: lazyRouteComponent(() => import('./calendar/calendar-page.tsx'), 'CalendarPage'),
  validateSearch: ({ month, class: inClass }: Record<string, unknown>) =>
    known({ month: monthFrom(month), class: textFrom(inClass, 200) }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { month = monthOf(new Date()), class: classId } }) =>
    load(
      { feed: query(readCalendarFeed, {}) },
      { calendar: query(listCalendar, { ...rangeOf(month), ...(classId !== undefined && { classId }) }) },
    ),
})

/** The frame of a class: the links back and the tabs. */
const classFrame = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/classes/$classId',
  component: lazyRouteComponent(() => import('./classes/class-frame.tsx'), 'ClassFrame'),
  loader: ({ params: { classId } }) => load({ classDetails: query(readClass, { classId }) }),
})

/** The first page of a class: lessons for students, the overview for staff. */
const classPage = createRoute({
  getParentRoute: () => classFrame,
  path: '/',
  component: lazyRouteComponent(() => import('./classes/class-page.tsx'), 'ClassPage'),
  loader: async ({ params: { classId } }) => {
    const results = query(readResults, { classId })
    const gradebook = query(readGradebook, { classId, limit: 100 })
    const details = await queryClient.ensureQueryData(query(readClass, { classId })).catch(() => undefined)
    if (details) await load(details.studentId === null ? { gradebook } : { results })
    return { results, gradebook }
  },
})

/** A lesson that students work on here, and not in an app. */
const lesson = createRoute({
  getParentRoute: () => classFrame,
  path: 'lessons/$lessonId',
  component: lazyRouteComponent(() => import('./lessons/lesson-page.tsx'), 'LessonPage'),
  /** Whether the content of a package is open over the page. */
  validateSearch: ({ content }: Record<string, unknown>) => known({ content: oneOf(['open'] as const, content) }),
  loader: async ({ params: { classId, lessonId } }) => {
    const lesson = query(readLessonContent, { classId, lessonId })
    const results = query(readResults, { classId })
    const details = await queryClient.ensureQueryData(query(readClass, { classId })).catch(() => undefined)
    // Staff have no results of their own.
    if (details?.studentId === null) return { ...(await load({ lesson })), results }
    return load({ lesson, results })
  },
})

/** The instructor's form for an instructor-led lesson. */
const evaluate = createRoute({
  getParentRoute: () => classFrame,
  path: 'lessons/$lessonId/evaluate',
  component: lazyRouteComponent(() => import('./evaluations/evaluate-page.tsx'), 'EvaluatePage'),
  /** The students to evaluate; all of the class if they are missing. */
  validateSearch: ({ students }: Record<string, unknown>) => known({ students: textsFrom(students, 100) }),
  loader: ({ params: { classId, lessonId } }) => load({ lesson: query(readLessonContent, { classId, lessonId }) }),
})

/** The answers of an attempt at a quiz, for staff. */
const quizAttempt = createRoute({
  getParentRoute: () => classFrame,
  path: 'quizzes/$lessonResultId',
  component: lazyRouteComponent(() => import('./quizzes/attempt-page.tsx'), 'QuizAttemptPage'),
})

const gradebook = createRoute({
  getParentRoute: () => classFrame,
  path: 'gradebook',
  component: lazyRouteComponent(() => import('./classes/gradebook-page.tsx'), 'GradebookPage'),
  validateSearch: ({ search, sort, lesson, state, in: inLesson }: Record<string, unknown>) =>
    known({
      search: textFrom(search, 200),
      sort: sortFrom(lesson === undefined ? ['name', 'passed', 'mean'] : GRADEBOOK_COLUMNS, sort),
      lesson: textFrom(lesson, 200),
      state: oneOf(GRADEBOOK_STATES, state),
      in: textFrom(inLesson, 200),
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { classId }, deps }) => load({}, { firstPage: gradebookPage(classId, deps, 1) }),
})

/** Tells whether a value is a time between 1970 and 2100, in milliseconds since 1970. */
const isMoment = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0 && Number(value) < Date.UTC(2100, 0)

const student = createRoute({
  getParentRoute: () => classFrame,
  path: 'students/$studentId',
  component: lazyRouteComponent(() => import('./classes/student-page.tsx'), 'StudentPage'),
  /** The part of the timeline that is shown; all of it if these are missing or invalid. */
  validateSearch: ({ from, to }: Record<string, unknown>): { from?: number; to?: number } =>
    known(isMoment(from) && isMoment(to) && from < to ? { from, to } : { from: undefined, to: undefined }),
  loader: async ({ params: { classId, studentId } }) => {
    // The timeline is the largest part of the page: if it came later, everything below it would move.
    const timeline = queryClient.prefetchInfiniteQuery(timelineQuery(classId, studentId))
    const reads = await load({
      students: query(listStudents, { classId, studentId }),
      results: query(readResults, { classId, studentId }),
    })
    await timeline
    return reads
  },
})

const grading = createRoute({
  getParentRoute: () => classFrame,
  path: 'grading',
  component: lazyRouteComponent(() => import('./classes/grading-page.tsx'), 'GradingPage'),
  validateSearch: ({ page, sort }: Record<string, unknown>) =>
    known({ page: pageFrom(page), sort: sortFrom(['student', 'lesson', 'completed'], sort) }),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { classId }, deps: { page = 1, ...filters } }) =>
    load({}, { waiting: query(listAwaiting, { classId, limit: 25, page, ...filters }) }),
})

const STATUSES = ['active', 'suspended', 'dropped'] as const
const roster = createRoute({
  getParentRoute: () => classFrame,
  path: 'roster',
  component: lazyRouteComponent(() => import('./classes/roster-page.tsx'), 'RosterPage'),
  validateSearch: ({ page, status, search, sort }: Record<string, unknown>) =>
    known({
      page: pageFrom(page),
      status: oneOf(STATUSES, status),
      search: textFrom(search, 200),
      sort: sortFrom(['enrolled', 'name', 'status'], sort),
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { classId }, deps: { page = 1, ...filters } }) =>
    load({}, { students: query(listStudents, { classId, limit: 25, page, ...filters }) }),
})

/** When the class and its lessons open, are due and close. */
const dates = createRoute({
  getParentRoute: () => classFrame,
  path: 'dates',
  component: lazyRouteComponent(() => import('./classes/dates-page.tsx'), 'DatesPage'),
  loader: ({ params: { classId } }) =>
    load({ dates: query(listDates, { classId }), lessons: query(readGradebook, { classId, limit: 1 }) }),
})

/** The sessions of the class with content packages. */
const sessions = createRoute({
  getParentRoute: () => classFrame,
  path: 'sessions',
  component: lazyRouteComponent(() => import('./classes/sessions-page.tsx'), 'SessionsPage'),
  validateSearch: ({ page, lesson }: Record<string, unknown>) =>
    known({ page: pageFrom(page), lesson: textFrom(lesson, 200) }),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { classId }, deps: { page = 1, lesson: lessonId } }) =>
    load(
      {},
      {
        sessions: query(listPackageSessions, { classId, limit: 25, page, ...(lessonId !== undefined && { lessonId }) }),
      },
    ),
})

const settings = createRoute({
  getParentRoute: () => classFrame,
  path: 'settings',
  component: lazyRouteComponent(() => import('./classes/settings-page.tsx'), 'SettingsPage'),
})

const course = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/courses/$courseId',
  component: lazyRouteComponent(() => import('./courses/course-page.tsx'), 'CoursePage'),
  loader: ({ params: { courseId } }) =>
    // Read the document again only after it was saved, so that it never changes while somebody edits it.
    load({ course: { ...query(readCourseDocument, { courseId }), staleTime: Number.POSITIVE_INFINITY } }),
})

const coursePreview = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/courses/$courseId/preview',
  component: lazyRouteComponent(() => import('./courses/preview-page.tsx'), 'CoursePreviewPage'),
  loader: ({ params: { courseId } }) => load({ course: query(readCourseDocument, { courseId }) }),
})

const lessonPreview = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/courses/$courseId/preview/$lessonId',
  component: lazyRouteComponent(() => import('./courses/preview-page.tsx'), 'LessonPreviewPage'),
  loader: ({ params: { courseId, lessonId } }) =>
    load({ lesson: query(previewLesson, { courseId, lessonId }), course: query(readCourseDocument, { courseId }) }),
})

const QUESTION_KINDS = ['single', 'multiple', 'ordering', 'matching', 'numeric', 'text', 'essay'] as const
const questionBank = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/questions/$organisation',
  component: lazyRouteComponent(() => import('./quizzes/bank-page.tsx'), 'BankPage'),
  validateSearch: ({ page, search, tag, kind, state }: Record<string, unknown>) =>
    known({
      page: pageFrom(page),
      search: textFrom(search, 200),
      tag: textFrom(tag, 60),
      kind: oneOf(QUESTION_KINDS, kind),
      state: oneOf(['archived'] as const, state),
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { organisation }, deps: { page = 1, search, state, ...filters } }) =>
    load(
      {},
      {
        questions: query(listQuestions, {
          organisation,
          limit: 25,
          page,
          ...filters,
          ...(search !== undefined && { query: search }),
          ...(state === 'archived' && { archived: true }),
        }),
      },
    ),
})

const packages = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/packages/$organisation',
  component: lazyRouteComponent(() => import('./packages/packages-page.tsx'), 'PackagesPage'),
  validateSearch: ({ page, search }: Record<string, unknown>) =>
    known({ page: pageFrom(page), search: textFrom(search, 200) }),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { organisation }, deps: { page = 1, search } }) =>
    load(
      {},
      {
        packages: query(listPackages, {
          organisation,
          limit: 25,
          page,
          ...(search !== undefined && { query: search }),
        }),
      },
    ),
})

const contentPackage = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/packages/$organisation/$packageId',
  component: lazyRouteComponent(() => import('./packages/package-page.tsx'), 'PackagePage'),
  validateSearch: ({ page }: Record<string, unknown>) => known({ page: pageFrom(page) }),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { packageId }, deps: { page = 1 } }) =>
    load(
      { package: query(readPackage, { packageId }) },
      { items: query(listPackageItems, { packageId, limit: 100, page }) },
    ),
})

const packagePreview = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/packages/$organisation/$packageId/preview/$item',
  component: lazyRouteComponent(() => import('./packages/preview-page.tsx'), 'PackagePreviewPage'),
  /** The course to which the link back leads; the package if it is missing. */
  validateSearch: ({ course: courseId }: Record<string, unknown>) => known({ course: textFrom(courseId, 200) }),
  loader: ({ params: { packageId } }) => load({ package: query(readPackage, { packageId }) }),
})

export const dashboardRoutes = [
  dashboard,
  classFrame.addChildren([
    classPage,
    lesson,
    evaluate,
    quizAttempt,
    gradebook,
    student,
    grading,
    roster,
    dates,
    sessions,
    settings,
  ]),
  calendar,
  course,
  coursePreview,
  lessonPreview,
  questionBank,
  packages,
  contentPackage,
  packagePreview,
] as const
