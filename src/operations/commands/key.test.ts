import assert from 'node:assert/strict'
import { createHmac, hkdfSync } from 'node:crypto'
import { test } from 'node:test'
import { addApp, addAppSecret, ensureAppUser } from '../../apps/apps/apps.ts'
import { secretKeys, secretSeal } from '../../apps/apps/secrets.ts'
import { openSession, tokenPolicy } from '../../kernel/sessions/sessions.ts'
import { makeCredential } from '../../records/credentials/managing.ts'
import type { Platform } from '../platform/platform.ts'
import { databaseUrl } from '../testing/machine.ts'
import { assertError, Client, SECRET_KEY, testApp } from '../testing/testing.ts'
import { operator } from './operator.ts'
import { runOne } from './testing.ts'

const NEW_KEY = Buffer.alloc(32, 'new').toString('base64url')
const BOTH = `${NEW_KEY},${SECRET_KEY}`

const addressOf = (platform: Platform): string => platform.addresses.production

const refresh = (platform: Platform, refreshToken: string) =>
  new Client(addressOf(platform)).post('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: 'gs-used',
    client_secret: secrets.used,
  })

const secrets = { used: '', unused: '' }

test('the secret key is changed in steps, and nobody has to sign in again', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const before = app.environment()
  for (const key of ['used', 'unused'] as const) {
    const what = { key, name: key, redirectUris: [], origins: [], isBasicEnabled: false, isImplicitEnabled: false }
    const added = await addApp(
      before.db,
      operator(),
      { ...what, isDeviceEnabled: false, isPublic: false },
      before.get(secretKeys),
    )
    secrets[key] = added.secret!
  }
  const store = await makeCredential(
    before.db,
    operator(),
    { name: 'Tool', scopes: ['all'], usesLibrary: false },
    before,
  )
  const [used] = await app.sql(`select id::int from apps where client_id = 'gs-used'`)
  const [avery] = await app.sql(`select id::int from people where handle_key = 'avery'`)
  const [appId, personId] = [Number(used!.id), Number(avery!.id)]
  const who = { at: new Date(), requestId: 'test', address: '127.0.0.1' }
  const userId = await ensureAppUser(before.db, who, { appId, personId })
  const session = await openSession(
    before.db,
    who,
    { appId, personId, userId, door: 'code', device: 'test' },
    before.get(tokenPolicy),
  )
  await app.sql(`
    insert into passkeys (id, credential_id, person_id, public_key, counter, transports, name, created_at)
    values (gen_random_uuid(), 'older', ${personId}, '', 0, '{}', 'Key', now())`)
  const sealed = before.get(secretSeal).seal('gs-used', 'a secret that the platform sends')
  await app.sql(`update app_secrets set sealed = '\\x${sealed.toString('hex')}' where app_id = ${appId}`)

  await t.test('a process with another key alone is refused', async () => {
    await assert.rejects(app.startSecond({ SECRET_KEY: NEW_KEY }), /first used with another secret key/)
  })

  const both = await app.startSecond({ SECRET_KEY: BOTH })
  const first = await refresh(both, session.refreshToken)
  const settings = { DATABASE_URL: databaseUrl(app.connection) }

  await t.test(
    'with both keys, tokens and secrets of the old key work, and move to the new key when they are used',
    async () => {
      assert.equal(first.status, 200, first.text)
      assertError(await refresh(app.platform, first.body.refresh_token), 401, 4011, undefined, 'oauth')
    },
  )

  await t.test(
    '`key rotate` encrypts stored secrets again and names the client secrets that were not used yet',
    async () => {
      const { code, out, err } = await runOne(['key', 'rotate'], { ...settings, SECRET_KEY: BOTH })
      assert.equal(code, 0, err)
      assert.match(out, /^production\tplugin secrets re-encrypted: 1$/m)
      assert.match(out, new RegExp(`^production\\tnot used with the new key yet: .*gs-unused.*${store.key}`, 'm'))
      assert.match(out, /^Keep the previous key for another day: /m)
      const [passkey] = await app.sql(`select encode(user_handle, 'hex') as handle from passkeys`)
      const oldUserKey = hkdfSync(
        'sha256',
        Buffer.from(SECRET_KEY, 'base64url'),
        '',
        'groundschool/production/passkey-user',
        32,
      )
      const handle = createHmac('sha256', Buffer.from(oldUserKey)).update(String(personId)).digest('hex')
      assert.equal(passkey!.handle, handle)
      const [audited] = await app.sql(
        `select count(*)::int as entries from audit_entries where action = 'secret-key.rotated'`,
      )
      assert.equal(audited!.entries, 1)
    },
  )

  await t.test('a secret that is used, or that is created, moves to the new key', async () => {
    const basic = `Basic ${Buffer.from(`${store.key}:${store.secret}`).toString('base64')}`
    const about = { authorization: basic, 'x-experience-api-version': '2.0.0' }
    const read = (platform: Platform) => new Client(addressOf(platform)).get('/xapi/statements', { limit: '1' }, about)
    assert.equal((await read(both)).status, 200)
    const newer = both.environments.find(({ name }) => name === 'production')!
    await addAppSecret(newer.db, operator(), { clientId: 'gs-unused' }, newer.get(secretKeys))
    const { out } = await runOne(['key', 'rotate'], { ...settings, SECRET_KEY: BOTH })
    assert.match(out, /^production\tplugin secrets re-encrypted: 0$/m)
    assert.doesNotMatch(out, new RegExp(store.key))

    const after = await app.startSecond({ SECRET_KEY: NEW_KEY })
    assert.equal((await read(after)).status, 200)
    const second = await refresh(after, first.body.refresh_token)
    assert.equal(second.status, 200, second.text)
    const [row] = await app.sql(`select encode(sealed, 'hex') as sealed from app_secrets where app_id = ${appId}`)
    const opened = after.environments[0]!.get(secretSeal).open('gs-used', Buffer.from(String(row!.sealed), 'hex'))
    assert.equal(opened, 'a secret that the platform sends')
    const old = { grant_type: 'refresh_token', refresh_token: second.body.refresh_token, client_id: 'gs-unused' }
    assertError(
      await new Client(addressOf(after)).post('/oauth/token', { ...old, client_secret: secrets.unused }),
      401,
      4011,
      undefined,
      'oauth',
    )
  })

  await t.test('after that, a process with the old key alone is refused', async () => {
    await assert.rejects(app.startSecond({ SECRET_KEY }), /first used with another secret key/)
  })
})
