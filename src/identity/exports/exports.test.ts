import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { call, PASSWORD, signInBrowser } from '../../apps/account/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { addParent, removeParent } from '../families/parents.ts'
import { addPerson, changePassword } from '../people/people.ts'
import { operator, populate } from '../people/testing-traces.ts'
import { BUCKET_BYTES, EXPORT, fillBuckets, openExport, readAll, unzip } from './testing.ts'
import { piecesOf } from './writing.ts'

test('a person downloads everything that is kept about them', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const who = await populate(app)
  const answer = await openExport(who.browser)
  assert.equal(answer.statusCode, 200)
  assert.equal(answer.headers['content-type'], 'application/zip')
  const day = new Date().toISOString().slice(0, 10)
  assert.equal(answer.headers['content-disposition'], `attachment; filename="groundschool-zephyrine-${day}.zip"`)
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.equal(answer.headers['x-content-type-options'], 'nosniff')
  const zip = await readAll(answer)
  const files = unzip(zip)
  const json = (name: string) => JSON.parse(files.get(name)!.toString('utf8'))

  await t.test('as files, described by the first of them and by docs/your-data.md', () => {
    const names = [...files.keys()]
    assert.equal(names[0], 'README.txt')
    const readme = files.get('README.txt')!.toString('utf8')
    const documented = readFileSync('docs/your-data.md', 'utf8')
    for (const name of names.slice(1)) {
      const stem = name.startsWith('buckets/') ? 'buckets/' : name
      if (!stem.endsWith('.webp')) assert.ok(readme.includes(stem), `${stem} in the README`)
      assert.ok(documented.includes(`\`${stem}\``), `${stem} in docs/your-data.md`)
    }
    const promised = [...documented.matchAll(/`(\w+\.(?:json|webp))`/g)].map(([, name]) => name)
    for (const name of promised) assert.ok(files.has(name!), `${name} in the zip`)
  })

  await t.test('who they are', () => {
    const { createdDate, ...profile } = json('profile.json')
    assert.ok(Date.parse(createdDate))
    assert.deepEqual(profile, {
      handle: '@zephyrine',
      firstName: 'Quillon',
      lastName: 'Zephyrine',
      email: 'quillon@example.org',
      emailConfirmedDate: null,
      country: null,
      dateOfBirth: '1981-02-03',
      gender: null,
      position: null,
      accountKind: null,
      service: {},
      publicSearch: true,
      parentFlags: { cameraDisabled: true, proximityFriends: false },
      administrator: false,
      developer: false,
      hasPassword: true,
      invitationExpiresDate: null,
      managedBy: null,
      organisations: [{ key: 'school', name: 'School', role: 'student' }],
    })
  })

  await t.test('what they use, with whom, and where', () => {
    const { uses, owns } = json('apps.json')
    assert.deepEqual(
      uses.map(({ clientId, userId }: Record<string, string>) => [clientId, userId]),
      [
        ['gs-first', who.traces.userIds[0]],
        ['gs-second', who.traces.userIds[1]],
      ],
    )
    assert.deepEqual(
      owns.map(({ clientId }: Record<string, string>) => clientId),
      ['gs-theirs'],
    )
    assert.equal(json('sessions.json').length, 2)
    assert.deepEqual(json('sessions.json')[0].device, 'Zephyrine phone')
    const [browser, ...others] = json('browsers.json')
    assert.deepEqual([browser.address, browser.lastUsedDate, others], ['127.0.0.1', browser.createdDate, []])
    assert.deepEqual(json('passkeys.json')[0].name, 'Key of Quillon')
    const friends = json('friends.json')
    assert.deepEqual([friends.friends[0].handle, friends.blocked[0].handle], ['@blake', '@casey'])
    assert.deepEqual(json('family.json').children[0].handle, '@kim')
    assert.deepEqual(json('messages.json')[0].recipient, 'quillon@example.org')
    assert.deepEqual(files.get('picture.webp')?.toString(), 'RIFF')
    assert.deepEqual(files.get('cover.webp')?.toString(), 'RIFG')
  })

  await t.test('the buckets that they are in', () => {
    const buckets = json('buckets/gs-first/1.json')
    const [own, shared] = buckets
    assert.equal(buckets.length, 2)
    assert.deepEqual([own.id, own.data, own.users], ['own', { own: 1 }, [who.client.userId]])
    assert.deepEqual([shared.id, shared.data], ['shared', { theirs: 'Zephyrine was here' }])
    assert.deepEqual(shared.users, [who.client.userId, who.blake.userId])
  })

  await t.test('what happened to their account, with the address of their own actions', () => {
    const entries: { action: string; address?: string }[] = json('audit.json')
    const addressOf = (action: string) => entries.find((entry) => entry.action === action)?.address
    assert.equal(addressOf('sign-in.password'), '127.0.0.1')
    assert.ok(entries.some(({ action }) => action === 'data.exported'))
    assert.ok(entries.some(({ action }) => action === 'sign-in.failed'))
    assert.equal(addressOf('sign-in.failed'), undefined)
    assert.equal(addressOf('person.added'), undefined)
  })

  await t.test('and no secret, no hash, and nothing of others that they cannot see', async () => {
    const text = [...files.values()].map((file) => file.toString('latin1')).join('\n')
    const [row] = await app.sql(`select password_hash from people where handle_key = 'zephyrine'`)
    const secrets = await app.sql(
      `select encode(token_hash, 'hex') as secret from access_tokens union select encode(token_hash, 'hex') from browsers
        union select encode(public_key, 'hex') from passkeys union select encode(sealed, 'hex') from messages`,
    )
    const cookie = [...who.browser.cookies.values()][0]!
    const hidden = [String(row!.password_hash), cookie, who.client.token!, 'push-of-zephyrine', 'secret-key', 'sealed"']
    for (const secret of [...hidden, ...secrets.map((one) => String(one.secret))]) {
      assert.ok(!text.includes(secret) && !zip.includes(secret), `${secret.slice(0, 12)}… is in the zip`)
      assert.ok(!text.includes(Buffer.from(secret, 'hex').toString('base64url') || '\0'))
    }
    assert.doesNotMatch(text, /argon2|gs_(sbx_)?[a-z]{2}_[\w-]{20}|987654321/)
    const others = await app.sql(`select user_id from app_users where person_id <> 987654321`)
    for (const { user_id } of others) assert.equal(text.includes(String(user_id)), user_id === who.blake.userId)
    assert.ok(!text.includes('@avery'))
  })
})

