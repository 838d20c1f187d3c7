import assert from 'node:assert/strict'
import { rooms } from '../../app.ts'
import { call, PASSWORD } from '../../apps/account/testing.ts'
import { ensureAppUser } from '../../apps/apps/apps.ts'
import { PATH } from '../../apps/buckets/testing.ts'
import { readDevice } from '../../apps/devices/devices.ts'
import type { Caller, PersonCaller } from '../../kernel/caller.ts'
import { openSession, tokenPolicy } from '../../kernel/sessions/sessions.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { Client, type TestApp } from '../../operations/testing/testing.ts'
import { KIM } from '../families/testing.ts'
import { addPerson } from './people.ts'

export const operator = (app: TestApp): Caller => ({
  at: app.environment().clock(),
  requestId: 'test',
  address: 'command line',
})

/** Texts that identify a person, by kind. Tests search the database for them. */
export type Traces = Readonly<Record<string, readonly string[]>>

export interface TracedPerson {
  readonly handle: string
  readonly browser: TestBrowser
  readonly client: Client
  readonly blake: Client
  readonly traces: Traces & Readonly<Record<'personId' | 'userIds' | 'sessionIds', readonly string[]>>
}

/** A person id that is unlikely to occur by chance. */
const PERSON_ID = 987_654_321
const HANDLE = '@zephyrine'

/** Creates a person with data in every table that can hold personal data. */
export async function populate(app: TestApp): Promise<TracedPerson> {
  const { db, get } = app.environment()
  await app.sql(`alter table people alter column id restart with ${PERSON_ID}`)
  const who = operator(app)
  const email = 'quillon@example.org'
  const { id: personId } = await addPerson(db, who, {
    handle: HANDLE,
    firstName: 'Quillon',
    lastName: 'Zephyrine',
    email,
    dateOfBirth: '1981-02-03',
  })
  assert.equal(personId, PERSON_ID)
  await app.givePassword('avery')
  await app.sql(
    `update people set public_search = true, password_hash = (select password_hash from people where handle_key = 'avery')
      where id = ${personId}`,
  )
  const userIds: string[] = []
  const clients: Client[] = []
  for (const [i, door] of (['basic', 'code'] as const).entries()) {
    const [row] = await app.sql(`select id from apps order by id offset ${i} limit 1`)
    const parties = { appId: Number(row!.id), personId }
    const userId = await ensureAppUser(db, who, parties)
    const session = { ...parties, userId, door, device: 'Zephyrine phone', pushToken: 'push-of-zephyrine' }
    const { accessToken } = await openSession(db, who, session, get(tokenPolicy))
    userIds.push(userId)
    clients.push(new Client(app.address, accessToken, userId))
  }
  const client = clients[0]!
  const blake = await app.as('blake')
  await shareBuckets(client, blake)
  const saying = { actor: userIds[0], verb: 'Perfect Sequence', object: { target: 'Quillon' } }
  assert.equal((await client.post('/edu/v1/xapi/statement', saying)).status, 200)
  await insertTraces(app, personId, userIds[0]!, email)
  await app.sql(
    `insert into notification_settings (person_id, kind, app, email) values (${personId}, 'note', true, 'off')`,
  )
  const browser = app.visitor()
  const wrong = { handle: HANDLE, password: 'wrong' }
  assert.equal((await call(browser, 'POST', '/account/v1/signin', wrong)).status, 401)
  assert.equal((await call(browser, 'POST', '/account/v1/signin', { ...wrong, password: PASSWORD })).status, 200)
  await causeFailures(app, browser, personId)
  // Fail again, from an unknown browser, because the successful sign-in has cleared the earlier failure.
  assert.equal((await call(app.visitor(), 'POST', '/account/v1/signin', wrong)).status, 401)
  await insertRest(app, personId)
  const sessions = await app.sql(`select id from sessions where person_id = ${personId}`)
  return {
    handle: HANDLE,
    browser,
    client,
    blake,
    traces: {
      personId: [String(personId)],
      userIds,
      sessionIds: sessions.map(({ id }) => String(id)),
      names: ['zephyrine"', 'quillon', email, 'zephyrine phone', 'push-of-zephyrine', 'account:zephyrine'],
      day: ['1981-02-03'],
    },
  }
}

async function shareBuckets(client: Client, blake: Client): Promise<void> {
  const made = await client.put(PATH, { id: 'own', data: { own: 1 } }, { 'idempotency-key': 'their-own' })
  assert.equal(made.status, 200, made.text)
  await client.put(PATH, { id: 'shared', users: [blake.userId] })
  await client.post(PATH, { id: 'shared', key: 'theirs', value: 'Zephyrine was here' })
}

