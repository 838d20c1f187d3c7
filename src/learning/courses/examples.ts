import { DONE, MOMENT, REDIRECT_URI } from '../../kernel/samples.ts'

const launchParameters = ['scene=apron']

/** A lesson of the demo data. */
const WALKAROUND = {
  lessonId: 'lesson-walkaround',
  courseId: 'course-preflight',
  name: 'Walkaround',
  description: 'Look at the aircraft from all sides, and find what is wrong with it.',
  profilePic: '',
  coverPhoto: '',
  media: '',
  expectedCompletionTime: 30,
  instructorGraded: false,
  childLessons: [],
  public: false,
  launchParameters,
  locked: false,
}

const step = (lessonId: string, name: string, expectedCompletionTime: number) => ({
  ...WALKAROUND,
  lessonId,
  name,
  description: '',
  expectedCompletionTime,
  launchParameters: [],
  locked: true,
})

const CHECKLIST = {
  ...WALKAROUND,
  lessonId: 'lesson-checklist',
  name: 'Checklist',
  description: 'Work through the preflight checklist, inside and outside.',
  expectedCompletionTime: 45,
  childLessons: [step('lesson-checklist-interior', 'Interior', 20), step('lesson-checklist-exterior', 'Exterior', 25)],
  launchParameters: ['scene=hangar'],
  locked: true,
}

const CHECKRIDE = {
  ...step('lesson-checkride', 'Checkride', 60),
  description: 'All of it, without help.',
}

export const PREFLIGHT = {
  courseId: 'course-preflight',
  name: 'Preflight',
  description: 'From the walkaround to the checkride, before the first solo.',
  profilePic: '',
  coverPhoto: '',
  public: false,
  organisation: 'sandhills',
  version: 1,
}

const paged = (docs: readonly object[], total: number, limit: number) => ({
  docs,
  total,
  limit,
  page: 1,
  pages: Math.ceil(total / limit),
})

/** What people read about these operations. */
export const examples = {
  readLesson: {
    description:
      'Students and staff of a class read the lesson as their class has it; others read lessons that are public. `locked` says whether the caller can start it. With `classId` it is about that class, otherwise about the newest one in which the caller takes the lesson.',
    example: {
      request: { lessonId: 'lesson-walkaround', classId: 'class-alpha' },
      answer: { ...WALKAROUND, isAssessment: false },
    },
  },
  listLessonsOfCourse: {
    description:
      'The lessons are in order, with child lessons inside their parents; pages count parents. Students see the version of the course that their class takes. Outside of a class only public lessons are listed.',
    example: { request: { courseId: 'course-preflight', limit: 1 }, answer: paged([WALKAROUND], 3, 1) },
  },
  listLessonsOfApp: {
    description:
      "The lessons that the calling app delivers in the caller's classes, or only in `classId`. The answer is a plain array. A child lesson whose parent belongs to another app is listed on its own.",
    example: { request: { classId: 'class-alpha' }, answer: [WALKAROUND, CHECKLIST, CHECKRIDE] },
  },
  readCourse: {
    description:
      'Students and staff read their courses, owners of an organisation its courses, and everybody those that are public. `version` is the one that is shown: a class stays on the version that it started with.',
    example: { request: { courseId: 'course-preflight' }, answer: PREFLIGHT },
  },
  listCourses: {
    description:
      "The caller's courses and those that are public, by name. Courses that were never published are not listed.",
    example: { request: { limit: 10 }, answer: paged([PREFLIGHT], 1, 10) },
  },
  listObjectives: {
    description:
      'What students should be able to do afterwards, each with the lessons that teach it. The score of a lesson counts for its objectives, unless a separate score was reported.',
    example: {
      request: { courseId: 'course-preflight' },
      answer: [
        {
          objectiveId: 'objective-safety',
          courseId: 'course-preflight',
          name: 'Safety',
          description: 'Sees what is dangerous, and says so.',
          lessonIds: ['lesson-walkaround', 'lesson-checkride'],
        },
        {
          objectiveId: 'objective-procedure',
          courseId: 'course-preflight',
          name: 'Procedure',
          description: 'Does every step, in its order.',
          lessonIds: ['lesson-checklist', 'lesson-checkride'],
        },
      ],
    },
  },
}

const NIGHT = {
  courseId: 'course-night',
  organisation: 'sandhills',
  name: 'Night rating',
  public: true,
  lessons: [
    { id: 'lesson-lights', name: 'Lights', app: 'demo-app', launchUri: `${REDIRECT_URI}?part=lights`, passCode: true },
    { id: 'lesson-landing', name: 'Landing in the dark', threshold: 70, prerequisites: ['lesson-lights'] },
  ],
  objectives: [{ id: 'objective-sight', name: 'Sees at night', lessons: ['lesson-lights'] }],
}
const [as, after] = ['ellis', 'saveCourse'] as const
const courseId = 'course-night'
const FIRST = { courseId, version: 1, name: 'Night rating', publishedDate: MOMENT, classes: 0 }

/** The same for those that manage courses. */
export const authoringExamples = {
  saveCourse: {
    description:
      'Send the whole course: it replaces the draft. Only people who manage the course see a draft until it is published. You choose the ids of lessons and objectives; keep them, because progress is recorded under them across versions.',
    example: { request: NIGHT, answer: { ...NIGHT, version: null, draft: true }, as },
  },
  readCourseDocument: {
    description:
      'The answer can be changed and sent back with `PUT /edu/v1/course`. With `version` it is that published version, which never changes.',
    example: { request: { courseId }, answer: { ...NIGHT, version: null, draft: true }, as, after },
  },
  publishCourse: {
    description:
      'The draft becomes a version, and new classes take it. Existing classes stay on the version that they started with. A draft that is the same as the newest version is refused.',
    example: { request: { courseId }, answer: FIRST, as, after },
  },
  listCourseVersions: {
    description: 'Newest first, with the number of classes on each version. A version never changes.',
    example: {
      request: { courseId },
      answer: paged([FIRST], 1, 10),
      as,
      after: 'publishCourse',
    },
  },
  discardCourseDraft: {
    description: 'The published version stays. A course that was never published has to be removed instead.',
    example: {
      request: { courseId },
      answer: DONE,
      as,
      after,
      fill: { courseId: 'A course that was published, and saved again after that' },
    },
  },
  removeCourse: {
    description:
      'All its versions and the notes about it are removed too. This cannot be undone. A course that a class takes cannot be removed, even if the class has ended.',
    example: { request: { courseId }, answer: DONE, as, after },
  },
  listManagedCourses: {
    description:
      'Courses of the organisations that the caller owns, by name; administrators see all. Unpublished courses are included, without a version.',
    example: {
      request: { organisation: 'sandhills' },
      answer: paged(
        [
          { courseId, organisation: 'sandhills', name: 'Night rating', version: null, draft: true, classes: 0 },
          {
            courseId: 'course-preflight',
            organisation: 'sandhills',
            name: 'Preflight',
            version: 1,
            draft: false,
            classes: 1,
          },
        ],
        2,
        10,
      ),
      as,
      after,
    },
  },
}