test('audit.json has everything kept about the person and their actions, and no ids of other people', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { db } = app.environment()
  // Give new people distinctive ids, so that finding one in the exported files proves a leak.
  await app.sql('alter table people alter column id restart with 987654320')
  const adult = { firstName: 'A', lastName: 'B', dateOfBirth: '1981-02-03' }
  await app.givePassword('avery')
  for (const handle of ['@mother', '@father']) await addPerson(db, operator(app), { handle, ...adult })
  await app.sql(
    `update people set password_hash = (select password_hash from people where handle_key = 'avery') where id >= 987654320`,
  )
  const signIn = async (handle: string) => {
    const browser = app.visitor()
    assert.equal((await call(browser, 'POST', '/account/v1/signin', { handle, password: PASSWORD })).status, 200)
    return browser
  }
  const mother = await signIn('@mother')
  const born = new Date(Date.now() - 8 * 365 * 86_400_000).toISOString().slice(0, 10)
  const kim = { handle: '@kim', firstName: 'Kim', lastName: 'B', dateOfBirth: born, password: PASSWORD }
  assert.equal((await call(mother, 'POST', '/account/v1/children', kim)).status, 200)
  await addParent(db, operator(app), { child: '@kim', parent: '@father' })
  const changed = { handle: '@kim', publicSearch: true }
  assert.equal((await call(mother, 'POST', '/account/v1/children/settings', changed)).status, 200)
  const child = await signIn('@kim')
  await app.sql(
    `insert into app_users (user_id, app_id, person_id, consented_at) select 'user', a.id, p.id, now() from apps a, people p where a.name = 'first' and p.handle_key = 'kim';
     insert into sessions (id, app_id, person_id, user_id, door, refreshed_at, created_at, expires_at)
     select gen_random_uuid(), u.app_id, u.person_id, 'user', 'code', now(), now(), now() from app_users u;
     insert into audit_entries (at, action, session_id, detail) select now(), 'session.ended', id, '{"reason":"signed out"}' from sessions`,
  )
  const auditOf = async (browser: TestBrowser) => {
    const files = unzip(await readAll(await openExport(browser)))
    const text = String(files.get('audit.json'))
    assert.doesNotMatch(text, /98765432\d/)
    const entries = JSON.parse(text) as { action: string; about: string; detail: object; address?: string }[]
    return entries
      .filter(({ action }) => /^(child|parent|session)\./.test(action))
      .map(({ action, about, detail, address }) => [action, about, detail, address])
  }
  assert.deepEqual(await auditOf(mother), [
    ['child.added', 'a child', { parent: 'you' }, '127.0.0.1'],
    ['child.changed', 'a child', { parent: 'you', publicSearch: true }, '127.0.0.1'],
  ])
  assert.deepEqual(await auditOf(child), [
    ['child.added', 'you', { parent: 'a parent' }, undefined],
    ['parent.added', 'you', { parent: 'a parent' }, undefined],
    ['child.changed', 'you', { parent: 'a parent', publicSearch: true }, undefined],
    ['session.ended', 'you', { reason: 'signed out' }, undefined],
  ])
  assert.deepEqual(await auditOf(await signIn('@father')), [['parent.added', 'a child', { parent: 'you' }, undefined]])
})

