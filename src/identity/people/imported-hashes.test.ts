import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { UNLIMITED } from '../../apps/account/testing.ts'
import { migrate } from '../../kernel/database/migrate.ts'
import { createTestDatabase, runSql } from '../../kernel/database/test-database.ts'
import {
  all,
  countPeople,
  importAfter,
  readPerson,
  refused,
  run,
  runPeople,
  untilSomebodyWaits,
} from '../../kernel/imports/testing.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { assertError, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { lockPeople } from './import-store.ts'
import { readImportedHash } from './imported-hashes.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { changeOwnPassword } from './people.ts'
import { sha512Crypt } from './sha512-crypt.ts'
import * as store from './store.ts'
import { FOREIGN_HASHES, HASHED_PASSWORD } from './testing-hashes.ts'

const OWN = /^\$argon2id\$v=19\$m=8,t=1,p=1\$/
const SETTINGS = { ...UNLIMITED, TRUST_PROXY: '127.0.0.1' }
const [CHEAP, OTHER] = [FOREIGN_HASHES['passlib PBKDF2-SHA256'], FOREIGN_HASHES['Werkzeug PBKDF2']]

let visitors = 0
/** Signs in from a different network each time, so that failures do not add up to a wait. */
const signIn = (app: TestApp, handle: string, password: string) => {
  const address = `192.0.2.${++visitors % 250}`
  return app.nobody().post('/account/v1/signin', { handle, password }, { 'x-forwarded-for': address })
}

const hashOf = async (app: TestApp, handle: string): Promise<string> =>
  String((await readPerson(app, handle)).password_hash)

function watchWarnings(t: TestContext): string[] {
  const warnings: string[] = []
  const add = ({ message }: Error) => warnings.push(message)
  process.on('warning', add)
  t.after(() => process.off('warning', add))
  return warnings
}

test('a hash of another system lets its owner in, and is replaced with ours at the first sign-in', async (t) => {
  const app = await testApp(t, SETTINGS)
  const people = Object.values(FOREIGN_HASHES).map((passwordHash, i) => ({ handle: `@from${i}`, passwordHash }))
  assert.deepEqual(await countPeople(app, people), all(people.length, 0, 0))
  for (const [i, name] of Object.keys(FOREIGN_HASHES).entries())
    await t.test(name, async () => {
      const stored = await hashOf(app, `from${i}`)
      assert.match(stored, /^imported:/)
      assertError(await signIn(app, `@from${i}`, HASHED_PASSWORD.replace('7', '8')), 401, 4011)
      assert.equal(await hashOf(app, `from${i}`), stored)
      const signedIn = await signIn(app, `@from${i}`, HASHED_PASSWORD)
      assert.equal(signedIn.status, 200, signedIn.text)
      const own = await hashOf(app, `from${i}`)
      assert.match(own, OWN)
      assert.ok(await verifyPassword({ password: HASHED_PASSWORD, hash: own }))
    })
  assert.equal((await signIn(app, '@from0', HASHED_PASSWORD)).status, 200)
  assertError(await signIn(app, '@from0', 'wrong password'), 401, 4011)

  const audit = JSON.stringify(await app.sql('select * from audit_entries'))
  const hashes = Object.values(FOREIGN_HASHES).flatMap((hash) =>
    typeof hash === 'string' ? hash : Object.values(hash),
  )
  const texts = hashes.filter((text): text is string => typeof text === 'string' && text.length > 15)
  for (const text of [HASHED_PASSWORD, 'imported:', ...texts])
    for (const place of [audit, app.log()]) assert.ok(!place.includes(text), text)
})

test('an imported password is compared as typed, and no password over a thousand characters is right', async () => {
  const read = (hash: unknown) => {
    const answer = readImportedHash(hash)
    assert.ok('stored' in answer)
    return answer.stored
  }
  const hash = read(CHEAP)
  assert.equal(await verifyPassword({ password: HASHED_PASSWORD.normalize('NFD'), hash }), false)
  for (const setting of [hash, read(FOREIGN_HASHES['Moodle sha512-crypt'])])
    assert.equal(await verifyPassword({ password: 'x'.repeat(1001), hash: setting }), false)
})

