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
    summary: 'Create a badge as a plugin',
    description:
      "Creates a badge for a course or an objective of an organisation that the plugin has access to. The platform awards the badge to every user who earns it, including those who have earned it already. Sending the same name again updates the plugin's badge; the name of another badge is refused.",
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
    summary: 'List course badges',
    description:
      "Returns badges of whole courses in the plugin's organisations, in those in `orgIds`, or of one course, sorted by course and name. The response is an array of at most 1000 badges and about 2 MiB; with `page` or `limit`, it is a page.",
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
    summary: 'List objective badges',
    description:
      "Returns badges of objectives in the plugin's organisations, in those in `orgIds`, or of one objective, sorted by course and name. The response is an array of at most 1000 badges and about 2 MiB; with `page` or `limit`, it is a page.",
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
    summary: 'Assert a badge',
    description:
      "Gives a user a badge, with this plugin as `assertedBy`. For a badge of the platform, name, image and issuer are the platform's, and earning it replaces the assertion; any other `badgeId` is the plugin's own and stored as sent. If the user holds the badge already, nothing changes.",
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
    summary: "List a user's badges",
    description:
      "Returns a user's badges from the organisations that the plugin has access to, no matter who asserted them, and the plugin's own. Newest first, in an array of at most about 2 MiB; with `page` or `limit`, in pages.",
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
    summary: 'Create a badge',
    description:
      'Creates a badge for a course or an objective of an organisation. A course badge is for users who have passed every lesson of the course in one class, an objective badge for users who have passed the lessons of the objective with a score of 80 or more. The platform awards it, also to users who earned it earlier.',
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
    summary: 'Update a badge',
    description:
      'Changes the fields that are sent; all others stay the same. Users who hold the badge keep it as it was when they got it.',
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
    summary: 'Delete a badge',
    description: 'Deletes a badge, so that nobody can earn it any more. Users who hold it keep it.',
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
    summary: 'List badges of an organisation',
    description:
      "Returns all badges of the organisation's courses and their objectives. They are sorted by course and name.",
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
    summary: 'List your badges',
    description:
      'Returns the badges that the caller holds, newest first. They were awarded by the platform, or asserted by the plugin in `assertedBy`.',
    example: { after: 'assertBadge' },
    area: 'Badges',
    who: member,
    scope: 'progress',
    input: ListOwnBadges,
    output: json(HeldBadgePage),
    run: ({ db, who }, input) => listOwnBadges(db, who, input),
  }),
]