test("audit.json has the address of the person's own actions only", async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { db, clock } = app.environment()
  // Runs `work` and sets the IP address of the audit entries that it created.
  const from = async (address: string, work: () => Promise<unknown>) => {
    const [last] = await app.sql('select coalesce(max(id), 0)::int as id from audit_entries')
    await work()
    await app.sql(`update audit_entries set address = '${address}' where id > ${last!.id}`)
  }
  await app.givePassword('avery')
  const mother = await signInBrowser(app, 'avery')
  const post = (browser: TestBrowser, path: string, body: object) => async () => {
    const answer = await call(browser, 'POST', `/account/v1${path}`, body)
    assert.equal(answer.status, 200, answer.text)
  }
  const born = new Date(clock().getTime() - 8 * 365 * 86_400_000).toISOString().slice(0, 10)
  const kim = { handle: '@kim', firstName: 'Kim', lastName: 'B', dateOfBirth: born, password: PASSWORD }
  await from('mother', post(mother, '/children', kim))
  const child = app.visitor()
  await from('child', post(child, '/signin', { handle: '@kim', password: PASSWORD }))
  const own = { email: 'avery@example.org', password: PASSWORD }
  await from('mother', post(mother, '/email', own))
  const decided = { ...own, handle: '@kim', email: 'kim@example.org', publicSearch: true }
  await from('mother', post(mother, '/children/settings', decided))
  await from('operator', () => addParent(db, operator(app), { child: '@kim', parent: '@blake' }))
  await from('mother', post(mother, '/children/leave', { handle: '@kim' }))
  await from('operator', () => removeParent(db, operator(app), { child: '@kim', parent: '@blake' }))
  await from('operator', () => changePassword(db, operator(app), { handle: '@avery', password: `${PASSWORD}!` }))
  await from('mother', post(mother, '/signin', { handle: '@avery', password: `${PASSWORD}!` }))
  const changed = { password: `${PASSWORD}!`, newPassword: PASSWORD }
  await from('mother', post(mother, '/password', changed))
  const device = await app.as('avery')
  const [session] = await app.sql(`select id from sessions where user_id = '${device.userId}' and ended_at is null`)
  await from('mother', post(mother, '/session/end', { sessionId: session!.id }))
  const other = await app.as('avery')
  await from('app', async () => assert.equal((await other.post('/oauth/logout', {})).status, 200))
  // The audit log must not depend on sessions, because they are deleted long before audit entries.
  await app.sql('delete from sessions')

  const toldTo = async (browser: TestBrowser) => {
    const files = unzip(await readAll(await openExport(browser)))
    const entries: Record<string, string>[] = JSON.parse(String(files.get('audit.json')))
    for (const { detail } of entries) assert.ok(!('self' in Object(detail)))
    return entries
      .filter(({ action }) => !/^(sign-in|data|sessions)\./.test(action!))
      .map(({ action, about, address }) => [action, about, address])
  }
  assert.deepEqual(await toldTo(mother), [
    ['child.added', 'a child', 'mother'],
    ['email.changed', 'you', 'mother'],
    ['child.changed', 'a child', 'mother'],
    ['child.email', 'a child', 'mother'],
    ['parent.removed', 'a child', 'mother'],
    ['password.changed', 'you', undefined],
    ['password.changed', 'you', 'mother'],
    ['session.ended', 'you', 'mother'],
    ['session.ended', 'you', undefined],
  ])
  assert.deepEqual(await toldTo(child), [
    ['person.added', 'you', undefined],
    ['child.added', 'you', undefined],
    ['child.changed', 'you', undefined],
    ['child.email', 'you', undefined],
    ['email.changed', 'you', undefined],
    ['parent.added', 'you', undefined],
    ['parent.removed', 'you', undefined],
    ['child.changed', 'you', undefined],
    ['parent.removed', 'you', undefined],
  ])
})

test("a full download requires the password, in the person's own browser", async (t) => {
  const app = await testApp(t, UNLIMITED)
  const browser = await signInBrowser(app, 'avery')
  const ask = (body: unknown, headers = {}) => call(browser, 'POST', EXPORT, body, headers)
  assertError(await ask({}), 400, 4001, /password/)
  assertError(await ask({ password: 'wrong' }), 401, 4011)
  assertError(await ask({ password: PASSWORD }, { 'sec-fetch-site': 'cross-site' }), 403, 4032)
  assertError(await app.nobody().post(EXPORT, { password: PASSWORD }), 401, 4016)
  assertError(await (await app.as('avery')).post(EXPORT, { password: PASSWORD }), 401, 4016)
  await app.sql(`update people set password_hash = null where handle_key = 'avery'`)
  assert.equal((await ask({})).status, 200)
  app.advance(11 * 60_000)
  assertError(await ask({}), 401, 4016, /Sign in again/)
  const exported = await app.sql(`select id from audit_entries where action = 'data.exported'`)
  assert.equal(exported.length, 1)
})

