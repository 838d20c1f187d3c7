import { MANAGERS } from '../../apps/organisations/roles.ts'
import type { ErrorName } from '../../kernel/errors.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import {
  discardDraft,
  listManagedCourses,
  listVersions,
  publishCourse,
  readDocument,
  removeCourse,
  saveCourse,
} from './authoring.ts'
import { countTakenId } from './guesses.ts'
import {
  CourseDocument,
  CourseVersion,
  CourseVersionPage,
  ListManagedCourses,
  ListVersions,
  ManagedCoursePage,
  ReadCourse,
  ReadDocument,
  SaveCourse,
} from './schema.ts'

const op = operationsIn({ area: 'Courses and classes', who: person })

const REFUSED: readonly ErrorName[] = ['forbidden']

export const authoringOperations: readonly Operation[] = [
  op('PUT /edu/v1/course', {
    name: 'saveCourse',
    summary: 'Creates a course, or replaces its draft',
    description:
      'Send the whole course: it replaces the draft. Only people who manage the course see a draft until it is published. You choose the ids of lessons and objectives; keep them, because progress is recorded under them across versions.',
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
    roles: MANAGERS,
    input: SaveCourse,
    hasLargeBody: true,
    output: json(CourseDocument),
    errors: ['conflict'],
    run: (context, input) =>
      countTakenId(context, () => saveCourse(context.db, context.who, input, context.environment.name)),
  }),
  op('GET /edu/v1/course/document', {
    name: 'readCourseDocument',
    summary: 'Reads a course as authors write it: its draft, or else its newest version',
    description:
      'The answer can be changed and sent back with `PUT /edu/v1/course`. With `version` it is that published version, which never changes.',
    example: { request: { courseId: 'course-night' }, as: 'ellis', after: 'saveCourse' },
    roles: MANAGERS,
    input: ReadDocument,
    output: json(CourseDocument),
    errors: [...REFUSED, 'notFound'],
    run: ({ db, who }, input) => readDocument(db, who, input),
  }),
  op('POST /edu/v1/course/publish', {
    name: 'publishCourse',
    summary: 'Publishes the draft of a course as its newest version',
    description:
      'The draft becomes a version, and new classes take it. Existing classes stay on the version that they started with. A draft that is the same as the newest version is refused.',
    example: { request: { courseId: 'course-night' }, as: 'ellis', after: 'saveCourse' },
    roles: MANAGERS,
    input: ReadCourse,
    output: json(CourseVersion),
    errors: ['impossibleNow', 'conflict'],
    run: (context, input) =>
      countTakenId(context, () => publishCourse(context.db, context.who, input, context.environment.name)),
  }),
  op('GET /edu/v1/course/versions', {
    name: 'listCourseVersions',
    summary: 'Lists the published versions of a course',
    description: 'Newest first, with the number of classes on each version. A version never changes.',
    example: { request: { courseId: 'course-night' }, as: 'ellis', after: 'publishCourse' },
    roles: MANAGERS,
    input: ListVersions,
    output: json(CourseVersionPage),
    errors: REFUSED,
    run: ({ db, who }, input) => listVersions(db, who, input),
  }),
  op('POST /edu/v1/course/draft/discard', {
    name: 'discardCourseDraft',
    summary: 'Discards the draft of a course',
    description: 'The published version stays. A course that was never published has to be removed instead.',
    example: {
      request: { courseId: 'course-night' },
      as: 'ellis',
      after: 'saveCourse',
      fill: { courseId: 'A course that was published, and saved again after that' },
    },
    roles: MANAGERS,
    input: ReadCourse,
    output: success(),
    errors: ['impossibleNow'],
    run: ({ db, who }, input) => discardDraft(db, who, input),
  }),
  op('POST /edu/v1/course/remove', {
    name: 'removeCourse',
    summary: 'Removes a course that no class takes',
    description:
      'All its versions and the notes about it are removed too. This cannot be undone. A course that a class takes cannot be removed, even if the class has ended.',
    example: { request: { courseId: 'course-night' }, as: 'ellis', after: 'saveCourse' },
    roles: MANAGERS,
    input: ReadCourse,
    output: success(),
    errors: ['impossibleNow'],
    run: ({ db, who }, input) => removeCourse(db, who, input),
  }),
  op('GET /edu/v1/course/managed', {
    name: 'listManagedCourses',
    summary: 'Lists the courses that the caller manages, drafts included',
    description:
      'Courses of the organisations that the caller owns, by name; administrators see all. Unpublished courses are included, without a version.',
    example: { request: { organisation: 'sandhills' }, as: 'ellis', after: 'saveCourse' },
    roles: MANAGERS,
    input: ListManagedCourses,
    output: json(ManagedCoursePage),
    run: ({ db, who }, input) => listManagedCourses(db, who, input),
  }),
]
