import { AUTHORS } from '../../apps/organisations/roles.ts'
import type { ErrorName } from '../../kernel/errors.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { PACKAGE_ID } from '../../kernel/samples.ts'
import { tokenPolicy } from '../../kernel/sessions/sessions.ts'
import { addCoursePackage } from './adding.ts'
import {
  discardDraft,
  listManagedCourses,
  listVersions,
  previewLesson,
  publishCourse,
  readDocument,
  removeCourse,
  saveCourse,
} from './authoring.ts'
import { duplicateCourse } from './duplicating.ts'
import { countTakenId } from './guesses.ts'
import { launchDraftLesson, listLessonApps, readLessonApp, testLaunch } from './launching.ts'
import {
  AddCoursePackage,
  CourseDocument,
  CourseVersion,
  CourseVersionPage,
  DraftLaunch,
  DuplicateCourse,
  LaunchDraftLesson,
  LaunchTest,
  LessonAppDetails,
  LessonAppPage,
  LessonDetails,
  ListLessonApps,
  ListManagedCourses,
  ListVersions,
  ManagedCoursePage,
  PreviewLesson,
  ReadCourse,
  ReadDocument,
  ReadLessonApp,
  SaveCourse,
  TestLaunch,
} from './schema.ts'

const op = operationsIn({ area: 'Courses and classes', who: person })

/** Pages are part of a course, so courses can be larger than other bodies. */
const COURSE_BYTES = 8 * 1024 * 1024
const REFUSED: readonly ErrorName[] = ['forbidden']

