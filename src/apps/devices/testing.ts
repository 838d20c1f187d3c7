import assert from 'node:assert/strict'
import type { Seen, TestBrowser } from '../../operations/testing/browser.ts'
import type { Answer, TestApp } from '../../operations/testing/testing.ts'
import { exchange, type RegisteredApp, registerApp } from '../oauth/testing.ts'

export const AUTHORIZE = '/oauth/v2/device/authorize'
export const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Registers an app for a device without a browser. */
export const registerTv = (app: TestApp, key = 'tv'): Promise<RegisteredApp> =>
  registerApp(app, { key, name: 'Cockpit TV', isPublic: true, isDeviceEnabled: true, redirectUris: [] })

export interface Codes {
  readonly device_code: string
  readonly user_code: string
}

export async function start(app: TestApp, { clientId }: RegisteredApp): Promise<Codes> {
  const answer = await exchange(app, { client_id: clientId, scope: 'user' }, 'form', { path: AUTHORIZE })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

export const poll = (
  app: TestApp,
  { clientId }: RegisteredApp,
  { device_code }: Pick<Codes, 'device_code'>,
): Promise<Answer> =>
  exchange(app, { grant_type: GRANT, client_id: clientId, device_code }, 'form', { path: '/oauth/v2/token' })

/** Types the code that the device shows; the response is the consent page. */
export async function type(browser: TestBrowser, code: string): Promise<Seen> {
  return browser.submit(await browser.get('/device'), { user_code: code })
}

export async function decide(browser: TestBrowser, { user_code }: Codes, decision: 'allow' | 'deny'): Promise<Seen> {
  const page = await type(browser, user_code)
  assert.equal(page.status, 200, page.text)
  return browser.submit(page, { decision }, '/device/decision')
}
