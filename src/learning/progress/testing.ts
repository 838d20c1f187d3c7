import assert from 'node:assert/strict'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import type { Answer, Client, Person, TestApp } from '../../operations/testing/testing.ts'

export const PATH = '/edu/v1/lesson/progress'
export const CLASS = '/edu/v1/class'

/** Sends requests as a person who is signed in to the platform's own pages. */
export interface Browsing {
  get(path: string, query?: Record<string, string>): Promise<Answer>
  post(path: string, body: object): Promise<Answer>
  put(path: string, body: object): Promise<Answer>
}

export async function browse(app: TestApp, person: Person): Promise<Browsing> {
  const browser = await signInBrowser(app, person)
  return {
    get: (path, query = {}) => call(browser, 'GET', `${path}?${new URLSearchParams(query)}`),
    post: (path, body) => call(browser, 'POST', path, body),
    put: (path, body) => call(browser, 'PUT', path, body),
  }
}

/** Starts and completes an attempt. */
export async function complete(who: Client | Browsing, what: object, report: object): Promise<string> {
  const started = await who.post(`${PATH}/start`, what)
  assert.equal(started.status, 200, started.text)
  const ended = await who.post(PATH, { ...what, ...report, complete: true })
  assert.equal(ended.status, 200, ended.text)
  return ended.body.lessonResultId
}

/** Checks that every standing matches its attempts. */
export async function assertStandings(app: TestApp): Promise<void> {
  const rows = await app.sql(
    `select s.enrolment_id, s.lesson_id, s.attempts, s.best_score, s.is_passed, s.active_ms::int, s.state, s.result, s.score, s.awaits_grade, s.active_since::text,
            a.attempts as a1, a.best_score as a2, a.is_passed as a3, a.active_ms as a4,
            coalesce(t.state, 'none') as t1, coalesce(t.result, 'NOT STARTED') as t2, t.score as t3, coalesce(t.awaits_grade, false) as t4, t.active_since::text as t5
       from standings s
       cross join lateral (
         select count(*)::int as attempts, max(o.score) filter (where o.state = 'completed') as best_score, coalesce(bool_or(o.result = 'PASS'), false) as is_passed,
                coalesce(sum(o.active_ms), 0)::int as active_ms
           from attempts o where o.enrolment_id = s.enrolment_id and o.lesson_id = s.lesson_id and o.reset_at is null) a
       left join lateral (
         select o.* from attempts o where o.enrolment_id = s.enrolment_id and o.lesson_id = s.lesson_id and o.reset_at is null
          order by o.started_at desc, o.id desc limit 1) t on true`,
  )
  assert.ok(rows.length > 0)
  for (const row of rows)
    assert.deepEqual(
      [
        row.attempts,
        row.best_score,
        row.is_passed,
        row.active_ms,
        row.state,
        row.result,
        row.score,
        row.awaits_grade,
        row.active_since,
      ],
      [row.a1, row.a2, row.a3, row.a4, row.t1, row.t2, row.t3, row.t4, row.t5],
    )
}

/** Lists the events of a kind so far, in order. */
export const listEvents = async (
  app: TestApp,
  kind: string,
): Promise<{ kind: string; payload: Record<string, unknown> }[]> =>
  (await app.sql(
    `select kind, payload from (select id, kind, payload, 1 as n from events union all select id, kind, payload, 2 from event_outbox) e
      where kind like '${kind}' order by n, id`,
  )) as { kind: string; payload: Record<string, unknown> }[]
