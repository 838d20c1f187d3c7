import { MANAGERS } from '../../apps/organisations/roles.ts'
import { member, person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { listOrPage } from '../../kernel/paging.ts'
import { BADGE_ID, MOMENT, PLUGIN_USER_ID } from '../../kernel/samples.ts'
import { permission, plugin } from '../plugins/caller.ts'
import { assertBadge, listAssertions } from './assertions.ts'
import {
  addBadge,
  addPluginBadge,
  changeBadge,
  listBadges,
  listCourseBadges,
  listObjectiveBadges,
  listOwnBadges,
  removeBadge,
} from './badges.ts'
import {
  AddBadge,
  AssertBadge,
  Assertion,
  AssertionPage,
  Assertions,
  Badge,
  BadgePage,
  Badges,
  ChangeBadge,
  HeldBadgePage,
  ListAssertions,
  ListBadges,
  ListCourseBadges,
  ListObjectiveBadges,
  ListOwnBadges,
  NameBadge,
} from './schema.ts'

const op = operationsIn({ area: 'AI plugins', who: plugin })

const needs = [permission('badges')]

export const badgeOperations: readonly Operation[] = [
  op('POST /plugin/v2/ai/badge', {
    name: 'addPluginBadge',
    summary: 'Creates a badge for a course or an objective',
    description:
      'The course must belong to an organisation that the plugin was given. The platform awards the badge to everybody who earns it, including those who have earned it already. Sending the same name again changes the plugin’s badge; a name that another badge has is refused.',
    example: {
      request: {
        name: 'Quick preflight',
        type: 'course',
        image: 'https://badges.example.org/preflight.png',
        issuerName: 'Sandhills Aviation School',
        description: 'Knows every step before the first solo.',
        criteria: 'All lessons passed.',
        courseId: 'course-preflight',
      },
    },
    needs,
    roles: ['plugin'],
    input: AddBadge,
    output: json(Badge),
    errors: ['notFound', 'impossibleNow', 'conflict'],
    run: ({ db, who }, input) => addPluginBadge(db, who, input),
  }),
  op('GET /plugin/v2/ai/badge/course', {
    name: 'listCourseBadges',
    summary: 'Lists badges of courses',
    description:
      'Badges that belong to whole courses of the plugin’s organisations, or of those in `orgIds`, or of one course, by course and name. A plain array of at most 1000 badges and about 2 MiB; with `page` or `limit`, in pages.',
    example: { request: { courseId: 'course-preflight' }, after: 'addPluginBadge' },
    needs,
    roles: ['plugin'],
    input: ListCourseBadges,
    output: listOrPage(Badges, BadgePage),
    errors: ['notFound'],
    run: ({ db, who }, input) => listCourseBadges(db, who, input),
  }),
  op('GET /plugin/v2/ai/badge/objective', {
    name: 'listObjectiveBadges',
    summary: 'Lists badges of objectives',
    description:
      'Badges that belong to objectives of courses in the plugin’s organisations, or of those in `orgIds`, or of one objective, by course and name. A plain array of at most 1000 badges and about 2 MiB; with `page` or `limit`, in pages.',
    example: { request: { objectiveId: 'objective-safety' } },
    needs,
    roles: ['plugin'],
    input: ListObjectiveBadges,
    output: listOrPage(Badges, BadgePage),
    errors: ['notFound'],
    run: ({ db, who }, input) => listObjectiveBadges(db, who, input),
  }),
  op('POST /plugin/v2/ai/badge/assertion', {
    name: 'assertBadge',
    summary: "Asserts a badge on a person's record",
    description:
      'The person holds the badge from then on, with this plugin as `assertedBy`. For a badge of the platform, name, image and issuer are the platform’s, and earning it replaces the assertion; any other `badgeId` is the plugin’s own and stored as sent. If the person holds the badge already, nothing changes.',
    example: {
      request: {
        userId: PLUGIN_USER_ID,
        name: 'Engine start',
        type: 'course',
        image: 'https://badges.example.org/preflight.png',
        issuerName: 'Sandhills Aviation School',
        badgeId: 'engine-start-expert',
        issuedOn: MOMENT,
      },
      after: 'readRecords',
    },
    needs,
    roles: ['plugin'],
    input: AssertBadge,
    output: json(Assertion),
    errors: ['notFound', 'impossibleNow'],
    run: ({ db, who }, input) => assertBadge(db, who, input),
  }),
  op('GET /plugin/v2/ai/badge/assertion', {
    name: 'listAssertions',
    summary: 'Lists the badges that a person holds',
    description:
      'Badges of the organisations that the plugin was given, no matter who asserted them, and the plugin’s own. Newest first, in a plain array of about 2 MiB at most; with `page` or `limit`, in pages.',
    example: { request: { userId: PLUGIN_USER_ID }, after: 'assertBadge' },
    needs,
    roles: ['plugin'],
    input: ListAssertions,
    output: listOrPage(Assertions, AssertionPage),
    errors: ['notFound'],
    run: ({ db, who }, input) => listAssertions(db, who, input),
  }),
  op('PUT /edu/v1/badge', {
    name: 'addBadge',
    summary: 'Creates a badge for a course or an objective of an organisation',
    description:
      'A course badge is for people who have passed every lesson of the course in one class, an objective badge for people who have passed the lessons of the objective with a score of 80 or more. The platform awards it, also to people who earned it earlier.',
    example: {
      request: {
        name: 'Preflight',
        type: 'course',
        image: 'https://badges.example.org/preflight.png',
        issuerName: 'Sandhills Aviation School',
        description: 'Knows every step before the first solo.',
        criteria: 'All lessons passed.',
        courseId: 'course-preflight',
      },
      as: 'ellis',
    },
    area: 'Badges',
    who: person,
    roles: MANAGERS,
    input: AddBadge,
    output: json(Badge),
    errors: ['impossibleNow', 'conflict'],
    run: ({ db, who }, input) => addBadge(db, who, input),
  }),
  op('POST /edu/v1/badge', {
    name: 'changeBadge',
    summary: 'Changes a badge',
    description:
      'Changes the fields that are sent; the rest stays. People who hold the badge keep it as it was when they got it.',
    example: { request: { badgeId: BADGE_ID, criteria: 'All lessons passed, in one class.' }, as: 'ellis' },
    area: 'Badges',
    who: person,
    roles: MANAGERS,
    input: ChangeBadge,
    output: json(Badge),
    errors: ['conflict'],
    run: ({ db, who }, input) => changeBadge(db, who, input),
  }),
  op('POST /edu/v1/badge/remove', {
    name: 'removeBadge',
    summary: 'Removes a badge',
    description: 'Nobody can earn it any more. People who hold it keep it.',
    example: { request: { badgeId: BADGE_ID }, as: 'ellis' },
    area: 'Badges',
    who: person,
    roles: MANAGERS,
    input: NameBadge,
    output: success(),
    run: ({ db, who }, input) => removeBadge(db, who, input),
  }),
  op('GET /edu/v1/badge/list', {
    name: 'listBadges',
    summary: 'Lists the badges of an organisation',
    description: 'All badges of the organisation’s courses and their objectives. Sorted by course and name.',
    example: { request: { organisation: 'sandhills' }, as: 'ellis' },
    area: 'Badges',
    who: person,
    roles: MANAGERS,
    input: ListBadges,
    output: json(BadgePage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listBadges(db, who, input),
  }),
  op('GET /edu/v1/badge/my', {
    name: 'listOwnBadges',
    summary: "Lists the caller's badges",
    description:
      'The badges that the caller holds, the newest first. They were awarded by the platform, or asserted by the plugin that `assertedBy` names.',
    example: { after: 'assertBadge' },
    area: 'Badges',
    who: member,
    input: ListOwnBadges,
    output: json(HeldBadgePage),
    run: ({ db, who }, input) => listOwnBadges(db, who, input),
  }),
]
