import { BADGE_ID, DONE, MOMENT, PLUGIN_USER_ID } from '../../kernel/samples.ts'

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
      'The course must belong to an organisation that the plugin was given. The platform awards the badge to everybody who earns it, including those who have earned it already. Sending the same name again changes the plugin’s badge; a name that another badge has is refused.',
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
      'The person holds the badge from then on, with this plugin as `assertedBy`. For a badge of the platform, name, image and issuer are the platform’s, and earning it replaces the assertion; any other `badgeId` is the plugin’s own and stored as sent. If the person holds the badge already, nothing changes.',
    example: { request: { userId: PLUGIN_USER_ID, ...EARNED }, answer: ASSERTION, after: 'readRecords' },
  },
  listAssertions: {
    description:
      'Badges of the organisations that the plugin was given, no matter who asserted them, and the plugin’s own. Newest first.',
    example: { request: { userId: PLUGIN_USER_ID }, answer: [ASSERTION], after: 'assertBadge' },
  },
  addBadge: {
    description:
      'A course badge is for people who have passed every lesson of the course in one class, an objective badge for people who have passed the lessons of the objective with a score of 80 or more. The platform awards it, also to people who earned it earlier.',
    example: { request: ofCourse, answer: BADGE, as },
  },
  changeBadge: {
    description:
      'Changes the fields that are sent; the rest stays. People who hold the badge keep it as it was when they got it.',
    example: {
      request: { badgeId: BADGE_ID, criteria: 'All lessons passed, in one class.' },
      answer: { ...BADGE, criteria: 'All lessons passed, in one class.' },
      as,
    },
  },
  removeBadge: {
    description: 'Nobody can earn it any more. People who hold it keep it.',
    example: { request: { badgeId: BADGE_ID }, answer: DONE, as },
  },
  listBadges: {
    description: 'All badges of the organisation’s courses and their objectives. Sorted by course and name.',
    example: { request: { organisation: 'sandhills' }, answer: page(BADGE), as },
  },
  listOwnBadges: {
    description:
      'The badges that the caller holds, the newest first. They were awarded by the platform, or asserted by the plugin that `assertedBy` names.',
    example: { answer: page(HELD), after: 'assertBadge' },
  },
}
