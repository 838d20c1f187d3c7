import assert from 'node:assert/strict'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import type { Answer, Person, TestApp } from '../../operations/testing/testing.ts'
import { call, signInBrowser } from '../account/testing.ts'

export const INVITATION = '/edu/v1/invitation'

export const answerInvitation = (browser: TestBrowser, verb: 'accept' | 'decline', invitationId: string) =>
  call(browser, 'POST', `${INVITATION}/${verb}`, { invitationId })

export const listReceived = async (browser: TestBrowser) => (await call(browser, 'GET', `${INVITATION}/list`)).body

/** Sends a request that invites somebody, and accepts the invitation in the person's browser. */
export async function inviteAndAccept(app: TestApp, person: Person, invite: Promise<Answer>): Promise<void> {
  const { status, text, body } = await invite
  assert.equal(status, 200, text)
  const accepted = await answerInvitation(await signInBrowser(app, person), 'accept', body.invitationId)
  assert.equal(accepted.status, 200, accepted.text)
}