export const authoringOperations: readonly Operation[] = [
  op('PUT /edu/v1/course', {
    name: 'saveCourse',
    summary: 'Create or replace a course draft',
    description:
      'Creates a course, or replaces its draft with the whole course that is sent; an error lists all mistakes in `faults`, each with its place. Only users who manage the course see a draft until it is published. You choose the ids of lessons and objectives; keep them, because progress is recorded under them across versions.',
    example: {
      request: {
        courseId: 'course-night',
        organisation: 'sandhills',
        name: 'Night rating',
        public: true,
        lessons: [
          {
            id: 'lesson-lights',
            name: 'Lights',
            app: 'demo-app',
            launchUri: 'http://127.0.0.1/callback?part=lights',
            passCode: true,
          },
          { id: 'lesson-landing', name: 'Landing in the dark', threshold: 70, prerequisites: ['lesson-lights'] },
        ],
        objectives: [{ id: 'objective-sight', name: 'Sees at night', lessons: ['lesson-lights'] }],
      },
      as: 'ellis',
    },
    roles: AUTHORS,
    input: SaveCourse,
    bodyBytes: ({ BODY_LIMIT_BYTES }) => Math.max(BODY_LIMIT_BYTES, COURSE_BYTES),
    output: json(CourseDocument),
    errors: ['conflict'],
    run: (context, input) =>
      countTakenId(context, () => saveCourse(context.db, context.who, input, context.environment.name)),
  }),
  op('GET /edu/v1/course/document', {
    name: 'readCourseDocument',
    summary: 'Get a course document',
    description:
      'Returns a course as authors write it: its draft, or else its newest version. The document can be changed and sent back with `PUT /edu/v1/course`. With `version` it is that published version, which never changes.',
    example: { request: { courseId: 'course-night' }, as: 'ellis', after: 'saveCourse' },
    roles: AUTHORS,
    input: ReadDocument,
    output: json(CourseDocument),
    errors: [...REFUSED, 'notFound'],
    run: ({ db, who }, input) => readDocument(db, who, input),
  }),
  op('GET /edu/v1/course/lesson', {
    name: 'previewLesson',
    summary: 'Get a lesson of a draft',
    description:
      'Returns the content of a lesson of the draft, or of the newest version if there is no draft, as students will see it. The questions of a quiz are not included.',
    example: { request: { courseId: 'course-night', lessonId: 'lesson-lights' }, as: 'ellis', after: 'saveCourse' },
    roles: AUTHORS,
    input: PreviewLesson,
    output: json(LessonDetails),
    errors: [...REFUSED, 'notFound'],
    run: ({ db, who, environment }, input) => previewLesson(db, who, input, environment),
  }),
  op('POST /edu/v1/course/duplicate', {
    name: 'duplicateCourse',
    summary: 'Duplicate a course',
    description:
      'Copies the draft of a course, or its newest version if there is no draft, to a new draft. Lessons and objectives get new ids, and prerequisites refer to the copies. A course with files, packages or a quiz can only be copied within its organisation.',
    example: {
      request: { courseId: 'course-night', newCourseId: 'course-night-2', name: 'Night rating, part 2' },
      as: 'ellis',
      after: 'saveCourse',
    },
    roles: AUTHORS,
    input: DuplicateCourse,
    output: json(CourseDocument),
    errors: ['conflict', 'impossibleNow'],
    run: (context, input) =>
      countTakenId(context, () => duplicateCourse(context.db, context.who, input, context.environment.name)),
  }),
  op('POST /edu/v1/course/package', {
    name: 'addCoursePackage',
    summary: 'Add a content package to a course',
    description:
      'Adds lessons for the units of a content package to the draft of a course. A block at the top of the package becomes a lesson, and all units in it are its child lessons; names and descriptions are in English if the package has them. With `replaces`, lessons of the other package whose units still exist stay with their ids, those of vanished units are removed, and new units get lessons.',
    example: {
      request: { courseId: 'course-night', packageId: PACKAGE_ID },
      as: 'ellis',
      after: 'saveCourse',
      fill: { packageId: 'The id of a package that was uploaded' },
    },
    roles: AUTHORS,
    input: AddCoursePackage,
    output: json(CourseDocument),
    errors: ['forbidden', 'impossibleNow', 'validationFailed'],
    run: ({ db, who, environment }, input) => addCoursePackage(db, who, input, environment.name),
  }),
  op('GET /edu/v1/course/apps', {
    name: 'listLessonApps',
    summary: 'List apps for lessons',
    description:
      'Returns the apps that can deliver lessons of a course, sorted by name. These are all apps of its organisation, which come first, and approved apps of others.',
    example: { request: { courseId: 'course-night', query: 'demo' }, as: 'ellis', after: 'saveCourse' },
    roles: AUTHORS,
    input: ListLessonApps,
    output: json(LessonAppPage),
    errors: REFUSED,
    run: ({ db, who }, input) => listLessonApps(db, who, input),
  }),
  op('GET /edu/v1/course/app', {
    name: 'readLessonApp',
    summary: 'Get an app for lessons',
    description:
      'Returns an app that can deliver lessons of a course. A launch URL is one of its redirect URIs, with or without a query.',
    example: { request: { courseId: 'course-night', app: 'demo-app' }, as: 'ellis', after: 'saveCourse' },
    roles: AUTHORS,
    input: ReadLessonApp,
    output: json(LessonAppDetails),
    errors: [...REFUSED, 'notFound'],
    run: ({ db, who, environment }, input) => readLessonApp(db, who, input, environment.name),
  }),
  op('POST /edu/v1/course/lesson/test', {
    name: 'testLaunch',
    summary: 'Check the launch of a lesson',
    description:
      'Checks whether students will be able to open a lesson in its app, and says what to do about each problem. If the app is approved and the launch URL is one of its own, the platform also sends a request to it. Nothing is stored.',
    example: {
      request: {
        courseId: 'course-night',
        app: 'demo-app',
        launchUri: 'http://127.0.0.1/callback?part=lights',
        passCode: true,
      },
      as: 'ellis',
      after: 'saveCourse',
    },
    roles: AUTHORS,
    input: TestLaunch,
    output: json(LaunchTest),
    errors: REFUSED,
    run: ({ db, who, environment }, input) => testLaunch(db, who, input, environment),
  }),
  op('POST /edu/v1/course/lesson/launch', {
    name: 'launchDraftLesson',
    summary: 'Launch a lesson as its author',
    description:
      'Returns the URL that opens the app with the given settings of a lesson, for the caller and without a class. The app gets a code for the caller if `passCode` is set, and the caller has allowed the app or does so with `allow`.',
    example: {
      request: {
        courseId: 'course-night',
        lessonId: 'lesson-lights',
        app: 'demo-app',
        launchUri: 'http://127.0.0.1/callback?part=lights',
      },
      as: 'ellis',
      after: 'saveCourse',
    },
    roles: AUTHORS,
    input: LaunchDraftLesson,
    output: json(DraftLaunch),
    // The response may contain a code, which must not be stored for a repeated request.
    refusesIdempotencyKey: true,
    errors: ['impossibleNow', 'appNotUsable', 'consentMissing', 'noSuchApp'],
    run: ({ db, who, environment }, input) => launchDraftLesson(db, who, input, environment.get(tokenPolicy)),
  }),
  op('POST /edu/v1/course/publish', {
    name: 'publishCourse',
    summary: 'Publish a course',
    description:
      'Publishes the draft of a course as its newest version, which new classes use. Existing classes stay on the version that they started with. A draft that is the same as the newest version is refused.',
    example: { request: { courseId: 'course-night' }, as: 'ellis', after: 'saveCourse' },
    roles: AUTHORS,
    input: ReadCourse,
    output: json(CourseVersion),
    errors: ['impossibleNow', 'conflict'],
    run: (context, input) =>
      countTakenId(context, () => publishCourse(context.db, context.who, input, context.environment.name)),
  }),
  op('GET /edu/v1/course/versions', {
    name: 'listCourseVersions',
    summary: 'List course versions',
    description:
      'Returns the published versions of a course, newest first, with the number of classes on each. A version never changes.',
    example: { request: { courseId: 'course-night' }, as: 'ellis', after: 'publishCourse' },
    roles: AUTHORS,
    input: ListVersions,
    output: json(CourseVersionPage),
    errors: REFUSED,
    run: ({ db, who }, input) => listVersions(db, who, input),
  }),
  op('POST /edu/v1/course/draft/discard', {
    name: 'discardCourseDraft',
    summary: 'Discard a course draft',
    description:
      'Deletes the draft of a course; the published version stays. A course that was never published has to be deleted instead.',
    example: {
      request: { courseId: 'course-night' },
      as: 'ellis',
      after: 'saveCourse',
      fill: { courseId: 'A course that was published, and changed again after that' },
    },
    roles: AUTHORS,
    input: ReadCourse,
    output: success(),
    errors: ['impossibleNow'],
    run: ({ db, who }, input) => discardDraft(db, who, input),
  }),
  op('POST /edu/v1/course/remove', {
    name: 'removeCourse',
    summary: 'Delete a course',
    description:
      'Deletes a course with all its versions and the notes about it. This cannot be undone. A course that a class uses cannot be deleted, even if the class is closed.',
    example: { request: { courseId: 'course-night' }, as: 'ellis', after: 'saveCourse' },
    roles: AUTHORS,
    input: ReadCourse,
    output: success(),
    errors: ['impossibleNow'],
    run: ({ db, who }, input) => removeCourse(db, who, input),
  }),
  op('GET /edu/v1/course/managed', {
    name: 'listManagedCourses',
    summary: 'List courses that you manage',
    description:
      'Returns the courses that the caller can edit, sorted by name: those of the organisations that the caller owns, and those that they created as an instructor; administrators see all courses. Unpublished courses are included, without a version.',
    example: { request: { organisation: 'sandhills' }, as: 'ellis', after: 'saveCourse' },
    roles: AUTHORS,
    input: ListManagedCourses,
    output: json(ManagedCoursePage),
    run: ({ db, who }, input) => listManagedCourses(db, who, input),
  }),
]
