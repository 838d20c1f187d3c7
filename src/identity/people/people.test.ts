import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../../kernel/caller.ts'
import { isLine } from '../../kernel/lines.ts'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { isHandle, normaliseHandle } from './handles.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { addPerson, changePassword, disablePerson, verifyPerson } from './people.ts'

const OPERATOR: Caller = { at: new Date(), requestId: 'people-test', address: '127.0.0.1' }

const verify = (password: string, hash: string | null): Promise<boolean> => verifyPassword({ password, hash })

test('a hash is verified with the parameters that it names', async () => {
  // The argon2id hash of "password" with the salt "somesalt", from the reference implementation.
  const reference = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
  assert.equal(await verify('password', reference), true)
  assert.equal(await verify('passwore', reference), false)
  await assert.rejects(verify('password', 'plaintext'), /not in argon2id PHC form/)
})

test('a missing hash matches no password, and neither does any hash match 1,001 characters', async () => {
  assert.equal(await verify('', null), false)
  const longest = 'x'.repeat(1000)
  const hash = await hashPassword(longest)
  assert.equal(await verify(longest, hash), true)
  assert.equal(await verify(`${longest}y`, hash), false)
  const tooLong = await hashPassword('x'.repeat(1001))
  assert.equal(await verify('x'.repeat(1001), tooLong), false)
})

test('both Unicode forms of an accented letter make the same password', async () => {
  const hash = await hashPassword('caf\u00e9 au lait')
  assert.equal(await verify('cafe\u0301 au lait', hash), true)
})

test('handles are equal whatever their case, width or @, and look-alikes are refused (D7)', () => {
  for (const same of ['@Avery', 'avery', 'AVERY', '@ａｖｅｒｙ', '@aVeRy']) assert.equal(normaliseHandle(same), 'avery')
  for (const good of ['@avery', 'a', 'a.b-c_d', 'user1', '1user', 'x'.repeat(30)]) assert.ok(isHandle(good), good)
  for (const bad of [
    '',
    '@',
    '@@avery',
    'аvery',
    'av\u200bery',
    'avery\u0301',
    'İstanbul',
    'ﬁnley',
    'a b',
    '.avery',
    'avery.',
    'a/b',
    'a:b',
    'x'.repeat(31),
    'avery\n',
    '😀',
  ])
    assert.ok(!isHandle(bad), bad)
})

test('a name is one visible line, or empty', () => {
  const unseen = ['\u200b', '\u00ad', '\u2060', ' \u200d ', '\u3164', '\u2800', '\ufe0f', '\u{e0020}', '\u061c']
  for (const bad of ['a\nb', 'a\u0085b', 'a\u2028b', 'a\u2029b', '\u2028', '\u202ea', '\ud800', ...unseen])
    assert.ok(!isLine(bad), JSON.stringify(bad))
  for (const good of ['', ' ', '\u00a0', 'Zoë', 'O’Neil', '山田', 'نور', 'नेहा', '👩\u200d✈️', 'می\u200cخواهم', '.', '-'])
    assert.ok(isLine(good), JSON.stringify(good))
})

test('combining marks cannot be piled on a letter, but every script keeps those it needs', () => {
  const heaps = [`a${'\u0301'.repeat(99)}`, 'Z\u0301\u0302\u0303\u0304\u0305\u0306', `a${'\u0300\u200d'.repeat(9)}`]
  for (const bad of [...heaps, `a${'\u20dd\u034f'.repeat(4)}`]) assert.ok(!isLine(bad), JSON.stringify(bad))
  const names = {
    Vietnamese: 'Nguyễn Thị Ngọc Huệ',
    Yoruba: 'Ọ̀ṣun Ẹ̀bùn',
    Hebrew: 'יְרוּשָׁלִַ֔ם שִׁמְשׁוֹן',
    Arabic: 'مُحَمَّدٌ عَبْدُ اللّٰه',
    Thai: 'น้ำผึ้ง ที่รัก',
    Devanagari: 'लक्ष्मीं क़ीं ज़्यादा',
    Bengali: 'শ্রীঁ',
    Burmese: 'မျိုး လျှို့ ညွှန့်',
    Tibetan: 'སྒྲོལ་མ ཧཱུྃ',
    Khmer: 'ស្ត្រី ខ្ញុំ',
    'Tai Tham': 'ᨾᩮᩬᩥ᩵ᨦ',
    emoji: '1️⃣ 👩🏽‍✈️',
  }
  for (const [script, name] of Object.entries(names))
    for (const form of ['NFC', 'NFD']) assert.ok(isLine(name.normalize(form)), `${script} ${form}`)
})

test('accounts', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const { db } = app.environment()
  const verify = (handle: string, password: string) => verifyPerson(db, OPERATOR, { handle, password })

  await t.test('after a change only the new password works', async () => {
    await changePassword(db, OPERATOR, { handle: '@avery', password: 'the first one' })
    const { id } = await verify('avery', 'the first one')
    await changePassword(db, OPERATOR, { handle: 'AVERY', password: 'the second one' })
    await assert.rejects(verify('avery', 'the first one'), { code: 4011 })
    assert.equal((await verify('@avery', 'the second one')).id, id)
  })

  await t.test('a password that is too short or too long is refused, and so is one for an unknown person', async () => {
    for (const password of ['', 'seven..', 'x'.repeat(1001)])
      await assert.rejects(changePassword(db, OPERATOR, { handle: '@avery', password }), { code: 4003 })
    await assert.rejects(changePassword(db, OPERATOR, { handle: '@ghost', password: 'long enough' }), { code: 4042 })
    await assert.rejects(disablePerson(db, OPERATOR, { handle: '@ghost', isDisabled: true }, FORGETTING), {
      code: 4042,
    })
    assert.ok(await verify('avery', 'the second one'))
  })

  await t.test('a disabled person cannot sign in until enabled again', async () => {
    await disablePerson(db, OPERATOR, { handle: '@avery', isDisabled: true }, FORGETTING)
    await assert.rejects(verify('avery', 'the second one'), {
      code: 4011,
      message: 'The handle or the password is wrong',
    })
    await disablePerson(db, OPERATOR, { handle: '@avery', isDisabled: false }, FORGETTING)
    assert.ok(await verify('avery', 'the second one'))
  })

  await t.test('handles that stand for the platform or for a missing value cannot be taken', async () => {
    for (const handle of ['@admin', 'Administrator', '@root', '@support', '@help', '@system', '@GroundSchool', '@null'])
      await assert.rejects(addPerson(db, OPERATOR, { handle }), { code: 4003, message: /is reserved; choose another/ })
    for (const handle of ['@nil', '@undefined', '@anonymous', '@Anonymous-abc', '@anonymous_1', '@security', '@me'])
      await assert.rejects(addPerson(db, OPERATOR, { handle }), { code: 4003, message: /reserved/ })
    await assert.rejects(addPerson(db, OPERATOR, { handle: '@ada', firstName: '\u200b' }), { code: 4003 })
    assert.equal((await addPerson(db, OPERATOR, { handle: '@admiral', firstName: ' ' })).handle, '@admiral')
    const [kept] = await app.sql(`select first_name from people where handle = '@admiral'`)
    assert.equal(kept?.first_name, '')
  })

  await t.test('a person of one environment does not exist in the other', async () => {
    await assert.rejects(
      verifyPerson(app.environment('sandbox').db, OPERATOR, { handle: 'avery', password: 'the second one' }),
      { code: 4011 },
    )
  })
})
