import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, type Person } from '../../operations/testing/testing.ts'
import { startDns } from './testing-dns.ts'
import { openOrganisations } from './testing-organisations.ts'

async function open(t: Parameters<typeof openOrganisations>[0]) {
  const dns = await startDns(t)
  const opened = await openOrganisations(t, { DNS_SERVERS: dns.address })
  const ask = (person: Person, path: string, domain: string) =>
    opened.post(person, `/domain${path}`, { organisation: person === 'blake' ? 'club' : 'school', domain })
  const add = async (person: Person, domain = 'school.example') =>
    (await ask(person, '', domain)).body.domains.find((one: { domain: string }) => one.domain === domain)
  const publish = (domain: string, ...TXT: string[]) => dns.names.set(`_groundschool.${domain}`, { TXT })
  const prove = (person: Person, domain = 'school.example') => ask(person, '/prove', domain)
  const isProven = async (person: Person, domain = 'school.example') => {
    const { body } = await opened.read(person, person === 'blake' ? 'club' : 'school')
    return body.domains.some((one: { domain: string; provenDate: unknown }) => one.domain === domain && one.provenDate)
  }
  return { ...opened, dns, ask, add, publish, prove, isProven }
}

test('a domain is proven by the TXT record that its owner was shown', async (t) => {
  const { add, ask, publish, prove, dns, audit, read } = await open(t)
  const { value, ...shown } = await add('casey')
  assert.deepEqual(shown, { domain: 'school.example', record: '_groundschool.school.example', provenDate: null })
  assert.match(value, /^groundschool-domain=[\w-]{22}$/)
  assert.equal((await add('drew')).value, value, 'adding it again changes nothing')
  assertError(
    await prove('casey'),
    400,
    4006,
    /At _groundschool\.school\.example there is no TXT record\. One must be groundschool-domain=/,
  )
  publish('school.example', 'v=spf1 -all', 'groundschool-domain=somebodyelse', `${value}x`)
  assertError(
    await prove('casey'),
    400,
    4006,
    /the TXT records are: v=spf1 -all \| groundschool-domain=somebodyelse \| /,
  )
  publish('school.example', 'v=spf1 -all', `"${value}" `)
  const done = (await prove('casey')).body.domains[0]
  assert.match(done.provenDate, /^20/)
  assert.equal((await prove('drew')).body.domains[0].provenDate, done.provenDate, 'proving it again changes nothing')
  assert.ok(dns.asked.every((question) => question === 'TXT _groundschool.school.example'))
  assertError(await prove('casey', 'other.example'), 404, 4042)
  assert.equal((await ask('casey', '/remove', 'school.example')).status, 200)
  assertError(await ask('casey', '/remove', 'school.example'), 404, 4042)
  assert.deepEqual((await read('casey')).body.domains, [])
  assert.notEqual((await add('casey')).value, value, 'an old record proves nothing later')
  assert.deepEqual(
    (await audit()).map(({ action }) => action),
    ['provider.domain-added', 'provider.domain-proven', 'provider.domain-removed', 'provider.domain-added'],
  )
})

test('a long record, which DNS splits, is read as one', async (t) => {
  const { publish, prove, add, isProven } = await open(t)
  const { value } = await add('casey')
  publish('school.example', `x${'y'.repeat(400)}`, value)
  assert.equal((await prove('casey')).status, 200)
  assert.ok(await isProven('casey'))
})

test('failures of DNS are explained, and prove and take away nothing', async (t) => {
  const { dns, add, prove, isProven, publish } = await open(t)
  const { value } = await add('casey')
  dns.names.set('_groundschool.school.example', 'fails')
  assertError(await prove('casey'), 400, 4006, /cannot be looked up: its name servers failed/)
  dns.names.set('_groundschool.school.example', 'silent')
  assertError(await prove('casey'), 400, 4006, /cannot be looked up: its name servers did not respond in time/)
  publish('school.example', value)
  await prove('casey')
  await add('blake')
  dns.names.set('_groundschool.school.example', 'fails')
  assertError(await prove('blake'), 400, 4006, /its name servers failed/)
  assert.ok(await isProven('casey'))
})

test('only e-mail domains are accepted, each in one spelling, and 50 at most', async (t) => {
  const { add, ask, app } = await open(t)
  for (const domain of [
    'example',
    'a@example.org',
    '*.example.org',
    '127.0.0.1',
    'example.123',
    '-.org',
    'a b.org',
    'a..org',
    `${'a'.repeat(64)}.org`,
  ])
    assertError(await ask('casey', '', domain), 400, 4003, /must be an e-mail domain/)
  for (const domain of ['gmail.com', 'Outlook.COM', '@web.de'])
    assertError(await ask('casey', '', domain), 400, 4003, /Everybody can have an address/)
  for (const typed of ['Bücher.Example', ' @xn--bcher-kva.example. ', 'BÜCHER.example'])
    assert.deepEqual(
      (await ask('casey', '', typed)).body.domains.map(({ domain }: { domain: string }) => domain),
      ['xn--bcher-kva.example'],
      typed,
    )
  await app.sql(
    `insert into organisation_domains (organisation_id, domain, challenge, created_at)
     select o.id, 'd' || n || '.example', 'x', now() from organisations o, generate_series(1, 49) n where o.key = 'school'`,
  )
  assertError(await ask('casey', '', 'more.example'), 400, 4006, /50 domains/)
  assert.ok(await add('casey', 'd1.example'))
})

test('a domain that another organisation has proven moves only when its record is gone', async (t) => {
  const { add, publish, prove, isProven, audit } = await open(t)
  const first = await add('casey')
  const second = await add('blake')
  assert.notEqual(first.value, second.value)
  publish('school.example', first.value)
  await prove('casey')
  assertError(await prove('blake'), 400, 4006, /One must be/)
  publish('school.example', first.value, second.value)
  assertError(await prove('blake'), 409, 4091, /its record is still there/)
  assert.deepEqual([await isProven('casey'), await isProven('blake')], [true, false])
  publish('school.example', second.value)
  assert.equal((await prove('blake')).status, 200)
  assert.deepEqual([await isProven('casey'), await isProven('blake')], [false, true])
  assert.deepEqual(
    (await audit()).slice(-2).map(({ action, detail }) => [action, detail.organisation]),
    [
      ['provider.domain-lost', 'school'],
      ['provider.domain-proven', 'club'],
    ],
  )
})

test('two organisations that prove one domain at once: one wins', async (t) => {
  const { add, publish, prove, isProven, ask } = await open(t)
  for (let round = 0; round < 5; round++) {
    const values = [(await add('casey')).value, (await add('blake')).value]
    publish('school.example', ...values)
    const seen = await Promise.all([prove('casey'), prove('blake'), prove('drew')])
    const [isSchools, isClubs] = [await isProven('casey'), await isProven('blake')]
    assert.equal(Number(isSchools) + Number(isClubs), 1)
    assert.deepEqual(
      seen.map(({ status }) => status),
      isSchools ? [200, 409, 200] : [409, 200, 409],
    )
    await ask('casey', '/remove', 'school.example')
    await ask('blake', '/remove', 'school.example')
  }
})

test('a domain that is removed while it is proven stays removed', async (t) => {
  const { add, publish, prove, read, ask } = await open(t)
  for (let round = 0; round < 5; round++) {
    const { value } = await add('casey')
    publish('school.example', value)
    const [proven] = await Promise.all([prove('casey'), ask('drew', '/remove', 'school.example')])
    assert.ok([200, 404].includes(proven.status))
    assert.deepEqual((await read('casey')).body.domains, [])
  }
})
