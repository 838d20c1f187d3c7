import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { compactVerify, createLocalJWKSet, decodeProtectedHeader } from 'jose'
import { signToken } from '../../apps/signing/signing.ts'
import { readConfig } from '../../kernel/config.ts'
import type { Connection } from '../../kernel/database/database.ts'
import { createTestDatabase } from '../../kernel/database/test-database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { openLog } from '../platform/log.ts'
import { startPlatform } from '../platform/platform.ts'
import { databaseUrl } from '../testing/machine.ts'
import { Client, SECRET_KEY, testApp } from '../testing/testing.ts'
import { operator } from './operator.ts'
import { ownDatabase, place, runOne } from './testing.ts'

test('a backup is encrypted with a passphrase, and restored with the same', async (t) => {
  const { settings, drop } = await ownDatabase()
  const empty = await createTestDatabase()
  t.after(() => Promise.all([drop(), empty.drop()]))
  const target = { ...settings, DATABASE_URL: databaseUrl(empty.connection) }
  const file = join(place, 'sealed.backup')

  await t.test('its help lists the content of the file', async () => {
    const { out } = await runOne(['backup', '--help'])
    assert.match(out, /hashes of passwords, tokens and client secrets/)
    assert.match(out, /all data about users/)
    assert.match(out, /Keep it as safe as the database, or use --encrypt/)
  })

  await t.test('a short passphrase is refused, and nothing is written', async () => {
    const { code, err } = await runOne(['backup', file, '--encrypt'], settings, 'short\n')
    assert.deepEqual([code, err], [1, 'A passphrase must have at least 12 characters; nothing was written\n'])
    assert.ok(!existsSync(file))
  })

  const saved = await runOne(['backup', file, '--encrypt'], settings, 'correct horse battery\n')
  assert.equal(saved.code, 0, saved.err)
  assert.doesNotMatch(saved.out + saved.err, /correct horse/)
  assert.match(readFileSync(file).subarray(0, 50).toString(), /^\{"format":"groundschool-encrypted-backup"/)

  await t.test('another passphrase decrypts nothing and changes nothing', async () => {
    for (const wrong of ['correct horse batterie\n', '']) {
      const { code, err } = await runOne(['restore', file], target, wrong)
      assert.equal(code, 1)
      assert.match(err, /^.*sealed\.backup cannot be decrypted: the passphrase is wrong, [^\n]*nothing was changed\n$/)
    }
  })

  const loaded = await runOne(['restore', file], target, 'correct horse battery\n')
  assert.equal(loaded.code, 0, loaded.err)
  assert.match(loaded.out, /^\d+ rows of \d+ tables were restored\.\n$/)
  assert.equal((await runOne(['user', 'list'], target)).out, (await runOne(['user', 'list'], settings)).out)
})

test('a restored platform has the same keys of ID tokens, and says so if it cannot decrypt them', async (t) => {
  const SEAL_KEYS = Buffer.alloc(32, 'seal').toString('base64url')
  const app = await testApp(t, { SEAL_KEYS })
  const who = { ...operator(), at: app.environment().clock() }
  const sign = (environment: Environment, algorithm?: 'ES256') =>
    signToken(environment, who, { type: 'JWT', claims: { iss: environment.url, sub: 'x' }, algorithm })
  const before = [await sign(app.environment()), await sign(app.environment(), 'ES256')]
  const file = join(place, 'keys.backup')
  const saved = await runOne(['backup', file], { DATABASE_URL: databaseUrl(app.connection), SECRET_KEY, SEAL_KEYS })
  assert.equal(saved.code, 0, saved.err)

  /** Restores the backup into an empty database. */
  const restore = async (settings: Record<string, string>) => {
    const { connection, drop } = await createTestDatabase()
    t.after(drop)
    const loaded = await runOne(['restore', file], { DATABASE_URL: databaseUrl(connection), ...settings })
    assert.equal(loaded.code, 0, loaded.err)
    return { connection, said: loaded.err }
  }
  const start = async (connection: Connection, settings: Record<string, string>) => {
    const lines: string[] = []
    const config = readConfig({ PORT: '0', SANDBOX_PORT: '0', DATA_DIR: place, SECRET_KEY, ...settings })
    const log = openLog(config, { write: (line) => lines.push(line) })
    const platform = await startPlatform(config, connection, log, app.environment().clock, ['production'])
    t.after(() => platform.stop())
    const environment = platform.environments[0]!
    const { body } = await new Client(platform.addresses.production).get('/oauth/v2/jwks')
    return { environment, keys: createLocalJWKSet(body), log: () => lines.join('') }
  }
  const unreadable = /keys of ID tokens cannot be decrypted: set SEAL_KEYS/

  await t.test('with both keys, tokens of before are verified and new ones are signed', async () => {
    const { connection, said } = await restore({ SECRET_KEY, SEAL_KEYS })
    assert.doesNotMatch(said, /One step is left/)
    const { environment, keys, log } = await start(connection, { SEAL_KEYS })
    for (const token of before) assert.equal((await compactVerify(token, keys)).payload.length > 0, true)
    const after = [await sign(environment), await sign(environment, 'ES256')]
    for (const token of after) await compactVerify(token, keys)
    const kids = (tokens: string[]) => tokens.map((token) => decodeProtectedHeader(token).kid)
    assert.deepEqual(kids(after), kids(before))
    assert.doesNotMatch(log(), unreadable)
  })

  await t.test('with another secret key it does not start, and the restore says so', async () => {
    const other = Buffer.alloc(32, 'other').toString('base64url')
    const { connection, said } = await restore({ SECRET_KEY: other, SEAL_KEYS })
    assert.match(said, /One step is left\. This database was first used with another secret key/)
    await assert.rejects(start(connection, { SECRET_KEY: other, SEAL_KEYS }), /first used with another secret key/)
  })

  await t.test(
    'without SEAL_KEYS the restore and the log say so, and new keys replace those that are lost',
    async () => {
      const { connection, said } = await restore({ SECRET_KEY })
      assert.match(
        said,
        /One step is left: set SEAL_KEYS as on the original platform\. 3 secrets of plugins and keys of ID/,
      )
      const { environment, keys, log } = await start(connection, {})
      assert.match(log(), unreadable)
      for (const token of before) await compactVerify(token, keys)
      await assert.rejects(sign(environment), /not in SEAL_KEYS/)
      const settings = { DATABASE_URL: databaseUrl(connection), SECRET_KEY }
      for (const { kid } of JSON.parse((await runOne(['keys', '--json'], settings)).out)) {
        const withdrawn = await runOne(['keys', '--withdraw', kid], settings)
        assert.equal(withdrawn.code, 0, withdrawn.err)
      }
      const again = await start(connection, {})
      assert.doesNotMatch(again.log(), unreadable)
      await compactVerify(await sign(again.environment), again.keys)
      await assert.rejects(compactVerify(before[0]!, again.keys))
    },
  )
})

test('`backup --keep` names the file, verifies it, and then deletes older ones that it has named', async (t) => {
  const { settings, drop } = await ownDatabase()
  t.after(drop)
  const folder = join(place, 'kept')
  mkdirSync(folder)
  const older = ['groundschool-20250101T000000Z.backup', 'groundschool-20260101T000000Z.backup']
  for (const name of [...older, 'monday.backup', 'groundschool-20250101T000000Z.backup.txt'])
    writeFileSync(join(folder, name), '')

  await t.test('a failed backup deletes nothing', async () => {
    const before = readdirSync(folder)
    const lost = { ...settings, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
    assert.equal((await runOne(['backup', folder, '--keep', '1'], lost)).code, 1)
    for (const keep of ['0', '-1', 'all']) {
      const { code, err } = await runOne(['backup', folder, `--keep=${keep}`], settings)
      assert.deepEqual([code, err.split(',')[0]], [2, '--keep must be a whole number from 1 to 9999'])
    }
    const { code, err } = await runOne(['backup', join(folder, 'absent'), '--keep', '2'], settings)
    assert.equal(code, 2)
    assert.match(err, /^--keep needs an existing folder, and .*absent is not one\./)
    assert.deepEqual(readdirSync(folder), before)
  })

  const { code, out, err } = await runOne(['backup', folder, '--keep', '2'], settings)
  assert.equal(code, 0, err)
  assert.match(out, /groundschool-\d{8}T\d{6}Z\.backup: \d+ rows of \d+ tables, \d+ bytes, verified\n/)
  assert.match(out, /^deleted: groundschool-20250101T000000Z\.backup$/m)
  const left = readdirSync(folder).sort()
  assert.deepEqual(left.slice(0, 2), ['groundschool-20250101T000000Z.backup.txt', older[1]])
  assert.deepEqual(left.slice(3), ['monday.backup'])
})
