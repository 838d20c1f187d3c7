import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTestDatabase } from '../../kernel/database/test-database.ts'
import { databaseUrl } from '../testing/machine.ts'
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
    assert.match(out, /everything that is stored about people/)
    assert.match(out, /Keep it as safe as the database, or use --encrypt/)
  })

  await t.test('a short passphrase is refused, and nothing is written', async () => {
    const { code, err } = await runOne(['backup', file, '--encrypt'], settings, 'short\n')
    assert.deepEqual([code, err], [1, 'A passphrase has at least 12 characters; nothing was written\n'])
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