test('sha512-crypt agrees with the vectors of its specification', () => {
  for (const [password, hash] of [
    [
      'Hello world!',
      '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
    ],
    [
      'Hello world!',
      '$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.',
    ],
    [
      'a very much longer text to encrypt.  This one even stretches over morethan one line.',
      '$6$rounds=1400$anotherlongsalts$POfYwTEok97VWcjxIiSOjiykti.o/pQs.wPvMxQ6Fm7I6IoYN3CmLs66x9t0oSwbtEW7o7UmJEiDwGqd8p4ur1',
    ],
  ] as const)
    assert.equal(sha512Crypt(password, hash), hash)
})

test('a hash that is unreadable or too costly is refused with its position, and nothing is imported', async (t) => {
  const app = await testApp(t)
  const salt = 'c2l4dGVlbiBieXRlcyBvaw'
  const tag = 'a935KbsuTffJabWD4Ba2W7r2UGzTEMvyVSiQXmf6GM8'
  const tail = `$${salt}$${tag}`
  const crypt = `salt$${'a'.repeat(86)}`
  const keycloak = { algorithm: 'argon2', hashIterations: 5, salt, value: tag }
  const exported = (additionalParameters: object) => ({
    credentialData: JSON.stringify({ algorithm: 'argon2', hashIterations: 5, additionalParameters }),
    secretData: JSON.stringify({ salt, value: tag, additionalParameters: {} }),
  })
  const unknown = /^must be argon2, scrypt, bcrypt, .* send the user a reset link$/
  const costly = /^costs too much to verify: at most /
  const refusals: [unknown, RegExp][] = [
    ['', unknown],
    ['groundschool', unknown],
    ['5f4dcc3b5aa765d61d8327deb882cf99', unknown],
    ['sha1$salt$5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8', unknown],
    ['pbkdf2_sha1$1000$salt$AAAA', unknown],
    ['$1$salt$qJH7.N4xYta3aEG/dfqo/0', unknown],
    [`$argon2id$v=16$m=65536,t=3,p=1${tail}`, unknown],
    ['$2x$10$5vlLetNnJzK3RNpt61cLt.ph9KmZuARgOnCXwhuj2fKPMW3k7vVsm', unknown],
    ['imported:{"kind":"pbkdf2"}', unknown],
    [await hashPassword('groundschool').then((own) => `${own}$`), unknown],
    [`$argon2id$v=19$m=65536,t=3,p=1$${salt}$${'A'.repeat(1000)}`, /at most 1000 characters/],
    [`$argon2id$v=19$m=131073,t=1,p=1${tail}`, costly],
    [`$argon2id$v=19$m=4294967295,t=1,p=1${tail}`, costly],
    [`$argon2id$v=19$m=131072,t=5,p=1${tail}`, costly],
    [`$argon2id$v=19$m=99999999999,t=1,p=1${tail}`, /not a whole number/],
    [`$argon2id$v=19$m=65536,t=1,p=17${tail}`, /at most 16 lanes/],
    [`$argon2id$v=19$m=8,t=1,p=2${tail}`, /does not allow/],
    [`$argon2id$v=19$m=65536,t=0,p=1${tail}`, /does not allow/],
    [`$argon2id$v=19$m=65536,t=3,p=1$AAAA$${tag}`, /salt that is too short/],
    [`$argon2id$v=19$m=65536,t=3,p=1$${salt}$AAAA`, /hash of 16 to 128 bytes/],
    [`$argon2id$v=19$m=65536,t=3,p=1$${salt}$not base64!`, /not base64/],
    [`$argon2id$v=19$m=65536,t=3,p=1$${salt}$`, /not base64/],
    [`$scrypt$ln=18,r=8,p=1${tail}`, costly],
    [`$scrypt$ln=99,r=8,p=1${tail}`, costly],
    [`scrypt$16383$salt$8$1$${tag}`, /scrypt does not allow/],
    [`scrypt$65536$salt$1$1$${tag}`, /scrypt does not allow/],
    [`scrypt$2$salt$0$1$${tag}`, /scrypt does not allow/],
    [`scrypt$2$salt$524287$1$${tag}`, costly],
    [`scrypt$2$salt$1$2097152$${tag}`, costly],
    [`scrypt$4$salt$131072$8$${tag}`, costly],
    [`scrypt$2$salt$8$160000$${tag}`, costly],
    [`scrypt$2$salt$8$1025$${tag}`, costly],
    [`scrypt:32768:8:1$salt$xyz`, /not hexadecimal/],
    ['100000$8$1$0eb0ed099626d931$3287477d851516ccb2b30f728aab1fb1', costly],
    [`pbkdf2_sha256$2000001$salt$${tag}`, costly],
    [`pbkdf2:sha256:1000001$salt$${'ab'.repeat(64)}`, costly],
    [`pbkdf2_sha256$0$salt$${tag}`, /does not allow/],
    ['$2y$14$5vlLetNnJzK3RNpt61cLt.ph9KmZuARgOnCXwhuj2fKPMW3k7vVsm', costly],
    ['$2y$03$5vlLetNnJzK3RNpt61cLt.ph9KmZuARgOnCXwhuj2fKPMW3k7vVsm', /does not allow/],
    [`$6$rounds=200001$${crypt}`, costly],
    [`$6$rounds=999$${crypt}`, /does not allow/],
    [{}, /must have algorithm, a string/],
    [{ ...keycloak, algorithm: 'pbkdf2' }, /algorithm that cannot be imported/],
    [{ ...keycloak, salt: undefined }, /must have salt, a string/],
    [{ ...keycloak, hashIterations: 1.5 }, /not a whole number/],
    [exported({ type: ['x'] }), /type that argon2 does not have/],
    [exported({ version: ['1.0'] }), /version 1.3/],
    [exported({ memory: ['1048576'] }), costly],
    [exported({ parallelism: ['17'] }), /at most 16 lanes/],
    [{ credentialData: '{', secretData: '{}' }, /as Keycloak or Canvas exports it/],
    [{ crypted_password: 'ab'.repeat(64), password_salt: 'salt' }, unknown],
    [{ crypted_password: CHEAP, password_salt: 'salt' }, /must be Canvas's scrypt/],
    [{ crypted_password: FOREIGN_HASHES['scrypt gem'] }, /must have password_salt, a string/],
  ]
  const people = refusals.map(([passwordHash], i) => ({ handle: `@bad${i}`, passwordHash }))
  const mistakes = await refused(runPeople(app, [...people, { handle: '@good', passwordHash: CHEAP }]))
  assert.equal(mistakes.length, refusals.length, mistakes.join('\n'))
  for (const [i, [given, reason]] of refusals.entries()) {
    const [place, sentence] = [`people[${i}].passwordHash: `, mistakes[i]!]
    assert.ok(sentence.startsWith(place), sentence)
    assert.match(sentence.slice(place.length), reason, JSON.stringify(given))
    if (typeof given === 'string' && given.length > 20) assert.ok(!sentence.includes(given.slice(-20)))
  }
  assert.deepEqual(await app.sql(`select from people where handle_key in ('good', 'bad0')`), [])

  const both = { handle: '@both', password: 'a password', passwordHash: CHEAP }
  assert.deepEqual(await refused(runPeople(app, [{ handle: '@good' }, both])), [
    'people[1].passwordHash: must not be sent together with password',
  ])
  assert.match(
    (await refused(runPeople(app, [{ handle: '@good', passwordHash: 7 }])))[0]!,
    /passwordHash: must be argon2/,
  )
})

test('the costliest hashes that an import accepts can be verified', async (t) => {
  // A failed computation also counts as a wrong password, but causes a warning.
  const warnings = watchWarnings(t)
  for (const hash of [
    '$argon2id$v=19$m=131072,t=4,p=16$c2l4dGVlbiBieXRlcyBvaw$a935KbsuTffJabWD4Ba2W7r2UGzTEMvyVSiQXmf6GM8',
    '$scrypt$ln=17,r=8,p=4$c2l4dGVlbiBieXRlcyBvaw$a935KbsuTffJabWD4Ba2W7r2UGzTEMvyVSiQXmf6GM8',
    // The largest r, p and N for their bounds.
    'scrypt$128$salt$8192$1$a935KbsuTffJabWD4Ba2W7r2UGzTEMvyVSiQXmf6GM8=',
    'scrypt$512$salt$8$1024$a935KbsuTffJabWD4Ba2W7r2UGzTEMvyVSiQXmf6GM8=',
    'scrypt$32768$salt$1$1$a935KbsuTffJabWD4Ba2W7r2UGzTEMvyVSiQXmf6GM8=',
  ]) {
    const answer = readImportedHash(hash)
    assert.ok('stored' in answer)
    assert.equal(await verifyPassword({ password: HASHED_PASSWORD, hash: answer.stored }), false)
  }
  // Node emits warnings in a later tick.
  await new Promise(setImmediate)
  assert.deepEqual(warnings, [])
})

test('a stored hash that cannot be computed counts as a wrong password, and is logged', async (t) => {
  const app = await testApp(t, SETTINGS)
  const warnings = watchWarnings(t)
  await runPeople(app, [
    { handle: '@noor', passwordHash: 'scrypt$32768$salt$1$1$a935KbsuTffJabWD4Ba2W7r2UGzTEMvyVSiQXmf6GM8=' },
  ])
  await app.sql(`update people set password_hash = replace(password_hash, '32768', '65536') where handle_key = 'noor'`)
  assertError(await signIn(app, '@noor', HASHED_PASSWORD), 401, 4011)
  assert.equal(warnings.length, 1, warnings.join('\n'))
  assert.match(warnings[0]!, /^An imported scrypt hash cannot be computed: /)
})

test('importing the same file again changes nothing, and a hash never replaces a password that its owner has used or set', async (t) => {
  const app = await testApp(t, SETTINGS)
  const file = (passwordHash: unknown) => [{ handle: '@noor', passwordHash }]
  const dry = await run(app, { people: file(CHEAP) }, true)
  assert.deepEqual(dry.production!.people, all(1, 0, 0))
  assert.deepEqual(await app.sql(`select from people where handle_key = 'noor'`), [])
  assert.deepEqual(await countPeople(app, file(CHEAP)), all(1, 0, 0))
  assert.deepEqual(await countPeople(app, file(CHEAP)), all(0, 0, 1))
  // If the file has a password that matches the imported hash, nothing changes.
  assert.deepEqual(await countPeople(app, [{ handle: '@noor', password: HASHED_PASSWORD }]), all(0, 0, 1))
  // Before the first sign-in, a second import replaces the hash.
  assert.deepEqual(await countPeople(app, file(OTHER)), all(0, 1, 0))
  assert.equal((await signIn(app, '@noor', HASHED_PASSWORD)).status, 200)
  const own = await hashOf(app, 'noor')
  for (const hash of [CHEAP, OTHER]) assert.deepEqual(await countPeople(app, file(hash)), all(0, 0, 1))
  assert.equal(await hashOf(app, 'noor'), own)
})

test("a password that is set while a file with the same person's hash is imported stays", async (t) => {
  const app = await testApp(t)
  const own = await hashPassword('the one of their own')
  await importAfter(app, { people: [{ handle: '@avery', passwordHash: CHEAP }] }, () =>
    app.sql(`update people set password_hash = '${own}', epoch = epoch + 1 where handle_key = 'avery'`),
  )
  assert.equal(await hashOf(app, 'avery'), own)
})

test('a password changed during a sign-in with an imported hash wins, and two concurrent sign-ins leave one hash', async (t) => {
  const app = await testApp(t, SETTINGS)
  const { db } = app.environment()
  await runPeople(app, [
    { handle: '@noor', passwordHash: CHEAP },
    { handle: '@twice', passwordHash: CHEAP },
  ])
  const own = await hashPassword('a new password')
  const { late } = await db.transaction(async (tx) => {
    await tx.all(lockPeople, { handles: ['noor'] })
    const late = signIn(app, '@noor', HASHED_PASSWORD)
    // By now the sign-in has verified the password and waits for the lock, to replace the hash.
    await untilSomebodyWaits(app)
    await tx.first(store.setPassword, { id: Number((await readPerson(app, 'noor')).id), hash: own })
    return { late }
  })
  assertError(await late, 401, 4011)
  assert.equal(await hashOf(app, 'noor'), own)

  const before = Number((await readPerson(app, 'twice')).epoch)
  const both = await Promise.all([1, 2].map(() => signIn(app, '@twice', HASHED_PASSWORD)))
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  )
  assert.match(await hashOf(app, 'twice'), OWN)
  assert.equal(Number((await readPerson(app, 'twice')).epoch), before)
})

