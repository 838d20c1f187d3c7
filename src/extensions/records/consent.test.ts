import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { answerInvitation, listReceived } from '../../apps/invitations/testing.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { AI, ASSERTION, earned, openHelper, openSchools } from '../badges/testing.ts'

test('D14: a plugin sees people only from when they accept an invitation until they leave', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSchools(app)
  const { client, userIdOf } = await openHelper(app, {
    key: 'helper',
    permissions: ['user-records', 'badges', 'skills'],
  })
  const [finley, drew] = [await signInBrowser(app, 'finley'), await signInBrowser(app, 'drew')]
  const userId = await userIdOf('drew')
  const sees = async () => [
    (await client.get(`${AI}/record-data`, { limit: 100 })).body.some(
      (one: { userId: string }) => one.userId === userId,
    ),
    (await client.get(`${AI}/other-skills`, { userId })).status === 200,
    (await client.post(`${AI}/additional-info`, { userId, info: 1 })).status === 200,
    (await client.post(ASSERTION, earned(userId))).status === 200,
    (await client.get(ASSERTION, { userId })).status === 200,
  ]
  assert.deepEqual(new Set(await sees()), new Set([false]))
  const invite = { organisation: 'school', handle: '@drew', role: 'member' }
  await call(finley, 'POST', '/edu/v1/organisation/member', invite)
  assert.deepEqual(new Set(await sees()), new Set([false]))
  const [invitation] = await listReceived(drew)
  assert.deepEqual(invitation.plugins, [{ name: 'helper', permissions: ['badges', 'skills', 'user-records'] }])
  assert.equal((await answerInvitation(drew, 'accept', invitation.invitationId)).status, 200)
  assert.deepEqual(new Set(await sees()), new Set([true]))
  assert.equal((await call(drew, 'POST', '/edu/v1/organisation/leave', { organisation: 'school' })).status, 200)
  assert.deepEqual(new Set(await sees()), new Set([false]))
})
