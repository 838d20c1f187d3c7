import assert from 'node:assert/strict'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import type { Answer, Person, TestApp } from '../../operations/testing/testing.ts'

export const PASSWORD = 'groundschool'
export const UNLIMITED = { RATE_ADDRESS_BURST: '100000', RATE_TOKEN_BURST: '100000' }

/** Returns a browser in which the person has signed in to the platform itself. */
export async function signInBrowser(app: TestApp, person: Person, environment?: EnvironmentName): Promise<TestBrowser> {
  await app.givePassword(person, environment)
  const browser = app.visitor(environment)
  const seen = await browser.submit(await browser.get('/account/signin'), { handle: person, password: PASSWORD })
  assert.equal(seen.status, 303, seen.text)
  return browser
}

/** Calls an operation like the scripts of the platform's pages do. */
export async function call(
  browser: TestBrowser,
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const seen = await browser.send(path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const isJson = seen.headers.get('content-type')?.startsWith('application/json')
  return {
    status: seen.status,
    text: seen.text,
    headers: seen.headers,
    body: isJson ? JSON.parse(seen.text) : undefined,
  }
}

export const isSignedIn = async (browser: TestBrowser): Promise<boolean> =>
  (await call(browser, 'GET', '/account/v1/me')).status === 200