test('a disabled person with an imported hash cannot sign in, and the hash stays', async (t) => {
  const app = await testApp(t, SETTINGS)
  await runPeople(app, [{ handle: '@noor', passwordHash: CHEAP }])
  await app.sql(`update people set disabled_at = now() where handle_key = 'noor'`)
  assertError(await signIn(app, '@noor', HASHED_PASSWORD), 401, 4011)
  assert.match(await hashOf(app, 'noor'), /^imported:/)
})

test('a person signed in with a passkey can prove their identity with an imported password', async (t) => {
  const app = await testApp(t)
  const { db, clock, get } = app.environment()
  await runPeople(app, [{ handle: '@avery', passwordHash: CHEAP }])
  const personId = Number((await readPerson(app, 'avery')).id)
  const self = {
    at: clock(),
    requestId: 'test',
    address: '192.0.2.8',
    personId,
    handle: '@avery',
    browserId: 'of a test',
  }
  const change = { password: HASHED_PASSWORD, newPassword: 'a new password' }
  await changeOwnPassword(db, self, change, get(messagePolicy))
  assert.ok(await verifyPassword({ password: 'a new password', hash: await hashOf(app, 'avery') }))
})

test('a thread that verifies bcrypt does not block requests', async () => {
  const hash = readImportedHash(FOREIGN_HASHES['Django bcrypt'])
  assert.ok('stored' in hash)
  let ticks = 0
  const timer = setInterval(() => ticks++, 1)
  await verifyPassword({ password: HASHED_PASSWORD, hash: hash.stored })
  clearInterval(timer)
  assert.ok(ticks > 20, `${ticks} ticks`)
})

