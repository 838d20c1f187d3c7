import { type Static, Type } from 'typebox'
import { Flag, Id, Text, Whole } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'
import type { Role } from '../../kernel/roles.ts'
import { LinkedFile } from '../content/schema.ts'

/** Roles that may read about a lesson as the caller's class has it. */
export const LEARNERS = ['student', 'classmate', 'instructor', 'observer', 'owner'] as const satisfies readonly Role[]
/** Roles that may read a lesson; public lessons are for everybody. */
export const LESSON_READERS: readonly Role[] = [...LEARNERS, 'administrator', 'everyoneIfPublic']

/**
 * The form of the ids of courses, lessons, objectives, classes and students. Authors choose them, or they are
 * generated. They appear in URLs.
 */
export const ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$'
export const ID_MUST = '1 to 64 letters, digits or . _ ~ -, such as lesson-walkaround'
const OwnId = (description: string) => Type.String({ pattern: ID_PATTERN, maxLength: 64, description })

const Image = (description: string) => Type.Optional(Type.String({ maxLength: 500, description }))
const Line = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description })
const Long = (description: string) => Type.Optional(Type.String({ maxLength: 10_000, description }))
const OptionalFlag = (description: string) => Type.Optional(Type.Boolean({ description }))

/** Lessons of a course, including steps, and so steps of one lesson too: a block of a package can have all units. */
export const MAX_LESSONS = 1_500
export const MAX_OBJECTIVES = 200

/** How students work on a lesson, and who records the result: see docs/lessons-design.md. */
export const LESSON_KINDS = ['activity', 'app', 'instructor-led', 'page', 'file', 'quiz', 'package'] as const
const Kind = Type.Enum([...LESSON_KINDS])
export type LessonKind = Static<typeof Kind>

const Criterion = Type.Object({
  id: OwnId('Id of the criterion, unique in the lesson; keep it in all versions of the course'),
  name: Line(200, 'What is evaluated, such as Crosswind landing'),
  description: Type.Optional(Type.String({ maxLength: 2000, description: 'What is expected; empty by default' })),
  objective: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Id of an objective of the course that gets the score; none by default',
    }),
  ),
  points: Type.Optional(Type.Number({ minimum: 1, maximum: 1000, description: 'Maximum points; 100 by default' })),
})
const QuizPart = Type.Object({
  questions: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), { maxItems: 500, uniqueItems: true, description: 'Ids of questions' }),
  ),
  tag: Type.Optional(Line(100, 'All questions of the organisation with this tag, instead of questions')),
  draw: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, description: 'How many of them to draw at random; all by default' }),
  ),
})
const Quiz = Type.Object({
  parts: Type.Array(QuizPart, { minItems: 1, maxItems: 50, description: 'In order; each is a list or a pool' }),
  shuffleQuestions: OptionalFlag('Whether each attempt has its own order of questions; false by default'),
  shuffleAnswers: OptionalFlag('Whether each attempt has its own order of options; false by default'),
  timeLimit: Type.Optional(Type.Number({ minimum: 1, maximum: 1440, description: 'In minutes; no limit by default' })),
  feedback: Type.Optional(
    Type.Enum(['answer', 'end', 'never'], {
      description: 'When correct answers are shown: after each answer, at the end, or never; end by default',
    }),
  ),
})

