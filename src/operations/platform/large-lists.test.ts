import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../app.ts'
import type { Operation } from '../../kernel/http/operation.ts'
import { keyOfActivity } from '../../records/statements/model/refs.ts'
import { isLong } from '../testing/sizes.ts'
import { testApp } from '../testing/testing.ts'
import { Stage } from './testing-examples.ts'
import type { Scene } from './testing-scene.ts'
import { send, translate } from './testing-sending.ts'

const MIB = 1024 * 1024
/** A page ends at 2 MiB of large values. The rest is for the row with which it ends, for short values, and for JSON. */
const MOST_BYTES = 4 * MIB
const UNLIMITED = { RATE_ADDRESS_BURST: '100000', RATE_CLIENT_BURST: '100000', RATE_ANONYMOUS_BURST: '100000' }

/** Makes SQL for a text of this many characters, each of which takes four bytes. */
const text = (characters: number) => `repeat('🛩', ${characters})`
const times = (count: number) => `generate_series(1, ${count}) i`

interface FilledList {
  /** SQL that adds the largest rows which the writers of the list allow. It runs after the example was prepared. */
  readonly fill: string
  /** Number of entries that must be found by reading all pages. Left out for a list that has only one page. */
  readonly rows?: number
  /** Input fields in addition to those of the example; undefined removes one. */
  readonly input?: Readonly<Record<string, unknown>>
  readonly most?: number
}

/** A list that is small whatever its writers do: its largest number of rows, and of bytes in a row. */
type SmallList = readonly [rows: number, bytes: number]

const isSmall = (list: FilledList | SmallList): list is SmallList => Array.isArray(list)

const big = text(10_000)
const avery = `(select id from people where handle = '@avery')`
const demoApp = `(select id from apps where client_id = 'gs-demo-app')`

/** A course version with as many lessons as it can have, each as long as it can be. */
const lessons = (parent = 'null::bigint') => `
  insert into lessons (key, course_id) select 'big-' || i, id from courses, ${times(1490)} where key = 'course-preflight';
  insert into lesson_versions (version_id, lesson_id, position, parent_id, name, description, media, is_assessment, instructor_graded, is_public,
    app_id, launch_parameters, passes_code, prerequisites, earlier)
  select k.version_id, l.id, 100 + l.id, ${parent}, ${text(200)}, ${big}, repeat('x', 2000), false, false, true, ${demoApp}, '{}', false, '{}', '{}'
    from lessons l join courses k on k.id = l.course_id where l.key like 'big-%'`

const STATEMENT = `'{"actor":{"mbox":"mailto:a@example.org"},"verb":{"id":"https://example.org/v"},"object":{"id":"https://example.org/big","definition":{"extensions":{"https://example.org/e":"' || repeat('x', 1000000) || '"}}}}'`
const statements = (count: number, payload = STATEMENT) => `
  insert into statements (seq, statement_id, payload)
  select (select last from statement_clock) - 500 - i * 1000, gen_random_uuid(), ${payload} from ${times(count)}`
/** A definition of 1 MB, and statements that mention its activity twice. */
const DEFINED = 'https://example.org/defined'
const defined = `
  insert into activities (key, iri, definition) values ('${keyOfActivity(DEFINED)}', '${DEFINED}', '{"extensions":{"https://example.org/e":"' || repeat('x', 1000000) || '"}}');
  ${statements(20, `'{"actor":{"mbox":"mailto:a@example.org"},"verb":{"id":"https://example.org/v"},"object":{"id":"${DEFINED}"}}'`)}`

const notes = `
  insert into notes (key, text, class_id, enrolment_id, course_id, person_id, author_id, created_at)
  select 'note-' || i, ${big}, e.class_id, e.id, c.course_id, e.person_id, e.person_id, now() - i * interval '1 second'
    from enrolments e join classes c on c.id = e.class_id, ${times(1000)} where e.key = 'student-avery'`

/** As many intervals as an attempt can have, a second each, before the given time. */
const intervals = (before: string) => `
  (select json_agg(json_build_object('start', to_char(${before} - n * interval '3 seconds', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'),
                                     'end', to_char(${before} - n * interval '3 seconds' + interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')) order by n desc)
     from generate_series(1, 1000) n)`
