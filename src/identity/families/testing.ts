import assert from 'node:assert/strict'
import { call, PASSWORD } from '../../apps/account/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import type { Answer, TestApp } from '../../operations/testing/testing.ts'

export const CHILDREN = '/account/v1/children'
export const CHILD_PASSWORD = 'child of groundschool'

/**
 * Returns the date this many years before `now`, plus some days. If `now` is 29 February and the earlier year is not a
 * leap year, counts from 28 February.
 */
export function yearsAgo(years: number, days = 0, now = new Date()): string {
  const [year, month] = [now.getUTCFullYear() - years, now.getUTCMonth()]
  const day = Math.min(now.getUTCDate(), new Date(Date.UTC(year, month + 1, 0)).getUTCDate())
  return new Date(Date.UTC(year, month, day + days)).toISOString().slice(0, 10)
}

/** A child aged seven. */
export const KIM = { handle: '@kim', firstName: 'Kim', lastName: 'Ng', dateOfBirth: yearsAgo(7) }

export const post = (browser: TestBrowser, path: string, body: unknown = {}): Promise<Answer> =>
  call(browser, 'POST', `${CHILDREN}${path}`, body)
export const list = async (browser: TestBrowser) => {
  const answer = await call(browser, 'GET', CHILDREN)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** Adds a child, and returns the child as shown to the parent. */
export async function addChild(browser: TestBrowser, fields: object = {}) {
  const answer = await post(browser, '', { ...KIM, ...fields })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** Signs the child in, using a new browser. */
export async function signInChild(app: TestApp, handle: string, password = CHILD_PASSWORD): Promise<TestBrowser> {
  const browser = app.visitor()
  const seen = await browser.submit(await browser.get('/account/signin'), { handle, password })
  assert.equal(seen.status, 303, seen.text)
  return browser
}

/** Returns the audit entries about a person's children and parents. */
export async function auditOf(app: TestApp, handle: string): Promise<[action: string, detail: string][]> {
  const rows = await app.sql(
    `select e.action, e.detail::text from audit_entries e join people p on p.id = e.person_id
      where p.handle = '${handle}' and (e.action like 'child.%' or e.action like 'parent.%') order by e.id`,
  )
  return rows.map(({ action, detail }) => [String(action), String(detail)])
}

export const idOf = async (app: TestApp, handle: string): Promise<number> =>
  Number((await app.sql(`select id from people where handle = '${handle}'`))[0]?.id)

/** An operator as the caller, at the platform's current time. */
export const operatorOf = (app: TestApp) => ({
  at: app.environment().clock(),
  requestId: 'families-test',
  address: 'command line',
})

export const setBirth = (app: TestApp, person: string, born: string | null) =>
  app.sql(
    `update people set date_of_birth = ${born === null ? 'null' : `date '${born}'`} where handle_key = '${person}'`,
  )

export { PASSWORD }