test('an upgrade removes passwords that an earlier version had encrypted, and names the people concerned', async (t) => {
  const { connection, drop } = await createTestDatabase()
  t.after(drop)
  const own = new URL('../../../migrations/', import.meta.url)
  const dir = await mkdtemp(join(tmpdir(), 'sealed-'))
  t.after(() => rm(dir, { recursive: true }))
  for (const name of await readdir(own))
    if (name < '0053') await writeFile(join(dir, name), await readFile(new URL(name, own)))
  const schema = 'gs_sealed'
  await migrate(connection, schema, dir)
  const sql = (text: string) => runSql(connection, `set search_path = ${schema}; ${text}`)
  await sql(`
    insert into people (handle, handle_key, password_hash, created_at)
    values ('@sealed', 'sealed', '$sealed$abc', now()), ('@hashed', 'hashed', '$argon2id$x', now());
    insert into import_parts (decided_at, request_id, address, content)
    values (now(), '', '', '[{"people":[{"handle":"@late","passwordHash":"$sealed$def","replaces":null}]}]');
    insert into jobs (kind, unique_key, payload, created_at, run_at) values ('passwords', 'sealed', '{}', now(), now())`)
  await migrate(connection, schema)
  const rows = (text: string) => runSql(connection, text)
  assert.deepEqual(await rows(`select handle, password_hash from ${schema}.people order by 1`), [
    { handle: '@hashed', password_hash: '$argon2id$x' },
    { handle: '@sealed', password_hash: null },
  ])
  assert.deepEqual(
    await rows(`select handle, action from ${schema}.audit_entries e join ${schema}.people p on p.id = e.person_id`),
    [{ handle: '@sealed', action: 'password.removed' }],
  )
  assert.deepEqual(await rows(`select content from ${schema}.import_parts`), [
    { content: [{ people: [{ handle: '@late', passwordHash: null, replaces: null }] }] },
  ])
  assert.deepEqual(await rows(`select kind from ${schema}.jobs where kind = 'passwords'`), [])
})