/** Causes failures of every kind that is counted for the person or their account. */
async function causeFailures(app: TestApp, browser: TestBrowser, personId: number): Promise<void> {
  const friend = { handle: 'nobody-at-all' }
  assert.equal((await call(browser, 'POST', '/account/v1/friends/request', friend)).status, 404)
  assert.equal((await call(browser, 'POST', '/account/v1/friends/block', friend)).status, 200)
  const taken = await call(browser, 'POST', '/account/v1/children', KIM)
  assert.equal(taken.status, 400, taken.text)
  const { db, clock } = app.environment()
  const typist = { at: clock(), requestId: 'test', address: '127.0.0.1', personId, handle: HANDLE, epoch: 0 }
  await assert.rejects(readDevice(db, typist as unknown as PersonCaller, { userCode: 'BCDF-GHJK' }), { code: 4042 })
  const wrong = { handle: HANDLE, password: 'wrong', newPassword: 'a new password' }
  for (const path of ['password', 'signin'])
    assert.equal((await call(browser, 'POST', `/account/v1/${path}`, wrong)).status, 401)
  const counted = await app.sql(
    `select split_part(subject, ':', 1) as kind from sign_in_failures
      where about in ('person:${personId}', 'account:zephyrine') order by 1`,
  )
  assert.deepEqual(
    counted.map(({ kind }) => kind),
    ['account', 'asked', 'blocked', 'codes', 'handles', 'known', 'proof'],
  )
}

