import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { assertError, type Person, sharedApp } from '../../operations/testing/testing.ts'
import { call, signInBrowser, UNLIMITED } from '../account/testing.ts'
import { inviteAndAccept } from '../invitations/testing.ts'

const PATH = '/edu/v1/organisation'

const app = await sharedApp(UNLIMITED)
await app.sql(
  `update people set administrator = true where handle = '@ellis';
   update people set disabled_at = now() where handle = '@blake';
   insert into organisations (key, name, created_at) values ('other', 'Other', now());
   insert into organisation_members (organisation_id, person_id, role)
   select o.id, p.id, 'owner' from organisations o, people p where p.handle = '@drew'`,
)
const ellis = await signInBrowser(app, 'ellis')
const [casey, drew, finley] = [
  await signInBrowser(app, 'casey'),
  await signInBrowser(app, 'drew'),
  await signInBrowser(app, 'finley'),
]
const NAMED = { organisation: 'school' }
await call(ellis, 'PUT', PATH, { ...NAMED, name: 'School' })

const setRole = (browser: TestBrowser, handle: string, role: string) =>
  call(browser, 'POST', `${PATH}/member`, { ...NAMED, handle, role })
/** Invites a person, who accepts. */
const join = (browser: TestBrowser, person: Person, role: string) =>
  inviteAndAccept(app, person, setRole(browser, `@${person}`, role))
await join(ellis, 'casey', 'owner')
const remove = (browser: TestBrowser, handle: string) =>
  call(browser, 'POST', `${PATH}/member/remove`, { ...NAMED, handle })
const members = async (sort = 'handle') => {
  const { body } = await call(casey, 'GET', `${PATH}/members?organisation=school&sort=${sort}`)
  return body.docs.map(({ handle, role }: { handle: string; role: string }) => `${handle} ${role}`)
}
/** Returns the details of all audit entries of this action, newest first. */
const audited = async (action: string) =>
  (await app.sql(`select detail from audit_entries where action = '${action}' order by id desc`)).map(
    ({ detail }) => detail as Record<string, unknown>,
  )

test('administrators make organisations, and nobody else does', async () => {
  const made = await call(ellis, 'PUT', PATH, { organisation: 'harbour', name: '  Harbour ', role: 'owner', id: 7 })
  assert.deepEqual(made.body, {
    organisation: 'harbour',
    name: 'Harbour',
    role: null,
    courseAuthors: 'owners',
    timeZone: 'UTC',
    may: { manage: true, leave: false, createCourses: true },
  })
  assertError(await call(ellis, 'PUT', PATH, { organisation: 'harbour', name: 'Again' }), 409, 4091, /another/)
  for (const browser of [casey, drew, finley])
    assertError(await call(browser, 'PUT', PATH, { organisation: 'mine', name: 'Mine' }), 403, 4032, /administrators/)
  assertError(
    await call(ellis, 'PUT', PATH, { organisation: 'Harbour Two', name: 'x' }),
    400,
    4003,
    /lower-case letters/,
  )
  assertError(await call(ellis, 'PUT', PATH, { organisation: 'two', name: ' ' }), 400, 4001, /name/)
  assert.deepEqual(await app.sql(`select key from organisations order by key`), [
    { key: 'harbour' },
    { key: 'other' },
    { key: 'school' },
  ])
})

test('of ten parallel creations of one organisation, one succeeds', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => call(ellis, 'PUT', PATH, { organisation: 'race', name: `Race ${i}` })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
  await app.sql(`delete from organisations where key = 'race'`)
})

