import { type Static, Type } from 'typebox'
import { AnyJson, Id } from '../../kernel/http/input/fields.ts'
import { paging } from '../../kernel/paging.ts'
import { assertedBy, orgIds } from '../badges/schema.ts'

const userId = Id('userId of the user, in this plugin')

export const ReadRecords = Type.Object({ orgIds, ...paging })
export type ReadRecords = Static<typeof ReadRecords>
export const ReadOtherSkills = Type.Object({ userId })
export type ReadOtherSkills = Static<typeof ReadOtherSkills>
export const SetAdditionalInfo = Type.Object({ userId, info: AnyJson('Any JSON value of at most 64 KiB') })
export type SetAdditionalInfo = Static<typeof SetAdditionalInfo>

const Moment = Type.String({ format: 'date-time' })
const Texts = (description: string) => Type.Array(Type.String(), { description })

const CourseOfRecord = Type.Object({
  courseId: Type.String(),
  name: Type.String(),
  organisation: Type.String({ description: 'Key of the organisation that owns the course' }),
  lessons: Type.Integer({
    description: 'Number of lessons, including child lessons, in the version that the class uses',
  }),
  lessonsPassed: Type.Integer(),
  completed: Type.Boolean({ description: 'Whether all of them are passed' }),
  completedDate: Type.Union([Moment, Type.Null()], { description: 'When the last of them was; null until then' }),
  score: Type.Union([Type.Number(), Type.Null()], { description: 'Mean of the lessons that have a score' }),
})
const BadgeOfRecord = Type.Object({ badgeId: Type.String(), name: Type.String(), issuedOn: Moment, assertedBy })
export const LearningRecord = Type.Object(
  {
    userId: Type.String(),
    dutyTitle: Type.String({ description: "As set by the user's organisation; empty if not set" }),
    afsc: Type.String({ description: 'Air Force Specialty Code, or the equivalent; empty if not set' }),
    education: Texts('Schools and degrees, in their own words'),
    courses: Type.Array(CourseOfRecord, {
      description:
        "Courses of the plugin's organisations; if there are several classes, the one with the most progress",
    }),
    badges: Type.Array(BadgeOfRecord, { description: "Badges of the plugin's organisations, and the plugin's own" }),
    skills: Texts('What they can do, in their own words'),
  },
  { title: 'LearningRecord' },
)
export type LearningRecord = Static<typeof LearningRecord>
export const LearningRecords = Type.Array(LearningRecord, { title: 'LearningRecords' })

export const OtherSkills = Type.Object(
  {
    userId: Type.String(),
    hobbies: Texts('What they like to do, in their own words'),
    skills: Texts('What they can do, in their own words'),
  },
  { title: 'OtherSkills' },
)
export type OtherSkills = Static<typeof OtherSkills>
export const AdditionalInfo = Type.Object(
  { userId: Type.String(), info: Type.Unknown({ description: 'As it was sent' }), updatedDate: Moment },
  { title: 'AdditionalInfo' },
)
export type AdditionalInfo = Static<typeof AdditionalInfo>