/** Inserts the rows that would take long to create by requests. */
async function insertTraces(app: TestApp, personId: number, userId: string, email: string): Promise<void> {
  const some = `(select id from people where handle_key = 'blake')`
  const other = `(select id from people where handle_key = 'casey')`
  const anApp = `(select min(id) from apps)`
  const [me, now] = [personId, `now(), now() + interval '1 hour'`]
  await app.sql(
    `insert into organisations (key, name, created_at) values ('school', 'School', now());
     insert into organisation_members (organisation_id, person_id, role) select id, ${me}, 'student' from organisations;
     insert into invitations (key, organisation_id, role, handle, handle_key, person_id, inviter_id, sent_at, expires_at)
     select 'invitation', id, 'owner', '@zephyrine', 'zephyrine', ${me}, ${some}, ${now} from organisations;
     insert into people (handle, handle_key, date_of_birth, created_at) values ('@kim', 'kim', now() - interval '7 years', now());
     insert into guardians (child_id, parent_id, created_at) select id, ${me}, now() from people where handle_key = 'kim';
     insert into apps (client_id, name, owner_id, status, created_at) values ('gs-theirs', 'Theirs', ${me}, 'approved', now());
     insert into friendships (asker_id, asked_id, requested_at, accepted_at) values (${me}, ${some}, now(), now());
     insert into declines (asker_id, decliner_id, declined_at) values (${other}, ${me}, now());
     insert into blocks (blocker_id, blocked_id, created_at) values (${me}, ${other}, now()), (${other}, ${me}, now());
     insert into blocked_names (blocker_id, name, blocked_id, created_at)
     values (${me}, '@nobody-at-all', null, now()), (${some}, '#${userId}', ${me}, now());
     insert into pictures (person_id, kind, width, etag, bytes) values (${me}, 'picture', 1024, 'x', '\\x52494646'), (${me}, 'cover', 1500, 'y', '\\x52494647');
     insert into passkeys (id, credential_id, person_id, public_key, counter, transports, name, created_at)
     values (gen_random_uuid(), 'credential-of-theirs', ${me}, '\\x7365637265742d6b6579', 0, '{}', 'Key of Quillon', now());
     insert into authorization_codes (code_hash, app_id, person_id, person_epoch, consent_epoch, door, redirect_uri, redirect_given, device, created_at, expires_at)
     values ('\\x01', ${anApp}, ${me}, 0, 0, 'code', 'https://app.example.org', true, 'Zephyrine phone', ${now});
     insert into device_grants (device_hash, user_code, app_id, status, person_id, device, network, interval_seconds, created_at, expires_at)
     values ('\\x02', 'ABCD', ${anApp}, 'allowed', ${me}, 'tv', '192.0.2.0', 5, ${now});
     insert into logout_messages (app_id, user_id, sid, created_at, due_at) values (${anApp}, '${userId}', 'sid', now(), now() + interval '1 day');
     insert into password_resets (code_hash, person_id, epoch, created_at, expires_at) values ('\\x03', ${me}, 0, ${now});
     insert into sign_ups (code_hash, email, created_at, expires_at) values ('\\x04', '${email}', ${now});
     insert into messages (person_id, kind, recipient, sealed, created_at, sent_at)
     values (${me}, 'password-reset', '${email}', '\\x7365616c6564', ${now});
     insert into courses (key, organisation_id, author_id, created_at) select 'course', id, ${me}, now() from organisations;
     insert into course_versions (course_id, number, name, description, is_public, document, published_at) select id, 1, 'Course', '', false, '{}', now() from courses;
     insert into lessons (key, course_id) select 'lesson', id from courses;
     insert into objectives (key, course_id) select 'objective', id from courses;
     insert into classes (key, course_id, version_id, name, is_sequential, created_at) select 'class', course_id, id, 'Class', false, now() from course_versions;
     insert into class_staff (class_id, person_id, role) select id, ${me}, 'instructor' from classes;
     insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
     select 'student of Quillon', id, ${me}, 'active', now(), now() from classes union all select 'other', id, ${some}, 'active', now(), now() from classes;
     insert into lesson_locks (class_id, lesson_id, is_locked, set_by, set_at) select c.id, l.id, true, ${me}, now() from classes c, lessons l;
     insert into lesson_dates (class_id, lesson_id, due_at, set_by, set_at) select c.id, l.id, now(), ${me}, now() from classes c, lessons l;
     insert into attempts (key, enrolment_id, lesson_id, state, pass, answers, started_at, completed_at, progress_intervals, idle_intervals, active_ms, changed_at, result, graded_by, reported_via, reported_by)
     select e.key, e.id, l.id, 'completed', true, case when e.person_id = ${me} then '["Quillon"]'::json end, now(), now(), '[]', '[]', 0, now(), 'PASS', ${me}, 'instructor', ${me} from enrolments e, lessons l;
     insert into standings (enrolment_id, lesson_id, attempt_id, state, result, changed_at) select enrolment_id, lesson_id, id, state, result, now() from attempts;
     insert into objective_scores (enrolment_id, lesson_id, objective_id, attempt_id, score, reported_by, reported_at)
     select a.enrolment_id, a.lesson_id, o.id, a.id, 50, ${me}, now() from attempts a, objectives o;
     insert into grade_changes (enrolment_id, lesson_id, attempt_id, kind, before, after, reason, changed_by, changed_at)
     select a.enrolment_id, a.lesson_id, a.id, 'grade', '{}', '{}', case when a.key = 'other' then 'better' else 'Quillon asked' end, ${me}, now() from attempts a;
     insert into evaluations (key, attempt_id, enrolment_id, lesson_id, criteria, remarks, recorded_by, recorded_at, changed_at)
     select 'evaluation of ' || a.key, a.id, a.enrolment_id, a.lesson_id, '[]', case when a.key = 'other' then '' else 'Quillon landed' end, ${me}, now(), now() from attempts a;
     insert into file_contents (sha256, bytes, used_at) values ('x', 1, now());
     insert into packages (key, organisation_id, kind, title, name, sha256, bytes, stored_bytes, files, units, blocks, structure, created_by, created_at) select 'package', organisation_id, 'cmi5', 'A package', 'cmi5.xml', 'x', 1, 1, 0, 0, 0, '{}', ${me}, now() from organisation_members where person_id = ${me} limit 1;
     insert into registrations (code, package_id, enrolment_id, person_id, created_at) select gen_random_uuid(), k.id, e.id, ${me}, now() from packages k, enrolments e where e.person_id = ${me};
     insert into launches (code, registration_id, position, mode, created_at, last_at) select gen_random_uuid(), id, 0, 'Normal', now(), now() from registrations;
     insert into scorm_states (registration_id, position, cmi, is_suspended, launch_id, sequence, is_finished, recorded, saved_at)
     select registration_id, 0, '{"suspend_data":"Quillon"}', true, id, 1, false, '{}', now() from launches;
     insert into package_uploads (key, organisation_id, name, bytes, reserved_bytes, created_by, created_at, expires_at) select 'upload', organisation_id, 'cmi5.xml', 1, 1, ${me}, now(), now() from organisation_members where person_id = ${me} limit 1;
     insert into files (key, organisation_id, name, media_type, bytes, sha256, created_by, created_at)
     select 'file', id, 'plan.pdf', 'application/pdf', 1, 'x', ${me}, now() from organisations limit 1;
     insert into questions (key, organisation_id, kind, summary, tags, revision, created_at, changed_at)
     select 'question', id, 'essay', 'Why?', '{}', 1, now(), now() from organisations limit 1;
     insert into question_revisions (question_id, number, tags, content, points, parts, created_at) select id, 1, '{}', '{}', 1, 0, now() from questions;
     insert into quiz_attempts (attempt_id, class_id, lesson_id, feedback, started_at) select a.id, c.id, a.lesson_id, 'end', now() from attempts a, classes c;
     insert into quiz_answers (attempt_id, position, question_id, revision, shown, response, max_points, graded_by)
     select a.id, 1, q.id, 1, '[]', case when a.key = 'other' then '"sky"'::json else '"Quillon says"'::json end, 1, ${me} from attempts a, questions q;
     insert into notes (key, text, class_id, enrolment_id, person_id, author_id, created_at)
     select 'about ' || e.key, 'Quillon was here', e.class_id, e.id, e.person_id, ${me}, now() from enrolments e;
     insert into announcements (key, organisation_id, author_id, title, text, recipients, created_at)
     select 'announcement', id, ${me}, 'Closed', 'No flying', 0, now() from organisations limit 1;
     insert into verbs (iri, name, added_at, added_by) values ('https://example.org/verbs/flew', 'flew', now(), ${me});
     insert into documents (document_key, context_key, kind, handle, id, content_type, contents, etag, updated)
     values (gen_random_uuid(), gen_random_uuid(), 'state', 'zephyrine', 'Of Quillon', 'text/plain', 'x', '', now());
     insert into credentials (key, name, scopes, created_by, created_at) values ('k', 'k', '{all}', ${me}, now());
     insert into plugins (app_id, kind, created_at) values (${anApp}, 'ato', now());
     insert into plugin_users (user_id, plugin_id, person_id) select 'Quillon to a plugin', id, ${me} from plugins;
     insert into ato_packages (key, app_id, name, created_at) values ('package', ${anApp}, 'Package', now());
     insert into ato_requests (key, package_id, plugin_id, plugin_client_id, plugin_name, person_id, started_at, changed_at) select 'request', k.id, p.id, 'x', 'x', ${me}, now(), now() from ato_packages k, plugins p;
     insert into ato_entries (request_id, kind, person_id, at, detail) select id, 'started', ${me}, now(), '{}' from ato_requests;
     insert into planner_searches (key, person_id, text, organisations, engines, capabilities, created_at) values ('search', ${me}, 'Quillon asks', '{}', '[]', '[]', now());
     insert into planner_candidates (search_id, person_id, score, sources) select id, ${me}, 1, '[]' from planner_searches;
     insert into plans (key, person_id, name, notes, text, organisations, created_at, changed_at) values ('plan', ${me}, 'Of Quillon', '', '', '{}', now(), now());
     insert into plan_people (plan_id, person_id, score, sources) select id, ${me}, 1, '[]' from plans;
     insert into provider_sign_ins (state_hash, organisation_id, browser_hash, version, purpose, person_id, epoch, is_kept, is_fresh, created_at, expires_at) select 'x', organisation_id, 'x', 1, 'link', ${me}, 0, false, false, now(), now() from organisation_members where person_id = ${me} limit 1;
     insert into provider_identities (organisation_id, issuer, subject, person_id, linked_at, last_used_at) select organisation_id, 'https://login.example.org', 'Quillon there', ${me}, now(), now() from organisation_members where person_id = ${me} limit 1;
     insert into bucket_changes (bucket_no, version, kind, user_id, changed_at) select bucket_no, 0, 'users', '${userId}', now() from buckets where id = 'own'`,
  )
}

