import { type Static, Type } from 'typebox'
import { DateTime, Id, IdList, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'

const MAX_ORGANISATIONS = 100

const IMAGE = 'https URL or id of an image'
const name = Text('Name of the badge', 200)
const content = {
  name,
  description: Type.Optional(Text('What it stands for; empty by default', 10_000)),
  type: Type.Optional(Text('The kind of badge, in your own words; `course` or `objective` by default', 100)),
  image: Type.Optional(Text(`${IMAGE}; none by default`, 2000)),
  issuerName: Type.Optional(Text("The issuer; by default the organisation's name", 200)),
  criteria: Type.Optional(Text('What it is awarded for, or the URL of a page about it; empty by default', 10_000)),
}
const target = {
  courseId: Type.Optional(Id('Id of the course that it belongs to')),
  objectiveId: Type.Optional(Id('Id of the objective that it belongs to, instead of a course')),
}
const badgeId = Id('Id of the badge')

export const AddBadge = Type.Object({ ...content, ...target })
export type AddBadge = Static<typeof AddBadge>
export const ChangeBadge = Type.Object({ badgeId, ...content, name: Type.Optional(name) })
export type ChangeBadge = Static<typeof ChangeBadge>
export const NameBadge = Type.Object({ badgeId })
export type NameBadge = Static<typeof NameBadge>
export const ListBadges = Type.Object({
  organisation: Id('Key of the organisation'),
  courseId: Type.Optional(Id('Only badges of this course and its objectives')),
  ...paging,
})
export type ListBadges = Static<typeof ListBadges>
export const ListOwnBadges = Type.Object(paging)
export type ListOwnBadges = Static<typeof ListOwnBadges>

export const orgIds = Type.Optional(
  IdList('Keys of organisations that the plugin has access to; all of them by default', MAX_ORGANISATIONS),
)
export const ListCourseBadges = Type.Object({
  orgIds,
  courseId: Type.Optional(Id('Only badges of this course')),
  ...paging,
})
export type ListCourseBadges = Static<typeof ListCourseBadges>
export const ListObjectiveBadges = Type.Object({
  orgIds,
  objectiveId: Type.Optional(Id('Only badges of this objective')),
  ...paging,
})
export type ListObjectiveBadges = Static<typeof ListObjectiveBadges>

const userId = Id('userId of the user, in this plugin')
export const AssertBadge = Type.Object({
  userId,
  badgeId: Id("Id of a badge of the platform, or of the plugin's own badge"),
  name,
  type: Text('The kind of badge, in your own words', 100),
  image: Text(IMAGE, 2000),
  issuedOn: DateTime('When it was earned; not in the future'),
  issuerName: Text('The issuer', 200),
  lessonId: Type.Optional(
    Id('Id of the lesson that it was earned with; a lesson of the course, if it is a badge of the platform'),
  ),
  classId: Type.Optional(
    Id('Id of the class that it was earned in; a class of the course, if it is a badge of the platform'),
  ),
  versionId: Type.Optional(Id('The version of the course; its number, if it is a badge of the platform')),
})
export type AssertBadge = Static<typeof AssertBadge>
export const ListAssertions = Type.Object({ userId, ...paging })
export type ListAssertions = Static<typeof ListAssertions>

const Moment = Type.String({ format: 'date-time' })
const TextOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const badgeFields = {
  badgeId: Type.String(),
  name: Type.String(),
  type: Type.String(),
  image: Type.String({ description: `${IMAGE}; empty if there is none` }),
  issuerName: Type.String(),
}

export const Badge = Type.Object(
  {
    ...badgeFields,
    description: Type.String(),
    criteria: Type.String(),
    courseId: Type.String(),
    objectiveId: TextOrNull('Null if it belongs to the whole course'),
    organisation: Type.String({ description: 'Key of the organisation that owns the course' }),
    createdDate: Moment,
    updatedDate: Moment,
  },
  { title: 'Badge' },
)
export type Badge = Static<typeof Badge>
export const Badges = Type.Array(Badge, { title: 'Badges' })
export const BadgePage = PageOf(Badge, 'BadgePage')

export const assertedBy = TextOrNull('Client ID of the plugin that asserted it; null if the platform awarded it')
const heldFields = {
  ...badgeFields,
  issuedOn: Moment,
  lessonId: TextOrNull('The lesson that it was earned with, if known'),
  classId: TextOrNull('The class that it was earned in, if known'),
  versionId: TextOrNull('The version of the course, if known'),
  organisation: TextOrNull("Key of the organisation that owns the badge; null if it is a plugin's own"),
  assertedBy,
}
export const Assertion = Type.Object(
  {
    assertionId: Type.String({ description: 'Stays the same if the badge is asserted again' }),
    userId: Type.String(),
    ...heldFields,
  },
  { title: 'BadgeAssertion' },
)
export type Assertion = Static<typeof Assertion>
export const Assertions = Type.Array(Assertion, { title: 'BadgeAssertions' })
export const AssertionPage = PageOf(Assertion, 'BadgeAssertionPage')
export const HeldBadge = Type.Object(heldFields, { title: 'HeldBadge' })
export type HeldBadge = Static<typeof HeldBadge>
export const HeldBadgePage = PageOf(HeldBadge, 'HeldBadgePage')