const lesson = {
  id: OwnId('The lessonId. Keep it: progress is recorded under it in all versions of the course'),
  name: Line(200, 'Name of the lesson'),
  description: Long('Empty by default'),
  profilePic: Image('Id or URL of an image; none by default'),
  coverPhoto: Image('Id or URL of an image; none by default'),
  media: Type.Optional(Type.String({ maxLength: 2000, description: 'A URL or an id of media; none by default' })),
  isAssessment: OptionalFlag('Whether it is an assessment; false by default, except for a quiz'),
  kind: Type.Optional(
    Type.Enum([...LESSON_KINDS], {
      description: 'How students work on it; app by default if the lesson has an app, otherwise activity',
    }),
  ),
  text: Type.Optional(
    Type.String({
      maxLength: 100_000,
      description: 'Text of a page, in Markdown; uploaded files are linked as file: and their id',
    }),
  ),
  file: Type.Optional(Type.String({ maxLength: 64, description: 'Id of the uploaded PDF or video of a file lesson' })),
  captions: Type.Optional(
    Type.String({ maxLength: 64, description: 'Id of the uploaded WebVTT captions of a video; none by default' }),
  ),
  rubric: Type.Optional(
    Type.Array(Criterion, { maxItems: 50, description: 'What the instructor evaluates in an instructor-led lesson' }),
  ),
  quiz: Type.Optional(Quiz),
  package: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Id of the content package of a package lesson' }),
  ),
  item: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Position of a unit in the package, from 0; a lesson with child lessons can also show a block',
    }),
  ),
  expectedCompletionTime: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1_000_000, description: 'In minutes; none by default' }),
  ),
  instructorGraded: OptionalFlag('Whether an instructor grades it instead of the app; false by default'),
  public: OptionalFlag('Whether everybody can read about it, also outside its classes; false by default'),
  app: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 70,
      description:
        "Key or client ID of the app that delivers it and reports its progress; without one, instructors record progress on the platform's own pages",
    }),
  ),
  launchUri: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'URL at which the app opens it: a redirect URI of the app, with or without a query',
    }),
  ),
  launchParameters: Type.Optional(
    Type.Array(Type.String({ maxLength: 500, pattern: '^[^=]+=' }), {
      maxItems: 50,
      description: 'Added to the launch URL, each as name=value; none by default',
    }),
  ),
  passCode: OptionalFlag(
    'Whether the launch URL has a new code, so that the app can sign the student in; false by default',
  ),
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Passing score; without it the lesson is pass or fail',
    }),
  ),
  maxAttempts: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'Maximum number of attempts; no limit by default' }),
  ),
  prerequisites: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 50,
      uniqueItems: true,
      description: 'Ids of lessons of this course to pass first; none by default',
    }),
  ),
}

const objective = {
  id: OwnId('The objectiveId. Keep it in all versions of the course'),
  name: Line(200, 'Name of the objective'),
  description: Long('Empty by default'),
  lessons: Type.Array(Type.String({ maxLength: 64 }), {
    maxItems: MAX_LESSONS,
    uniqueItems: true,
    description: 'Ids of the lessons that teach it',
  }),
}

/**
 * Defines the content of a course version as authors write it. Unknown fields are refused in import files and ignored
 * in API requests.
 */
const contentWith = (unknown: { additionalProperties?: false }) => {
  const childLessons = Type.Array(Type.Object(lesson, unknown), {
    maxItems: MAX_LESSONS,
    description: 'Steps of this lesson, in order; none by default',
  })
  const ParentLesson = Type.Object({ ...lesson, childLessons: Type.Optional(childLessons) }, unknown)
  return {
    name: Line(200, 'Name of the course'),
    description: Long('Empty by default'),
    profilePic: Image('Id or URL of an image; none by default'),
    coverPhoto: Image('Id or URL of an image; none by default'),
    public: OptionalFlag('Whether everybody can read about it, also outside its classes; false by default'),
    lessons: Type.Array(ParentLesson, { maxItems: MAX_LESSONS, description: 'In order' }),
    objectives: Type.Optional(
      Type.Array(Type.Object(objective, unknown), { maxItems: MAX_OBJECTIVES, description: 'None by default' }),
    ),
  }
}
export const CourseContent = Type.Object(contentWith({ additionalProperties: false }))
export type CourseContent = Static<typeof CourseContent>
export type LessonContent = CourseContent['lessons'][number]

/** Returns the kind of a lesson. Lessons that were written before kinds existed have none. */
export const kindOf = ({ kind, app }: LessonContent): LessonKind => kind ?? (app === undefined ? 'activity' : 'app')