const SAMPLES: Readonly<Record<string, string>> = {
  text: "'quillon'",
  'text[]': "'{quillon}'",
  bigint: '1',
  bytea: "'quillon'",
  integer: '1',
  boolean: 'true',
  json: "'{}'",
  jsonb: "'{}'",
  'timestamp with time zone': 'now()',
}

/**
 * Inserts a row about the person into each of the `personalTables` of all rooms that has none yet, so that this test
 * needs no change for new rooms.
 */
async function insertRest(app: TestApp, personId: number): Promise<void> {
  for (const table of rooms.flatMap(({ personalTables = {} }) => Object.keys(personalTables))) {
    const columns = await app.sql(
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
        where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped
          and attidentity = '' and (attname = 'person_id' or (attnotnull and not atthasdef))`,
    )
    if (!columns.some(({ name }) => name === 'person_id')) continue
    if ((await app.sql(`select from ${table} where person_id = ${personId}`)).length > 0) continue
    const values = columns.map(({ name, type }) => (name === 'person_id' ? personId : SAMPLES[String(type)]))
    await app.sql(`insert into ${table} (${columns.map(({ name }) => name)}) values (${values})`)
  }
}

/** Returns the tables in which one of these texts occurs, in any column of any row, ignoring case. */
export async function tablesThatName(app: TestApp, { traces }: { traces: Traces }): Promise<string[]> {
  const tables = await app.sql(
    `select relname as name from pg_class
      where relnamespace = 'gs_production'::regnamespace and relkind in ('r', 'p', 'v') and not relispartition order by 1`,
  )
  const texts = Object.values(traces).flat()
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await app.sql(`select lower(row_to_json(t)::text) as row from "${name}" t`)
    if (rows.some(({ row }) => texts.some((one) => String(row).includes(one.toLowerCase())))) found.push(String(name))
  }
  return found
}
