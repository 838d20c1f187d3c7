import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { ownDatabase, place, runAll, runOne } from './testing.ts'

test('people are added, get a password, are disabled, enabled, listed and removed', async () => {
  const { settings, drop } = await ownDatabase()
  const line = (text: string) => ({ args: ['user', ...text.split(' ')], settings })
  const setPassword = (handle: string, input: string) => ({ ...line(`password ${handle}`), input })
  try {
    const [added, taken, wrong] = await runAll([
      line('add Jo --first-name Jo --last-name Ng --email jo@example.org --developer'),
      line('add @JO'),
      line('add j@o'),
    ])
    const sentence = '@Jo was created in production. Now set a password: npx groundschool user password @Jo\n'
    assert.deepEqual({ code: added!.code, out: added!.out, err: added!.err }, { code: 0, out: sentence, err: '' })
    assert.deepEqual(
      [taken!.code, taken!.err],
      [1, 'The handle @JO is taken or was recently released; choose another\n'],
    )
    assert.match(wrong!.err, /^A handle must be /)

    const passwords = await runAll([
      setPassword('@jo', 'short\n'),
      setPassword('@nobody', 'long enough\n'),
      setPassword('@jo', 'long enough\n'),
    ])
    assert.deepEqual(
      passwords.map(({ code, out, err }) => [code, out || err]),
      [
        [1, 'The password must have 8 to 1000 characters\n'],
        [1, 'There is no user with the handle @nobody\n'],
        [0, 'The password of @jo was changed in production; all their sessions have ended.\n'],
      ],
    )
    const [disabled, list, json, enabled, sandbox] = await runAll(
      ['disable @jo', 'list', 'list --json', 'enable @jo', 'list --environment sandbox'].map(line),
    )
    const listed = JSON.parse(json!.out)
    assert.deepEqual(
      listed.find(({ handle }: { handle: string }) => handle === '@Jo'),
      {
        handle: '@Jo',
        firstName: 'Jo',
        lastName: 'Ng',
        administrator: false,
        developer: true,
        disabled: true,
        hasPassword: true,
      },
    )
    assert.equal(listed.length, list!.out.trim().split('\n').length)
    assert.deepEqual([disabled!.code, enabled!.code], [0, 0])
    assert.ok(list!.out.split('\n').includes('@Jo\tJo Ng\tdeveloper, disabled'), list!.out)
    assert.ok(list!.out.split('\n').includes('@avery\t\tno password'))
    assert.ok(sandbox!.out.includes('@avery') && !sandbox!.out.includes('@Jo'))
    const [unsure, removed, gone] = await runAll(['remove @jo', 'remove @jo --yes', 'remove @jo --yes'].map(line))
    assert.equal(unsure!.code, 2)
    assert.match(unsure!.err, /^Deleting @jo cannot be undone: repeat the command with --yes/)
    assert.deepEqual([removed!.code, removed!.out], [0, '@jo was deleted from production.\n'])
    assert.deepEqual([gone!.code, gone!.err], [1, 'There is no user with the handle @jo\n'])
  } finally {
    await drop()
  }
})

test('O19: setting a password lists the passkeys that stay, or removes them if told to', async () => {
  const { settings, drop } = await ownDatabase()
  const client = new pg.Client(settings.DATABASE_URL)
  const setPassword = async (...more: string[]) => {
    const { code, out, err } = await runOne(['user', 'password', ...more], settings, 'long enough\n')
    return [code, out, err]
  }
  const count = async () => (await client.query('select from gs_production.passkeys')).rowCount
  try {
    await client.connect()
    await client.query(
      `insert into gs_production.passkeys (id, credential_id, person_id, public_key, counter, transports, name, created_at)
       select gen_random_uuid(), name || id, id, '', 0, '{}', name, timestamptz '2026-01-31 12:00Z' + days * interval '1 day'
         from gs_production.people, (values ('Laptop', 0), ('Thief', 1)) v (name, days) where handle_key in ('avery', 'blake')`,
    )
    const changed = 'The password of @avery was changed in production; all their sessions have ended'
    assert.deepEqual(await setPassword('@avery'), [
      0,
      `${changed}.\n`,
      `These passkeys still sign in:
  “Laptop”, added 2026-01-31
  “Thief”, added 2026-02-01
To delete all of them, set the password again with --remove-passkeys.
`,
    ])
    assert.equal(await count(), 4)
    for (const left of [2, 2]) {
      const removed = `${changed}, and all passkeys were deleted.\n`
      assert.deepEqual(await setPassword('@avery', '--remove-passkeys'), [0, removed, ''])
      assert.equal(await count(), left)
    }
    const { rows } = await client.query(`select action from gs_production.audit_entries order by id desc limit 8`)
    assert.equal(rows.filter(({ action }) => action === 'passkey.removed').length, 2)
  } finally {
    await client.end()
    await drop()
  }
})

test('a link to set a new password is printed without other text, for an administrator to hand over', async () => {
  const { settings, drop } = await ownDatabase()
  const line = (text: string) => ({
    args: ['user', ...text.split(' ')],
    settings: { ...settings, MESSAGES: 'off', BASE_URL: 'https://api.example.org' },
  })
  try {
    const [link, sandbox, nobody, , disabled] = await runAll(
      [
        'reset-link @avery',
        'reset-link @avery --environment sandbox',
        'reset-link @nobody',
        'disable @blake',
        'reset-link blake',
      ].map(line),
    )
    assert.match(link!.out, /^https:\/\/api\.example\.org\/account\/reset\?code=gs_pr_[\w-]{49}\n$/)
    assert.equal(link!.err, 'It sets the password of @avery in production, once, within 30 minutes.\n')
    assert.match(sandbox!.out, /^http:\/\/localhost:4001\/account\/reset\?code=gs_sbx_pr_[\w-]{49}\n$/)
    assert.deepEqual([nobody!.code, nobody!.err], [1, 'There is no user with the handle @nobody\n'])
    assert.deepEqual([disabled!.code, disabled!.err], [1, '@blake is disabled: enable the account first\n'])
  } finally {
    await drop()
  }
})

test('an operator sets who looks after a child', async () => {
  const { settings, drop } = await ownDatabase()
  const file = join(place, 'children.json')
  const dateOfBirth = `${new Date().getUTCFullYear() - 7}-01-01`
  writeFileSync(file, JSON.stringify({ people: [{ handle: '@kim', dateOfBirth }] }))
  const lines = [
    ['import', file],
    ...[
      'parent @kim @avery',
      'parent kim AVERY',
      'parent @avery @kim',
      'parent @kim @nobody',
      'parent @kim @blake --remove',
      'parent @kim @avery --remove',
    ].map((line) => ['user', ...line.split(' ')]),
  ]
  try {
    const results = await runAll(lines.map((args) => ({ args, settings })))
    assert.deepEqual(
      results.slice(1).map(({ code, out, err }) => [code, out + err]),
      [
        [0, '@avery is now a parent of @kim in production.\n'],
        [0, 'AVERY is already a parent of kim in production.\n'],
        [1, '@avery is not a child: a child is under 13\n'],
        [1, 'There is no user with the handle @nobody\n'],
        [1, '@blake is not a parent of @kim\n'],
        [
          0,
          '@avery is no longer a parent of @kim in production.\n@kim has no parent left: nobody can find them while they are a child.\n',
        ],
      ],
    )
  } finally {
    await drop()
  }
})