const attempts = (count: number, answers: string) => `
  insert into attempts (key, enrolment_id, lesson_id, state, pass, score, answers, started_at, completed_at, progress_intervals, idle_intervals, active_ms, changed_at, result)
  select 'attempt-' || i, enrolment_id, lesson_id, 'completed', true, 90, ${answers}, started_at - i * interval '1 day', started_at - i * interval '1 day' + interval '1 hour',
         f.intervals, f.intervals, 0, started_at - i * interval '1 day' + interval '1 hour', 'PASS'
    from attempts, ${times(count)}, lateral (select case when i <= 100 then ${intervals(`(started_at - i * interval '1 day' + interval '1 hour') at time zone 'UTC'`)} else '[]' end as intervals) f`

const evaluations = `
  ${attempts(300, 'null')};
  insert into evaluations (key, attempt_id, enrolment_id, lesson_id, criteria, remarks, recorded_at, changed_at)
  select t.key, t.id, t.enrolment_id, t.lesson_id, (select json_agg(json_build_object('id', repeat('i', 64), 'name', ${text(200)}, 'objective', null,
           'maxPoints', 100, 'points', 1)) from generate_series(1, 50)), ${text(5000)}, now(), now()
    from attempts t where t.key like 'attempt-%'`
/** As many questions as a quiz can have, each as long as it can be, with the longest answers. */
const quizAnswers = `
  insert into questions (key, organisation_id, kind, summary, tags, revision, created_at, changed_at)
  select 'big-' || i, o.id, 'essay', 'x', '{}', 1, now(), now() from organisations o, ${times(497)} where o.key = 'sandhills';
  insert into question_revisions (question_id, number, tags, content, points, parts, created_at)
  select id, 1, '{}', json_build_object('kind', 'essay', 'text', ${text(4000)}), 1, 0, now() from questions where key like 'big-%';
  insert into quiz_answers (attempt_id, position, question_id, revision, shown, response, max_points)
  select a.attempt_id, row_number() over () + 3, q.id, 1, '[]', to_json(${text(20_000)}), 1 from quiz_answers a, questions q
   where a.position = 1 and q.key like 'big-%'`

const badges = (objective: string) => `
  insert into badges (key, course_id, objective_id, name, description, type, image, issuer_name, criteria, created_at, changed_at)
  select 'badge-' || i, k.id, ${objective}, i || ${text(190)}, ${big}, ${text(100)}, 'https://example.org/' || repeat('x', 1900), ${text(200)}, ${big}, now(), now()
    from courses k, ${times(200)} where k.key = 'course-preflight'`

const assertions = (people: string, count: number) => `
  insert into badge_assertions (person_id, owner_id, badge_key, name, type, image, issuer_name, issued_at, asserted_by, created_at)
  select p.id, g.id, 'own-' || i, ${text(200)}, ${text(100)}, 'https://example.org/' || repeat('x', 1900), ${text(200)}, now(), a.client_id, now()
    from plugins g join apps a on a.id = g.app_id, ${people} p, ${times(count)} where a.client_id = 'gs-demo-ai'`

const members = `
  insert into people (handle, handle_key, created_at) select '@m' || i, 'm' || i, now() from ${times(150)};
  insert into organisation_members (organisation_id, person_id, role)
  select o.id, p.id, 'member' from people p, organisations o where p.handle like '@m%' and o.key = 'sandhills'`

const sources = `(select json_agg(json_build_object('clientId', 'gs-demo-ai', 'name', ${text(200)}, 'score', 1, 'reasons',
  (select json_agg(${text(300)}) from generate_series(1, 20)), 'weights', '[]'::json)) from generate_series(1, 40))`

/**
 * Every list of the API, by the name of its operation. A new list has to be added here, with the largest rows that its
 * writers allow.
 */
