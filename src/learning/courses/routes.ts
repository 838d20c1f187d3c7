import { member } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { listOrPage } from '../../kernel/paging.ts'
import type { Role } from '../../kernel/roles.ts'
import {
  listAppLessons,
  listCourses,
  listLessons,
  listObjectives,
  readCourse,
  readLesson,
  readLessonContent,
} from './courses.ts'
import {
  CoursePage,
  CourseRecord,
  LEARNERS,
  LESSON_READERS,
  LessonDetails,
  LessonList,
  LessonPage,
  LessonRecord,
  ListAppLessons,
  ListCourses,
  ListLessons,
  Objectives,
  ReadCourse,
  ReadLesson,
} from './schema.ts'

const op = operationsIn({ area: 'Lessons and progress', who: member, scope: 'lessons' })

const COURSE_READERS: readonly Role[] = [...LESSON_READERS, 'otherInstructor']

export const courseOperations: readonly Operation[] = [
  op('GET /edu/v1/lesson', {
    name: 'readLesson',
    summary: 'Get a lesson',
    description:
      "Returns a lesson as the caller's class has it; users outside a class can read lessons that are public. `locked` says whether the caller can start it. With `classId` it is about that class, otherwise about the newest class in which the caller takes the lesson.",
    example: { request: { lessonId: 'lesson-walkaround', classId: 'class-alpha' } },
    roles: LESSON_READERS,
    input: ReadLesson,
    output: json(LessonRecord),
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => readLesson(db, who, input),
  }),
  op('GET /edu/v1/lesson/content', {
    name: 'readLessonContent',
    summary: 'Get the content of a lesson',
    description:
      "Returns what the caller's class sees of a lesson: the text of a page, the file, the rubric, or the rules of a quiz. The questions of a quiz are returned when an attempt starts. A student cannot read a locked lesson.",
    example: { request: { lessonId: 'lesson-walkaround', classId: 'class-alpha' } },
    roles: [...LEARNERS, 'administrator'],
    input: ReadLesson,
    output: json(LessonDetails),
    errors: ['forbidden', 'notFound', 'impossibleNow'],
    run: ({ db, who, environment }, input) => readLessonContent(db, who, input, environment),
  }),
  op('GET /edu/v1/lesson/course', {
    name: 'listLessonsOfCourse',
    summary: 'List lessons of a course',
    description:
      'Returns the lessons of a course in order, with child lessons inside their parents; pages count parents. Students see the version of the course that their class uses. Outside a class only public lessons are listed.',
    example: { request: { courseId: 'course-preflight', limit: 1 } },
    roles: COURSE_READERS,
    input: ListLessons,
    output: json(LessonPage),
    errors: ['notFound'],
    run: ({ db, who }, input) => listLessons(db, who, input),
  }),
  op('GET /edu/v1/lesson/app', {
    name: 'listLessonsOfApp',
    summary: 'List lessons of the calling app',
    description:
      "Returns the lessons that the calling app delivers in the caller's classes, or only in `classId`. The response is an array of at most 1000 lessons and about 2 MiB; with `page` or `limit`, it is a page, on which child lessons count. A child lesson whose parent belongs to another app, or is on another page, is listed on its own.",
    example: { request: { classId: 'class-alpha' } },
    roles: ['student', 'classmate', 'instructor', 'observer'],
    input: ListAppLessons,
    output: listOrPage(LessonList, LessonPage),
    errors: ['badRequest', 'forbidden'],
    run: ({ db, who }, input) => listAppLessons(db, who, input),
  }),
  op('GET /edu/v1/course', {
    name: 'readCourse',
    summary: 'Get a course',
    description:
      'Returns a course. Students and staff can read their courses, owners of an organisation its courses, and everybody public ones. `version` is the version that is shown: a class stays on the version that it started with.',
    example: { request: { courseId: 'course-preflight' } },
    roles: COURSE_READERS,
    input: ReadCourse,
    output: json(CourseRecord),
    errors: ['notFound'],
    run: ({ db, who }, input) => readCourse(db, who, input),
  }),
  op('GET /edu/v1/course/list', {
    name: 'listCourses',
    summary: 'List courses',
    description:
      "Returns the caller's courses and public courses, sorted by name. Courses that were never published are not listed.",
    example: { request: { limit: 10 } },
    roles: [...LEARNERS, 'otherInstructor', 'everyoneIfPublic'],
    input: ListCourses,
    output: json(CoursePage),
    run: ({ db, who }, input) => listCourses(db, who, input),
  }),
  op('GET /edu/v1/course/objectives', {
    name: 'listObjectives',
    summary: 'List objectives of a course',
    description:
      'Returns what students should be able to do after the course, each with the lessons that teach it. The score of a lesson counts for its objectives, unless a separate score was reported. `lessonScores` are those of the caller, as a student of the newest class.',
    example: { request: { courseId: 'course-preflight' } },
    roles: COURSE_READERS,
    input: ReadCourse,
    output: json(Objectives),
    errors: ['notFound'],
    run: ({ db, who }, input) => listObjectives(db, who, input),
  }),
]