const COUNT = 500

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('an export is written as fast as it is read', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const browser = await signInBrowser(app, 'avery')
  await fillBuckets(app, COUNT)

  await t.test('a slow reader takes up no memory, and gets all of it', async () => {
    /** Measures the memory in use: the lowest of five readings, because password hashing releases its memory late. */
    const held = async () => {
      const seen: number[] = []
      for (let i = 0; i < 5; i++) {
        await sleep(100)
        collectGarbage()
        const { heapUsed, external } = process.memoryUsage()
        seen.push(heapUsed + external)
      }
      return Math.min(...seen)
    }
    const before = await held()
    const answer = await openExport(browser)
    answer.pause()
    await sleep(1500)
    const grown = (await held()) - before
    assert.ok(grown < 20_000_000, `${grown} bytes are held for a reader who does not read`)
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (chunks.length % 200 === 0) {
        answer.pause()
        setTimeout(() => answer.resume(), 5)
      }
    })
    answer.resume()
    await once(answer, 'end')
    const files = unzip(Buffer.concat(chunks))
    const buckets = [1, 2, 3, 4, 5].flatMap((n) => JSON.parse(String(files.get(`buckets/gs-first/${n}.json`))))
    assert.equal(buckets.length, COUNT)
    assert.equal(new Set(buckets.map(({ id }) => id)).size, COUNT)
    for (const { data } of buckets) assert.equal(data.length, BUCKET_BYTES)
    assert.ok(!files.has('buckets/gs-first/6.json'))
  })

  await t.test('it breaks off when the person signs out everywhere, and when the platform stops', async () => {
    const digest = async (answer: AsyncIterable<Buffer>) => {
      const hash = createHash('sha256')
      for await (const chunk of answer) hash.update(chunk)
      return hash.digest('hex')
    }
    const revoked = await openExport(browser)
    assert.equal(revoked.statusCode, 200)
    await call(browser, 'POST', '/account/v1/sessions/end-all', {})
    await assert.rejects(digest(revoked), /aborted/)
    const second = await app.startSecond()
    const there = Object.assign(Object.create(browser), { address: second.addresses.production })
    const stopped = await openExport(there)
    stopped.pause()
    const stopping = second.stop()
    await assert.rejects(digest(stopped), /aborted/)
    await stopping
  })
})

test('lists that are longer than a page are whole', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const browser = await signInBrowser(app, 'avery')
  const ofAvery = `from generate_series(1, 1200) n, people p where p.handle_key = 'avery'`
  await app.sql(
    `insert into audit_entries (at, action, person_id, detail) select now(), 'page.' || n, p.id, '{}' ${ofAvery};
     insert into messages (person_id, kind, recipient, created_at, sent_at)
     select p.id, 'kind-' || n, '', now(), now() ${ofAvery};
     insert into app_users (user_id, app_id, person_id, consented_at) select 'user', min(a.id), p.id, now() from apps a, people p where p.handle_key = 'avery' group by p.id;
     insert into sessions (id, app_id, person_id, user_id, door, refreshed_at, created_at, expires_at)
     select gen_random_uuid(), u.app_id, p.id, 'user', 'code', now(), now(), now() from app_users u, generate_series(1, 1200) n, people p where p.handle_key = 'avery'`,
  )
  const files = unzip(await readAll(await openExport(browser)))
  const json = (name: string): Record<string, string>[] => JSON.parse(String(files.get(name)))
  const pages = json('audit.json').filter(({ action }) => action!.startsWith('page.'))
  assert.equal(new Set(pages.map(({ action }) => action)).size, 1200)
  assert.equal(pages.length, 1200)
  assert.equal(new Set(json('messages.json').map(({ kind }) => kind)).size, 1200)
  assert.equal(new Set(json('sessions.json').map(({ sessionId }) => sessionId)).size, 1200)
})

test('text is never cut within a character', () => {
  for (const text of ['', 'a', 'abc', 'a😀b😀😀c', '😀😀😀😀'])
    for (const length of [1, 2, 3, 4]) {
      const pieces = [...piecesOf(text, length)]
      assert.equal(pieces.join(''), text)
      for (const piece of pieces) assert.ok(piece !== '' && piece.isWellFormed(), JSON.stringify([text, length]))
    }
})