test('everybody lists their own, administrators all of them', async () => {
  const keys = async (browser: TestBrowser, query = '') => {
    const { body } = await call(browser, 'GET', `${PATH}/list${query}`)
    return [body.docs.map(({ organisation, role }: Record<string, string>) => [organisation, role]), body.total]
  }
  const every = [
    ['harbour', null],
    ['other', null],
    ['school', null],
  ]
  assert.deepEqual(await keys(ellis), [every, 3])
  assert.deepEqual(await keys(ellis, '?limit=1&page=2'), [[['other', null]], 3])
  assert.deepEqual(await keys(casey), [[['school', 'owner']], 1])
  assert.deepEqual(await keys(finley), [[], 0])
  assert.deepEqual(await keys(ellis, '?query=SCH'), [[['school', null]], 1])
  assert.deepEqual(await keys(ellis, '?query=school%20other'), [[], 0])
  assert.deepEqual(await keys(ellis, '?organisations=other,school,nowhere'), [every.slice(1), 2])
  assert.deepEqual(await keys(casey, '?organisations=other,school'), [[['school', 'owner']], 1])
  // Administrators may do everything in every organisation.
  assert.deepEqual(await keys(ellis, '?role=developer'), [every, 3])
  assert.deepEqual(await keys(casey, '?role=developer'), [[['school', 'owner']], 1])
  await app.sql(
    `update organisation_members m set role = 'developer' from people p where p.id = m.person_id and p.handle = '@drew'`,
  )
  assert.deepEqual(await keys(drew, '?role=developer'), [[['other', 'developer']], 1])
  assert.deepEqual(await keys(drew, '?role=owner'), [[], 0])
  await app.sql(
    `update organisation_members m set role = 'owner' from people p where p.id = m.person_id and p.handle = '@drew'`,
  )
  assertError(await call(casey, 'GET', `${PATH}/list?role=pilot`), 400, 4003)
})

test('an organisation is read by its members and administrators; to others it does not exist', async () => {
  const one = (browser: TestBrowser, key = 'school') => call(browser, 'GET', `${PATH}?organisation=${key}`)
  assert.deepEqual((await one(casey)).body, {
    ...NAMED,
    name: 'School',
    role: 'owner',
    courseAuthors: 'owners',
    timeZone: 'UTC',
    may: { manage: true, leave: true, createCourses: true },
  })
  assert.deepEqual((await one(ellis)).body, {
    ...NAMED,
    name: 'School',
    role: null,
    courseAuthors: 'owners',
    timeZone: 'UTC',
    may: { manage: true, leave: false, createCourses: true },
  })
  const [real, unreal] = [await one(finley), await one(finley, 'nowhere')]
  assertError(real, 403, 4032)
  assert.deepEqual(real.body, unreal.body)
})

test('an organisation of others is refused like one that does not exist, whatever is asked of it (D1)', async () => {
  const asks = (browser: TestBrowser, organisation: string) => [
    call(browser, 'POST', PATH, { organisation, name: 'Taken over' }),
    call(browser, 'GET', `${PATH}/members?organisation=${organisation}`),
    call(browser, 'POST', `${PATH}/member`, { organisation, handle: '@finley', role: 'owner' }),
    call(browser, 'POST', `${PATH}/member`, { organisation, handle: '@nobody', role: 'owner' }),
    call(browser, 'POST', `${PATH}/member/remove`, { organisation, handle: '@casey' }),
  ]
  await join(casey, 'avery', 'instructor')
  const avery = await signInBrowser(app, 'avery')
  for (const [browser, key] of [
    [drew, 'school'],
    [finley, 'school'],
    [avery, 'school'],
    [casey, 'other'],
  ] as const) {
    const [theirs, nobodys] = await Promise.all([
      Promise.all(asks(browser, key)),
      Promise.all(asks(browser, 'nowhere')),
    ])
    for (const [i, answer] of theirs.entries()) {
      assertError(answer, 403, 4032, /or you do not manage it/)
      assert.equal(answer.text, nobodys[i]!.text)
    }
  }
  const token = await app.as('casey')
  assertError(await token.get(`${PATH}/list`), 401, 4016)
  assertError(await token.post(PATH, { ...NAMED, name: 'x' }), 401, 4016)
  assertError(await app.nobody().get(`${PATH}/list`), 401, 4016)
  assert.deepEqual(await members(), ['@avery instructor', '@casey owner'])
  await remove(casey, '@avery')
})

