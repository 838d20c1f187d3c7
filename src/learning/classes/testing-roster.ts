import { call, signInBrowser } from '../../apps/account/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import type { Answer, Person, TestApp } from '../../operations/testing/testing.ts'
import { joinSchool, openSchool } from '../courses/testing.ts'

export const STUDENT = '/edu/v1/class/student'
export const CODE = 'CODE-ALPHA'

/**
 * Creates the school of the tests with a join code for alpha. Everybody is a member of it. Returns functions that send
 * requests from people's browsers.
 */
export async function openClasses(app: TestApp, more: Parameters<typeof openSchool>[1] = {}) {
  await openSchool(app, { ...more, alpha: { joinCode: CODE, ...more.alpha } })
  await joinSchool(app)
  const browsers = new Map<Person, TestBrowser>()
  const browserOf = async (person: Person): Promise<TestBrowser> => {
    const browser = browsers.get(person) ?? (await signInBrowser(app, person))
    browsers.set(person, browser)
    return browser
  }
  return {
    browserOf,
    put: async (person: Person, path: string, body: object): Promise<Answer> =>
      call(await browserOf(person), 'PUT', path, body),
    post: async (person: Person, path: string, body: object): Promise<Answer> =>
      call(await browserOf(person), 'POST', path, body),
    get: async (person: Person, path: string): Promise<Answer> => call(await browserOf(person), 'GET', path),
    enrol: async (person: Person, handle: string, classId = 'alpha') =>
      call(await browserOf(person), 'PUT', STUDENT, { classId, handle }),
    change: async (person: Person, action: string, studentId: string) =>
      call(await browserOf(person), 'POST', `${STUDENT}/${action}`, { studentId }),
    transfer: async (person: Person, studentId: string, classId: string) =>
      call(await browserOf(person), 'POST', `${STUDENT}/transfer`, { studentId, classId }),
    send: async (person: Person, csv: string | Buffer, query: Record<string, string> = {}, type = 'text/csv') =>
      sendRoster(await browserOf(person), csv, query, type),
  }
}

export async function sendRoster(
  browser: TestBrowser,
  csv: string | Buffer,
  query: Record<string, string>,
  type: string,
): Promise<Answer> {
  const address = `/edu/v1/class/roster?${new URLSearchParams({ classId: 'alpha', ...query })}`
  const seen = await browser.send(address, { method: 'POST', headers: { 'content-type': type }, body: csv as string })
  return { status: seen.status, text: seen.text, headers: seen.headers, body: JSON.parse(seen.text) }
}

/** Reads the handle and status of everybody who is or was a student of a class. */
export const statuses = async (app: TestApp, classId = 'alpha'): Promise<Record<string, string>> =>
  Object.fromEntries(
    (
      await app.sql(
        `select p.handle_key, e.status from enrolments e join people p on p.id = e.person_id join classes c on c.id = e.class_id
          where c.key = '${classId}' order by e.id`,
      )
    ).map(({ handle_key, status }) => [String(handle_key), String(status)]),
  )

/** Reads the audit log entries about students and lessons of classes, oldest first. */
export const audited = async (app: TestApp): Promise<string[]> =>
  (
    await app.sql(
      `select a.action || coalesce(' ' || p.handle_key, '') || ' ' || (a.detail->>'class') || coalesce(' by ' || d.handle_key, '') as line
         from audit_entries a left join people p on p.id = a.person_id left join people d on d.id = (a.detail->>'by')::bigint
        where a.action like 'student.%' or a.action like 'lesson.%' order by a.id`,
    )
  ).map(({ line }) => String(line))
