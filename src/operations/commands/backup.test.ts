import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
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