/** Lists the lessons of a course, each followed by its child lessons. */
export const lessonsIn = ({ lessons }: Pick<CourseContent, 'lessons'>): LessonContent[] =>
  lessons.flatMap((lesson) => [lesson, ...(lesson.childLessons ?? [])])

export interface Lesson {
  readonly lessonId: string
  readonly courseId: string
  readonly name: string
  readonly description: string
  readonly profilePic: string
  readonly coverPhoto: string
  readonly media: string
  readonly isAssessment?: boolean
  readonly expectedCompletionTime: number
  readonly instructorGraded: boolean
  readonly childLessons: readonly Lesson[]
  readonly public: boolean
  readonly launchParameters: readonly string[]
  readonly locked: boolean
}

const lessonFields = {
  lessonId: Type.String(),
  courseId: Type.String(),
  name: Type.String(),
  description: Type.String({ description: 'Empty if there is none' }),
  profilePic: Type.String({ description: 'Id or URL of an image; empty if there is none' }),
  coverPhoto: Type.String({ description: 'Id or URL of an image; empty if there is none' }),
  media: Type.String({ description: 'A URL or an id of media; empty if there is none' }),
  isAssessment: Type.Optional(Type.Boolean({ description: 'Only in the response for a single lesson' })),
  expectedCompletionTime: Type.Number({ description: 'In minutes; 0 if not set' }),
  instructorGraded: Type.Boolean(),
  public: Type.Boolean(),
  launchParameters: Type.Array(Type.String(), { description: 'Each is name=value' }),
  locked: Type.Boolean({ description: 'Whether the caller cannot start it yet; false for callers who do not take it' }),
}
const Child = Type.Object({ ...lessonFields, childLessons: Type.Array(Type.Object({}), { maxItems: 0 }) })
export const LessonRecord = Type.Object({ ...lessonFields, childLessons: Type.Array(Child) }, { title: 'Lesson' })
export const LessonList = Type.Array(LessonRecord, { title: 'Lessons' })
export const LessonPage = PageOf(LessonRecord, 'LessonPage')

const courseFields = {
  courseId: Type.String(),
  name: Type.String(),
  description: Type.String(),
  profilePic: Type.String({ description: 'Id or URL of an image; empty if there is none' }),
  coverPhoto: Type.String({ description: 'Id or URL of an image; empty if there is none' }),
  public: Type.Boolean(),
  organisation: Type.String({ description: 'Key of the organisation that owns it' }),
  version: Type.Integer({ description: 'Version of the course, from 1' }),
}
export const CourseRecord = Type.Object(courseFields, { title: 'Course' })
export type CourseRecord = Static<typeof CourseRecord>
export const CoursePage = PageOf(CourseRecord, 'CoursePage')
export const LessonScores = Type.Array(
  Type.Object({ lessonId: Type.String(), score: Type.Union([Type.Number(), Type.Null()]) }),
  {
    description:
      "The student's score in each lesson of the objective: the one reported for the objective, or else that of the lesson; null if there is none",
  },
)
export const Objectives = Type.Array(
  Type.Object({
    objectiveId: Type.String(),
    courseId: Type.String(),
    name: Type.String(),
    description: Type.String(),
    lessonIds: Type.Array(Type.String(), { description: 'The lessons that teach it' }),
    lessonScores: LessonScores,
  }),
  { title: 'Objectives' },
)

const classId = Type.Optional(Id('Id of the class; by default the newest one in which the caller takes the lesson'))