const LISTS: Readonly<Record<string, FilledList | SmallList>> = {
  listNotes: { fill: notes, rows: 1000, input: { limit: 100 } },
  listFiles: {
    fill: `
      insert into file_contents (sha256, bytes, used_at) select 'big', 1, now();
      insert into files (key, organisation_id, name, media_type, bytes, sha256, created_at)
      select 'big-' || i, o.id, i || ${text(190)}, 'application/pdf', 1, 'big', now() from organisations o, ${times(200)} where o.key = 'sandhills'`,
    rows: 201,
    input: { limit: 100 },
  },
  listPackages: {
    fill: `
      insert into file_contents (sha256, bytes, used_at) select 'big-' || i, 1, now() from ${times(200)};
      insert into packages (key, organisation_id, kind, title, name, sha256, bytes, stored_bytes, files, units, blocks, structure, created_at)
      select 'big-' || i, o.id, 'cmi5', ${text(300)}, i || ${text(190)}, 'big-' || i, 1, 1, 0, 1, 0, '{}', now()
        from organisations o, ${times(200)} where o.key = 'sandhills';
      insert into courses (key, organisation_id, draft, draft_at, created_at)
      select 'big-' || i, o.id, ('[' || (select string_agg('{"package":"' || k.key || '"}', ',') from packages k) || ']')::json, now(), now()
        from organisations o, ${times(7)} where o.key = 'sandhills';
      insert into course_versions (course_id, number, name, description, is_public, document, published_at)
      select id, 1, ${text(200)}, '', false, '{}', now() from courses where key like 'big-%';
      update courses k set version_id = v.id from course_versions v where v.course_id = k.id and k.key like 'big-%'`,
    rows: 201,
    input: { limit: 100 },
  },
  listPackageItems: {
    fill: `
      update packages set blocks = 200;
      insert into package_items (package_id, position, kind, item)
      select id, i, 'block', json_build_object('id', 'urn:x', 'title', '{}'::json, 'description', json_build_object('en', ${text(4800)}),
             'objectives', '[]'::json, 'requires', '[]'::json, 'collateralCredit', '[]'::json) from packages, ${times(200)}`,
    rows: 201,
    input: { limit: 100 },
  },
  listAnnouncements: {
    fill: `
      insert into announcements (key, organisation_id, class_id, author_id, title, text, recipients, created_at)
      select 'announcement-' || i, organisation_id, class_id, author_id, ${text(200)}, ${big}, 0, now() - i * interval '1 second'
        from announcements, ${times(299)}`,
    rows: 300,
    input: { limit: 100 },
  },
  listEvaluations: { fill: evaluations, rows: 300, input: { limit: 100, lessonId: undefined } },
  readTimeline: {
    // Statements and notes are cut separately, so a page can hold both.
    most: 6 * MIB,
    input: { limit: 200 },
    rows: 1030,
    fill: `${notes}; ${statements(30)};
      insert into statement_links (seq, person_id, enrolment_id, class_id)
      select s.seq, e.person_id, e.id, e.class_id from statements s, enrolments e where s.payload like '%/big%' and e.key = 'student-avery'`,
  },
  'readTimeline, intervals': { fill: attempts(10, 'null'), rows: 20_000, input: { limit: 200 } },
  getStatements: { fill: statements(30), rows: 30, input: { verb: undefined, limit: 500 } },
  'getStatements, canonical': {
    fill: defined,
    rows: 20,
    input: { verb: undefined, limit: 500, format: 'canonical' },
  },
  readLesson: { fill: lessons(`(select id from lessons where key = 'lesson-walkaround')`), most: 12 * MIB },
  readAssessment: { fill: lessons(`(select id from lessons where key = 'lesson-emergencies')`), most: 12 * MIB },
  readQuizAttempt: { fill: quizAnswers },
  listLessonsOfCourse: { fill: lessons(), rows: 1490, input: { limit: 100 } },
  listLessonsOfApp: { fill: lessons(), rows: 1490, input: { limit: 100 } },
  listCourses: {
    fill: `
      insert into courses (key, organisation_id, created_at) select 'big-' || i, o.id, now() from organisations o, ${times(300)} where o.key = 'sandhills';
      insert into course_versions (course_id, number, name, description, is_public, document, published_at)
      select id, 1, ${text(200)}, ${big}, true, '{}', now() from courses where key like 'big-%';
      update courses k set version_id = v.id from course_versions v where v.course_id = k.id and k.key like 'big-%'`,
    rows: 300,
    input: { limit: 100 },
  },
  listClasses: {
    fill: `
      update course_versions set description = ${big};
      insert into classes (key, course_id, version_id, name, is_sequential, created_at)
      select 'big-' || i, course_id, version_id, ${text(200)}, false, now() from classes, ${times(500)} where key = 'class-alpha';
      insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
      select key, id, ${avery}, 'active', now(), now() from classes where key like 'big-%'`,
  },
  listObjectives: {
    fill: `
      insert into objectives (key, course_id) select 'big-' || i, id from courses, ${times(190)} where key = 'course-preflight';
      insert into objective_versions (version_id, objective_id, position, name, description, lessons)
      select k.version_id, b.id, 100 + b.id, ${text(200)}, ${big}, '{}' from objectives b join courses k on k.id = b.course_id where b.key like 'big-%'`,
  },
  listGradeChanges: {
    fill: `
      insert into grade_changes (enrolment_id, lesson_id, attempt_id, kind, before, after, reason, changed_by, changed_at)
      select enrolment_id, lesson_id, attempt_id, kind, before, after, ${text(1000)}, changed_by, changed_at from grade_changes, ${times(999)}`,
  },
  readResults: { fill: lessons() },
  readLocks: { fill: lessons() },
  listLocks: { fill: lessons() },
  readGradebook: {
    fill: `${lessons()};
      insert into people (handle, handle_key, first_name, last_name, created_at) select '@m' || i, 'm' || i, ${text(50)}, ${text(50)}, now() from ${times(150)};
      insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
      select 'm-' || p.id, c.id, p.id, 'active', now(), now() from people p, classes c where p.handle like '@m%' and c.key = 'class-alpha'`,
    rows: 152,
    input: { limit: 100 },
  },
  readAtoRequest: {
    fill: `
      insert into ato_entries (request_id, kind, person_id, at, detail)
      select id, 'alert', null, now(), json_build_object('alert', json_build_object('title', ${text(200)}, 'text', ${text(5000)}, 'providerId', ${text(200)}, 'status', ${text(200)}, 'type', 'info'))
        from ato_requests, ${times(200)}`,
  },
  readRecords: { fill: `${members}; ${assertions(`people`, 100)}`, rows: 150, input: { limit: 100 } },
  listCourseBadges: { fill: badges('null::bigint'), rows: 200, input: { limit: 100 } },
  listObjectiveBadges: {
    fill: badges(`(select id from objectives where key = 'objective-safety')`),
    rows: 200,
    input: { limit: 100 },
  },
  listBadges: { fill: badges('null::bigint'), rows: 200, input: { limit: 100 } },
  listAssertions: { fill: assertions(avery.replace('id', '*'), 1000), rows: 1000, input: { limit: 100 } },
  listOwnBadges: { fill: assertions(avery.replace('id', '*'), 1000), rows: 1000, input: { limit: 100 } },
  listPlugins: {
    fill: `
      insert into organisations (key, name, created_at) select i || repeat('x', 56), 'Big', now() from ${times(1000)};
      insert into apps (client_id, name, status, created_at) select 'gs-big-' || i, ${text(200)}, 'approved', now() from ${times(110)};
      insert into plugins (app_id, kind, description, created_at) select id, 'ai', ${text(2000)}, now() from apps where client_id like 'gs-big-%';
      insert into plugin_addresses (plugin_id, purpose, uri) select id, purpose, 'https://example.org/' || repeat('x', 1900)
        from plugins, unnest('{capabilities,candidates}'::text[]) purpose where length(description) = 2000;
      insert into plugin_organisations (plugin_id, organisation_id, given_at)
      select p.id, o.id, now() from plugins p, organisations o where length(p.description) = 2000 and o.name = 'Big'`,
    rows: 110,
    input: { organisation: undefined, limit: 100 },
  },
  listAttempts: {
    fill: attempts(1000, `to_json(repeat('x', 262000))`),
    rows: 1000,
    input: { limit: 100 },
  },
  // One engine answers 256 KiB at most, and a search asks five.
  readPlannerSearch: { fill: `update planner_candidates set sources = ${sources}` },
  readPlan: { fill: `update plan_people set sources = ${sources}` },
  listPlannerSearches: {
    fill: `
      insert into planner_searches (key, person_id, text, organisations, engines, capabilities, created_at)
      select 'search-' || i, person_id, ${text(2000)}, organisations, engines, capabilities, created_at from planner_searches, ${times(99)}`,
    rows: 100,
    input: { limit: 100 },
  },
  listPlans: {
    fill: `
      insert into plans (key, person_id, name, notes, text, organisations, created_at, changed_at)
      select 'plan-' || i, person_id, ${text(200)}, ${text(5000)}, ${text(2000)}, organisations, created_at, changed_at from plans, ${times(99)}`,
    rows: 100,
    input: { limit: 100 },
  },
  readDelivery: {
    fill: `
      insert into delivery_attempts (plugin_id, delivery_id, slot, number, at, uri, took_ms, status, answer, problem)
      select plugin_id, delivery_id, slot, 1 + i, at, 'https://example.org/' || repeat('x', 1900), took_ms, status, ${text(4096)}, problem from delivery_attempts, ${times(150)}`,
  },
  readState: {
    fill: `
      insert into documents (document_key, context_key, kind, handle, activity_id, registration, id, content_type, contents, etag, updated)
      select gen_random_uuid(), context_key, kind, handle, activity_id, registration, i || ${text(40)}, content_type, contents, etag, updated
        from documents, ${times(9999)}`,
    input: { stateId: undefined },
  },

  // A lesson has 50 criteria of a rubric, and a page has up to 100,000 characters.
  readLessonContent: [50, 20_000],
  previewLesson: [50, 20_000],
  readOverview: [20, 1_000],
  // Five lists of 20.
  readAgenda: [100, 2_500],
  // Up to 1,000 entries and 200 classes.
  listCalendar: [1_200, 2_500],
  readHere: [10, 500],
  // Sessions: at most 50 of each app, and 2,000 together.
  listOwnApps: [2_200, 1_200],
  listOwnBrowsers: [100, 1_200],
  listConnections: [100, 3_000],
  findAnything: [50, 2_000],
  listOrganisations: [100, 1_500],
  listOrganisationMembers: [100, 1_500],
  listOrganisationOwners: [100, 1_000],
  listInvitations: [100, 4_000],
  listSentInvitations: [100, 1_000],
  listBuckets: [1_000, 300],
  readEvaluation: [50, 1_500],
  readGradebookAverages: [1_500, 1_200],
  readApp: [1, 64 * 1024],
  listApps: [100, 14_000],
  listAppUsers: [100, 1_000],
  listChangedApps: [100, 14_000],
  listAppRequests: [100, 500],
  listTestPeople: [100, 1_000],
  listPasskeys: [100, 1_000],
  searchUsers: [100, 2_000],
  sampleUsers: [25, 2_000],
  listKids: [100, 2_000],
  listChildren: [100, 2_000],
  listChildPasskeys: [100, 1_000],
  readChildFriends: [3_500, 900],
  listFriends: [1_000, 1_500],
  readFriendRequests: [1_500, 1_300],
  listBlockedUsers: [1_000, 1_500],
  readOwnFriends: [3_500, 900],
  readCourseDocument: [1, 1_572_864],
  // The objectives of a package and the courses that use it.
  readPackage: [1, 1_572_864],
  // The units that are missing, and 20 sessions.
  readPackageLesson: [100, 2_000],
  listPackageSessions: [100, 2_000],
  // The items and the saved data, each up to the bytes of a page.
  readScormSession: [2, 2_097_152],
  listCourseVersions: [100, 1_500],
  listManagedCourses: [100, 1_500],
  listLessonApps: [100, 1_500],
  readClass: [1_000, 600],
  listManagedClasses: [100, 2_500],
  listStudents: [100, 1_500],
  listDates: [3_000, 1_300],
  listTransferTargets: [1_000, 1_500],
  // Answers of one attempt.
  readProgress: [1, 600 * 1024],
  readAssessmentProgress: [1, 600 * 1024],
  listQuestions: [100, 8_000],
  listQuestionTags: [500, 300],
  readQuestion: [1, 24_000],
  readQuizResults: [100, 24_000],
  listAwaiting: [100, 2_500],
  listCredentials: [100, 5_000],
  listVerbs: [450, 8_500],
  aggregateStatements: [1_000, 2_000],
  readPlugin: [1, 100 * 1024],
  readAtoPackage: [100, 6_000],
  listAtoPackages: [50, 2_000],
  listAtoRequests: [100, 4_000],
  listAtoPlugins: [100, 9_000],
  listPlannerEngines: [100, 15_000],
  listDeliveries: [100, 3_000],
  findPeople: [100, 1_500],
  readPerson: [500, 1_000],
  readSystem: [300, 500],
  listAudit: [100, 20_000],
  listOrganisationStorage: [100, 1_000],
  listNotifications: [100, 10_000],
  readNotificationSettings: [10, 500],
  readPublicKeys: [100, 1_000],
  listFailedLogouts: [20, 3_000],
  readProvider: [110, 1_500],
  listProviderFailures: [100, 5_000],
}

