import assert from 'node:assert/strict'
import { operations } from '../../app.ts'
import { call } from '../../apps/account/testing.ts'
import { PASSWORD } from '../../kernel/samples.ts'
import type { TestBrowser } from '../testing/browser.ts'
import type { Client, Person, TestApp } from '../testing/testing.ts'
import type { Snapshot } from './testing-snapshot.ts'

/** The senders, credentials and data with which an example is sent. */
export interface Scene {
  readonly app: TestApp
  /**
   * The sender of the example as a user of the demo app: Avery, unless the example names another person. For reports
   * about an ATO request, the sender is signed in to the plugin instead.
   */
  user: Client
  /** The browser in which the sender is signed in. */
  browser: TestBrowser
  /** A browser in which nobody is signed in. */
  readonly visitor: TestBrowser
  /** Authorization header of the AI plugin in the demo data. */
  readonly basic: string
  /** Authorization header with a record store credential that has all scopes. */
  readonly storeKey: string
  /** Authorization header of content that was launched; empty unless the preparation has launched some. */
  launchKey: string
  /** The real value that replaces each sample value. */
  readonly real: Record<string, string>
  /** Input fields that samples cannot represent, because an authenticator signs a different challenge each time. */
  request: Record<string, unknown>
  /** The data before the preparation for this operation. */
  readonly snapshot: Snapshot
}

/** Adds what an example needs, before the example is sent. */
export type Prepare = (scene: Scene) => Promise<unknown>

/** Data that all examples of an area need. */
export interface Addition {
  readonly name: string
  isFor(area: string, name: string): boolean
  add(app: TestApp): Promise<unknown>
}

/** Returns the request of an operation's example. */
export const requestOf = (name: string): Readonly<Record<string, unknown>> =>
  operations.find((operation) => operation.name === name)?.example?.request ?? {}

/** User-Agent headers with which the demo people sign in. */
export const DEVICES = {
  app: { 'user-agent': 'DemoApp/1.0 (Android 16)' },
  browser: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' },
}

export async function signIn(app: TestApp, handle: Person): Promise<TestBrowser> {
  const browser = app.visitor()
  const answer = await call(browser, 'POST', '/account/v1/signin', { handle, password: PASSWORD }, DEVICES.browser)
  assert.equal(answer.status, 200, answer.text)
  return browser
}
