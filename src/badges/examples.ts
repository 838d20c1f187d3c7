import { BADGE_ID, DONE, MOMENT, PLUGIN_USER_ID } from '../samples.ts'

const as = 'ellis' as const
const ASSERTION_ID = 'wT6bN1xQz8kGd3VmR0sYcA'
const said = {
  name: 'Preflight',
  type: 'course',
  image: 'https://badges.example.org/preflight.png',
  issuerName: 'Sandhills Aviation School',
}
const content = { ...said, description: 'Knows every step before the first solo.', criteria: 'All lessons passed.' }
const BADGE = {
  badgeId: BADGE_ID,
  ...content,
  courseId: 'course-preflight',
  objectiveId: null,
  organisation: 'sandhills',
  createdDate: MOMENT,
  updatedDate: MOMENT,
}
const BY_PLUGIN = { ...BADGE, name: 'Quick preflight' }
const OF_OBJECTIVE = {
  ...BADGE,
  name: 'Safety first',
  type: 'objective',
  courseId: 'course-preflight',
  objectiveId: 'objective-safety',
}
const ofCourse = { ...content, courseId: 'course-preflight' }
const EARNED = { ...said, badgeId: 'engine-start-expert', name: 'Engine start', issuedOn: MOMENT }
const HELD = { ...EARNED, lessonId: null, classId: null, versionId: null, organisation: null, assertedBy: 'gs-demo-ai' }
const ASSERTION = { assertionId: ASSERTION_ID, userId: PLUGIN_USER_ID, ...HELD }

const page = (doc: object) => ({ docs: [doc], total: 1, limit: 10, page: 1, pages: 1 })

/** What people read about these operations. */
export const examples = {
  addPluginBadge: {
    description:
      'A badge of a course or of an objective in an organisation that the plugin was given. The platform gives it to everybody who earns it, also to those who have before. Sent again with the same name, it changes the plugin’s badge of that name; a name that somebody else’s badge has is refused.',
    example: { request: { ...ofCourse, name: BY_PLUGIN.name }, answer: BY_PLUGIN },
  },
  listCourseBadges: {
    description:
      'Badges that belong to whole courses of the plugin’s organisations, or of those in `orgIds`, or of one course. At most 1000, by course and name.',
    example: { request: { courseId: 'course-preflight' }, answer: [BY_PLUGIN], after: 'addPluginBadge' },
  },
  listObjectiveBadges: {
    description:
      'Badges that belong to objectives of courses in the plugin’s organisations, or of those in `orgIds`, or of one objective. At most 1000, by course and name.',
    example: { request: { objectiveId: 'objective-safety' }, answer: [OF_OBJECTIVE] },
  },
  assertBadge: {
    description:
      'The person has the badge from now on, as asserted by this plugin (`assertedBy`); if it is the platform’s, the earned one replaces it later. Name, image and issuer of a badge of the platform are the platform’s; any other `badgeId` is the plugin’s own and stored as sent. Somebody who has the badge already keeps it as it is, and the answer shows it.',
    example: { request: { userId: PLUGIN_USER_ID, ...EARNED }, answer: ASSERTION, after: 'readRecords' },
  },
  listAssertions: {
    description:
      'A person’s badges: those of the organisations that the plugin was given, no matter who asserted them, and the plugin’s own. The newest first.',
    example: { request: { userId: PLUGIN_USER_ID }, answer: [ASSERTION], after: 'assertBadge' },
  },
  addBadge: {
    description:
      'A course badge is for people who have passed every lesson of the course in one class, an objective badge for people who have passed the lessons of the objective with a score of 80 or more. The platform gives it, also to people who had earned it before.',
    example: { request: ofCourse, answer: BADGE, as },
  },
  changeBadge: {
    description:
      'Changes the fields that are sent; the rest stays. Those who hold the badge keep it as it was when they got it.',
    example: {
      request: { badgeId: BADGE_ID, criteria: 'All lessons passed, in one class.' },
      answer: { ...BADGE, criteria: 'All lessons passed, in one class.' },
      as,
    },
  },
  removeBadge: {
    description: 'Nobody can earn it any more. Those who hold it keep it.',
    example: { request: { badgeId: BADGE_ID }, answer: DONE, as },
  },
  listBadges: {
    description: 'All badges of the courses of an organisation and of their objectives. By course and name.',
    example: { request: { organisation: 'sandhills' }, answer: page(BADGE), as },
  },
  listOwnBadges: {
    description:
      'The badges that the caller holds, the newest first. They are given by the platform, or asserted by the plugin that `assertedBy` names.',
    example: { answer: page(HELD), after: 'assertBadge' },
  },
}