const isArray = (schema: { type?: string; anyOf?: unknown[] }): boolean =>
  schema.type === 'array' || (schema.anyOf ?? []).some((one) => isArray(one as typeof schema))

/** True for operations that answer with an array, or with an object that holds an array of objects. */
function isList({ method, output }: Operation): boolean {
  if (method !== 'GET' || output.kind !== 'json') return false
  const { properties = {} } = output.schema as { properties?: Record<string, { type?: string; items?: object }> }
  return (
    isArray(output.schema) ||
    Object.values(properties).some(({ type, items }) => type === 'array' && 'type' in items! && items.type !== 'string')
  )
}

const RAW_LISTS = ['getStatements', 'readState']

test('D11: every list of the API has an entry with the largest rows that its writers allow', () => {
  const names = operations.filter(isList).map(({ name }) => name)
  const known = Object.keys(LISTS).map((name) => name.split(',')[0]!)
  assert.deepEqual(
    names.filter((name) => !known.includes(name)),
    [],
    'name the list in LISTS',
  )
  assert.deepEqual(
    known.filter((name) => !names.includes(name) && !RAW_LISTS.includes(name)),
    [],
  )
  for (const [name, list] of Object.entries(LISTS))
    if (isSmall(list)) assert.ok(list[0] * list[1] <= MOST_BYTES, `${name} is not small: fill it`)
})