export const ReadLesson = Type.Object({ lessonId: Id('Id of the lesson'), classId })
export type ReadLesson = Static<typeof ReadLesson>
/** The content of a lesson as students see it. It never includes the questions of a quiz. */
export const LessonDetails = Type.Object(
  {
    lessonId: Type.String(),
    courseId: Type.String(),
    organisation: Type.String({ description: 'Key of the organisation that owns the course' }),
    name: Type.String(),
    description: Type.String({ description: 'Empty if there is none' }),
    kind: Kind,
    threshold: Type.Union([Type.Number(), Type.Null()], { description: 'Passing score; null if there is none' }),
    text: lesson.text,
    file: lesson.file,
    captions: lesson.captions,
    files: Type.Optional(Type.Array(LinkedFile, { description: 'The files that the lesson uses, with their URLs' })),
    rubric: lesson.rubric,
    quiz: Type.Optional(Type.Omit(Quiz, ['parts'])),
    package: lesson.package,
    item: lesson.item,
  },
  { title: 'LessonDetails' },
)
export type LessonDetails = Static<typeof LessonDetails>
export const PreviewLesson = Type.Object({
  courseId: Id('Id of the course'),
  lessonId: Id('Id of a lesson of its draft, or of its newest version if there is no draft'),
})
export type PreviewLesson = Static<typeof PreviewLesson>
export const ListLessons = Type.Object({ courseId: Id('Id of the course'), ...paging })
export type ListLessons = Static<typeof ListLessons>
export const ListAppLessons = Type.Object({
  classId: Type.Optional(Id('Only lessons of this class; by default those of all classes of the caller')),
  ...paging,
})
export type ListAppLessons = Static<typeof ListAppLessons>
export const ReadCourse = Type.Object({ courseId: Id('Id of the course') })
export type ReadCourse = Static<typeof ReadCourse>
export const ListCourses = Type.Object(paging)
export type ListCourses = Static<typeof ListCourses>

const content = contentWith({})
export const SaveCourse = Type.Object({
  courseId: Type.Optional(
    Id(`Id of the course; for a new one an id of your own, ${ID_MUST}, or leave it out to generate one`),
  ),
  organisation: Type.Optional(Id('Key of the organisation that owns it; required for a new course')),
  ...content,
})
export type SaveCourse = Static<typeof SaveCourse>
export const DuplicateCourse = Type.Object({
  courseId: Id('Id of the course to copy'),
  newCourseId: Type.Optional(Id(`Id of the copy, ${ID_MUST}; generated by default`)),
  organisation: Type.Optional(Id('Key of the organisation that owns the copy; that of the course by default')),
  name: Type.Optional(Text('Name of the copy; "Copy of" and the name of the course by default', 200)),
})
export type DuplicateCourse = Static<typeof DuplicateCourse>

export const AddCoursePackage = Type.Object({
  courseId: Id('Id of the course'),
  packageId: Id('Id of a package of the organisation that owns the course'),
  replaces: Type.Optional(
    Id(
      'Id of a package of which the course has lessons: those that both packages have, by the ids of their author, stay',
    ),
  ),
})
export type AddCoursePackage = Static<typeof AddCoursePackage>

export const ListLessonApps = Type.Object({
  courseId: Id('Id of the course'),
  query: Type.Optional(Text('Only apps whose name or client ID has these words', 200)),
  ...paging,
})
export type ListLessonApps = Static<typeof ListLessonApps>
export const ReadLessonApp = Type.Object({
  courseId: Id('Id of the course'),
  app: Id('Key or client ID of the app'),
})
export type ReadLessonApp = Static<typeof ReadLessonApp>
const lessonApp = {
  app: Type.String({ description: 'Key of the app, as lessons refer to it' }),
  name: Type.String(),
  owner: Type.Union([Type.String(), Type.Null()], { description: 'Name of its organisation, or handle of its owner' }),
  publicClient: Type.Boolean({ description: 'Whether it has no secret, so that it cannot sign students in' }),
  status: Type.Enum(['pending', 'approved', 'suspended']),
}
export const LessonApp = Type.Object(lessonApp, { title: 'LessonApp' })
export type LessonApp = Static<typeof LessonApp>
export const LessonAppPage = PageOf(LessonApp, 'LessonAppPage')
export const LessonAppDetails = Type.Object(
  {
    ...lessonApp,
    redirectUris: Type.Array(Type.String(), { description: 'The URLs that a launch URL can begin with' }),
  },
  { title: 'LessonAppDetails' },
)
export type LessonAppDetails = Static<typeof LessonAppDetails>