test('an owner renames it, and the log says what it was called', async () => {
  const renamed = await call(casey, 'POST', PATH, { ...NAMED, name: 'School of Flying', key: 'mine', role: 'member' })
  assert.deepEqual(renamed.body, {
    organisation: 'school',
    name: 'School of Flying',
    role: 'owner',
    courseAuthors: 'owners',
    timeZone: 'UTC',
    may: { manage: true, leave: true, createCourses: true },
  })
  assert.deepEqual((await audited('organisation.renamed'))[0], {
    organisation: 'school',
    before: 'School',
    after: 'School of Flying',
    self: true,
  })
  assert.equal((await call(ellis, 'POST', PATH, { ...NAMED, name: 'School' })).status, 200)
})

test('owners and administrators set the roles of members, by handle', async () => {
  await join(casey, 'finley', 'member')
  const set = await setRole(casey, 'Finley', 'developer')
  assert.deepEqual(set.body, { handle: '@finley', firstName: '', lastName: '', role: 'developer' })
  const profile = await (await app.as('finley')).get('/user/v1/my/profile')
  assert.deepEqual(profile.body.organizationRoles, { school: 'developer' })
  assert.equal((await setRole(ellis, '@finley', 'instructor')).status, 200)
  const [{ by, ...detail }] = (await audited('member.set')) as [Record<string, unknown>]
  assert.deepEqual(detail, { organisation: 'school', before: 'developer', after: 'instructor' })
  assert.equal(typeof by, 'number')
  assert.deepEqual(await members(), ['@casey owner', '@finley instructor'])
  assert.deepEqual(await members('role'), ['@finley instructor', '@casey owner'])
  await app.sql(
    `update people set last_name = 'Ålund' where handle = '@casey'; update people set last_name = 'alt' where handle = '@finley'`,
  )
  assert.deepEqual(await members('-name'), ['@casey owner', '@finley instructor'])
  await app.sql(`update people set last_name = '' where handle in ('@casey', '@finley')`)
  for (const role of ['student', 'OWNER', '', 7]) {
    const answer = await setRole(casey, '@finley', role as string)
    assert.equal(answer.status, 400, answer.text)
  }
  assertError(await remove(casey, '@drew'), 404, 4042)
  assert.deepEqual((await remove(casey, '@finley')).body, { success: true })
  assert.deepEqual(await members(), ['@casey owner'])
})

test('the last owner stays, unless an administrator decides otherwise', async () => {
  assertError(await setRole(casey, '@casey', 'member'), 400, 4006, /last owner/)
  assertError(await remove(casey, '@casey'), 400, 4006, /last owner/)
  await app.sql('delete from invitations')
  await join(casey, 'finley', 'owner')
  // If two owners remove each other at the same time, one of them stays.
  const both = await Promise.all([remove(casey, '@finley'), remove(finley, '@casey')])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 403])
  await app.sql(
    `delete from organisation_members m using organisations o where o.id = m.organisation_id and o.key = 'school'`,
  )
  await app.sql('delete from invitations')
  await join(ellis, 'casey', 'owner')
  assert.equal((await setRole(ellis, '@casey', 'member')).status, 200)
  assertError(await call(casey, 'GET', `${PATH}/members?organisation=school`), 403, 4032)
  assert.equal((await setRole(ellis, '@casey', 'owner')).status, 200)
})

test('members come in pages, in the order of their handles', async () => {
  await app.sql('delete from invitations')
  for (const person of ['finley', 'drew', 'avery'] as const) await join(casey, person, 'member')
  const page = async (query: string) => (await call(casey, 'GET', `${PATH}/members?organisation=school${query}`)).body
  const second = await page('&limit=3&page=2')
  assert.deepEqual(
    [second.docs.map(({ handle }: { handle: string }) => handle), second.total, second.pages],
    [['@finley'], 4, 2],
  )
})