test('D11: a list of the largest rows is read in bounded pages, and the pages hold everything', async (t) => {
  const app = await testApp(t, UNLIMITED, { withSandbox: true })
  const stage = await Stage.open(app)
  const filled = Object.entries(LISTS).flatMap(([title, list]) => (isSmall(list) ? [] : [[title, list] as const]))
  // `npm test` fills every third list, because all of them take a minute.
  for (const [title, list] of filled.filter((_, i) => isLong || i % 3 === 0)) {
    const operation = operations.find(({ name }) => name === title.split(',')[0])!
    await t.test(title, async () => {
      const scene = await stage.set(operation)
      await app.sql(list.fill)
      const found = await readPages(operation, list, scene)
      if (list.rows !== undefined) assert.ok(found >= list.rows, `${found} of ${list.rows} were found`)
    })
  }
})

/** Reads all pages of a list, checks each of them, and returns the number of entries. */
async function readPages(operation: Operation, { input = {}, most = MOST_BYTES }: FilledList, scene: Scene) {
  const { example = {} } = operation
  const request = Object.entries({ ...translate(example.request ?? {}, scene), ...scene.request, ...input })
  let next: Record<string, unknown> | undefined = Object.fromEntries(request.filter(([, value]) => value !== undefined))
  // A list with optional pages is also read without them.
  if (isArray((operation.output as { schema?: object }).schema ?? {})) {
    const { limit: _limit, page: _page, ...bare } = next
    await readPage(operation, bare, scene, most)
  }
  let entries = 0
  for (let page = 1; next; page++) {
    const body = await readPage(operation, next, scene, most)
    const docs: unknown[] = Array.isArray(body) ? body : (body.docs ?? body.statements ?? [])
    entries += docs.length
    if (body.more) next = Object.fromEntries(new URL(body.more, scene.app.address).searchParams)
    else if (body.next) next = { ...next, before: body.next }
    else if (body.pages > page || (Array.isArray(body) && 'limit' in next && docs.length === next.limit))
      next = { ...next, page: page + 1 }
    else next = undefined
  }
  return entries
}

async function readPage(operation: Operation, input: Record<string, unknown>, scene: Scene, most: number) {
  const { status, text } = await send(operation, input, operation.example?.headers ?? {}, scene)
  assert.equal(status, 200, text.slice(0, 300))
  const bytes = Buffer.byteLength(text)
  assert.ok(bytes <= most, `${operation.name} answered ${(bytes / MIB).toFixed(1)} MiB`)
  return JSON.parse(text)
}