const launch = {
  courseId: Id('Id of the course'),
  app: Id('Key or client ID of the app'),
  launchParameters: lesson.launchParameters,
  passCode: Type.Optional(Flag('Whether the launch URL has a new code; false by default')),
}
export const TestLaunch = Type.Object({ ...launch, launchUri: lesson.launchUri })
export type TestLaunch = Static<typeof TestLaunch>
export const LaunchCheck = Type.Object(
  {
    check: Type.Enum(['app', 'launchUri', 'launchParameters', 'passCode', 'consent', 'response']),
    result: Type.Enum(['ok', 'note', 'problem'], { description: 'A note says what to expect; nothing is wrong' }),
    message: Type.String({ description: 'What was found' }),
    advice: Type.String({ description: 'What to do; empty if nothing' }),
  },
  { title: 'LaunchCheck' },
)
export type LaunchCheck = Static<typeof LaunchCheck>
export const LaunchTest = Type.Object({ checks: Type.Array(LaunchCheck) }, { title: 'LaunchTest' })
export const LaunchDraftLesson = Type.Object({
  ...launch,
  launchUri: Type.String({ minLength: 1, maxLength: 2000, description: 'URL at which the app opens the lesson' }),
  lessonId: Id('Id of the lesson, which the app gets'),
  allow: Type.Optional(Flag('Allow the app, if the caller has not yet')),
})
export type LaunchDraftLesson = Static<typeof LaunchDraftLesson>
export const DraftLaunch = Type.Object({ uri: Type.String() }, { title: 'DraftLaunch' })

export const ReadDocument = Type.Object({
  courseId: Id('Id of the course'),
  version: Type.Optional(Whole('A published version; by default the draft, or else the newest version', 1, 1_000_000)),
})
export type ReadDocument = Static<typeof ReadDocument>
export const ListVersions = Type.Object({ courseId: Id('Id of the course'), ...paging })
export type ListVersions = Static<typeof ListVersions>
export const ListManagedCourses = Type.Object({
  organisation: Type.Optional(Id('Only courses of this organisation; by default of all that the caller manages')),
  ...paging,
})
export type ListManagedCourses = Static<typeof ListManagedCourses>

const managed = {
  courseId: Type.String(),
  organisation: Type.String({ description: 'Key of the organisation that owns it' }),
  version: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The requested version, or else the newest published one; null if there is none',
  }),
}
export const CourseDocument = Type.Object(
  {
    ...managed,
    draft: Type.Boolean({ description: 'Whether this is a draft' }),
    may: Type.Object(
      { createClasses: Type.Boolean({ description: 'Can create classes of the course' }) },
      { title: 'CoursePermissions', description: 'Permissions of the caller' },
    ),
    ...content,
  },
  { title: 'CourseDocument' },
)
export type CourseDocument = Static<typeof CourseDocument>
export const ManagedCourse = Type.Object(
  {
    ...managed,
    name: Type.String({ description: 'Of the newest version, or of the draft if there is none' }),
    draft: Type.Boolean({ description: 'Whether there is a draft' }),
    classes: Type.Integer({ description: 'Number of classes that use it, in any version' }),
  },
  { title: 'ManagedCourse' },
)
export type ManagedCourse = Static<typeof ManagedCourse>
export const ManagedCoursePage = PageOf(ManagedCourse, 'ManagedCoursePage')
export const CourseVersion = Type.Object(
  {
    courseId: Type.String(),
    version: Type.Integer({ description: 'From 1' }),
    name: Type.String(),
    publishedDate: Type.String({ format: 'date-time' }),
    classes: Type.Integer({ description: 'Number of classes that use this version' }),
  },
  { title: 'CourseVersion' },
)
export type CourseVersion = Static<typeof CourseVersion>
export const CourseVersionPage = PageOf(CourseVersion, 'CourseVersionPage')
