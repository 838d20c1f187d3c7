import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import { obtainCode } from '../../apps/oauth/testing.ts'
import {
  CLIENT_ID,
  CODE,
  CODE_VERIFIER,
  REDIRECT_URI,
  STORE_KEY,
  STORE_KEY_NAME,
  TESTER,
  USER_IDS,
} from '../../kernel/samples.ts'
import { type Prepare, requestOf, signIn } from './testing-scene.ts'

/** Creates a record store credential, and deletes all others except the one with which examples are sent. */
const makeStoreKey: Prepare = async ({ app, browser, real }) => {
  await app.sql(`delete from credentials where name <> '${STORE_KEY_NAME}'`)
  const request = requestOf('makeCredential')
  real[STORE_KEY] = (await call(browser, 'PUT', '/lrs/v1/credentials', request)).body.key
}

/** Makes Ellis an administrator of the sandbox, and signs in there. */
const goToSandbox: Prepare = async (scene) => {
  await scene.app.sql(`update people set administrator = true where handle = '@ellis'`, 'sandbox')
  scene.browser = await signInBrowser(scene.app, 'ellis', 'sandbox')
}

/** Lets Casey change an app of their own that Ellis had approved. */
const changeApprovedApp: Prepare = async ({ app, browser }) => {
  await app.sql(
    `insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'developer' from organisations o, people p where o.key = 'northwind' and p.handle = '@casey'`,
  )
  const casey = await signIn(app, 'casey')
  const request = requestOf('registerApp')
  const { clientId } = (await call(casey, 'PUT', '/app/v1/app', request)).body
  await call(browser, 'POST', '/app/v1/app/status', { clientId, status: 'approved' })
  const changed = await call(casey, 'POST', '/app/v1/app', { clientId, name: 'Flight log' })
  assert.equal(changed.status, 200, changed.text)
}

/** Preparations that the examples about apps, tokens, the sandbox and credentials of the record store need. */
export const APP_PREPARATIONS: Readonly<Record<string, Prepare>> = {
  makeTestPeople: goToSandbox,
  listTestPeople: goToSandbox,
  resetTestPeople: goToSandbox,
  signInAsTestPerson: async (scene) => {
    await goToSandbox(scene)
    const { body } = await call(scene.browser, 'PUT', '/sandbox/v1/people', {})
    scene.real[TESTER] = body.docs[0].handle
  },
  // Makes Avery the only person who has allowed and used the app.
  listAppUsers: ({ app }) =>
    app.sql(
      `update app_users set allowed_at = case when user_id = '${USER_IDS.avery}' then now() end;
       insert into sessions (id, app_id, person_id, user_id, door, refreshed_at, created_at, expires_at)
       select gen_random_uuid(), app_id, person_id, user_id, 'code', now(), now(), now() from app_users where user_id = '${USER_IDS.avery}'`,
    ),
  listChangedApps: changeApprovedApp,
  markAppLookedAt: async (scene) => {
    await changeApprovedApp(scene)
    const { body } = await call(scene.browser, 'GET', '/app/v1/app/changed')
    scene.request = { changedDate: body.docs[0].changedDate }
  },
  listCredentials: makeStoreKey,
  changeCredential: makeStoreKey,
  revokeCredential: makeStoreKey,
  addCredentialSecret: makeStoreKey,
  dropOldCredentialSecret: makeStoreKey,
  requestTokens: async ({ app, real }) => {
    real[CODE] = (await obtainCode(app, { clientId: CLIENT_ID, redirectUri: REDIRECT_URI })).code
  },
  requestStandardTokens: async ({ app, real }) => {
    const challenge = hash('sha256', CODE_VERIFIER, 'base64url')
    const asked = { clientId: CLIENT_ID, redirectUri: REDIRECT_URI, path: '/oauth/v2/signin', challenge }
    real[CODE] = (await obtainCode(app, asked)).code
  },
}
