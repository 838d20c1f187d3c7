import { type Static, Type } from 'typebox'
import { Id, Text, Whole } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'
import { LAUNCH_MODES } from '../registrations/names.ts'

const lessonId = Id('Id of a lesson that shows an item of a content package')
const classId = Id('Id of the class')
const studentId = Id('Id of the student')
const Mode = Type.Enum([...LAUNCH_MODES], {
  description:
    'How content runs: `Normal` records results, `Browse` and `Review` record none. Default: `Normal`, and `Review` once the unit is satisfied',
})

export const LaunchPackageLesson = Type.Object({ lessonId, classId, mode: Type.Optional(Mode) })
export type LaunchPackageLesson = Static<typeof LaunchPackageLesson>

export const PreviewPackageItem = Type.Object({
  packageId: Id('Id of a package'),
  item: Whole('Position of the unit in the package', 0, 1_000_000),
})
export type PreviewPackageItem = Static<typeof PreviewPackageItem>

export const PackageLaunch = Type.Object(
  {
    url: Type.String({ description: 'Where a browser opens the content. It works once, for the caller' }),
    launchMethod: Type.String({
      enum: ['AnyWindow', 'OwnWindow'],
      description: '`OwnWindow`: the content needs a window of its own',
    }),
    mode: Mode,
    sessionId: Type.String(),
    registration: Type.String({ description: 'Registration that the statements of the content name' }),
  },
  { title: 'PackageLaunch' },
)
export type PackageLaunch = Static<typeof PackageLaunch>

export const ReadPackageLesson = Type.Object({
  lessonId,
  classId,
  studentId: Type.Optional(Id('Id of the student; by default the caller. Required for instructors')),
})
export type ReadPackageLesson = Static<typeof ReadPackageLesson>

const Time = (description: string) => Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description })
const Percent = (description: string) => Type.Union([Type.Number(), Type.Null()], { description })

const sessionFields = {
  sessionId: Type.String(),
  mode: Type.String({ enum: [...LAUNCH_MODES] }),
  startedDate: Type.String({ format: 'date-time' }),
  lastDate: Type.String({ format: 'date-time', description: 'When the content last called the platform' }),
  endedDate: Time('When the session ended; null while it is open'),
  endedBy: Type.Union([Type.String({ enum: ['terminated', 'abandoned'] }), Type.Null()], {
    description:
      '`terminated` by the content, or `abandoned`: closed without an end, replaced or ended by an instructor',
  }),
  seconds: Type.Union([Type.Number(), Type.Null()], { description: 'Duration of the session' }),
}

const itemState = {
  completed: Type.Boolean(),
  passed: Type.Boolean(),
  failed: Type.Boolean({ description: 'Whether a session has failed it' }),
  waived: Type.Boolean(),
  waiveReason: Type.Union([Type.String(), Type.Null()]),
  satisfied: Type.Boolean({ description: 'Whether it counts as passed, by the rule of the package' }),
  progress: Percent('Progress as the content reported it last'),
  score: Percent('Score as the content reported it last'),
}

export const PackageLesson = Type.Object(
  {
    lessonId: Type.String(),
    packageId: Type.String(),
    item: Type.Integer(),
    kind: Type.String({ enum: ['unit', 'block'] }),
    launchMethod: Type.Union([Type.String({ enum: ['AnyWindow', 'OwnWindow'] }), Type.Null()]),
    moveOn: Type.Union([Type.String(), Type.Null()], { description: 'What satisfies the unit; null for a block' }),
    masteryScore: Percent('Score needed to pass, from 0 to 1; null if the package names none'),
    ...itemState,
    requires: Type.Array(
      Type.Object({
        lessonId: Type.Union([Type.String(), Type.Null()]),
        title: Type.String(),
      }),
      { description: 'Units that must be satisfied first' },
    ),
    sessions: Type.Array(Type.Object(sessionFields), { description: 'Up to 20 sessions, newest first' }),
  },
  { title: 'PackageLesson' },
)
export type PackageLesson = Static<typeof PackageLesson>

export const ListPackageSessions = Type.Object({
  classId,
  lessonId: Type.Optional(lessonId),
  ...paging,
})
export type ListPackageSessions = Static<typeof ListPackageSessions>

export const PackageSession = Type.Object(
  {
    ...sessionFields,
    studentId: Type.String(),
    handle: Type.String(),
    name: Type.String(),
    lessonId: Type.Union([Type.String(), Type.Null()]),
    lessonName: Type.Union([Type.String(), Type.Null()]),
    ...itemState,
  },
  { title: 'PackageSession' },
)
export type PackageSession = Static<typeof PackageSession>
export const PackageSessionPage = PageOf(PackageSession, 'PackageSessionPage')

export const WaivePackageLesson = Type.Object({
  lessonId,
  classId,
  studentId,
  reason: Text('Why the student need not take it, for the record', 500),
})
export type WaivePackageLesson = Static<typeof WaivePackageLesson>

export const EndPackageSession = Type.Object({ sessionId: Id('Id of the session') })
export type EndPackageSession = Static<typeof EndPackageSession>

export const FetchCredential = Type.Object({ token: Id('The token of the launch', 300) })
