import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { openSchool } from '../../learning/courses/testing.ts'
import { auOf } from '../../learning/packages/testing-cmi5.ts'
import { TestBrowser } from '../../operations/testing/browser.ts'
import { databaseUrl, installServer } from '../../operations/testing/machine.ts'
import { size } from '../../operations/testing/sizes.ts'
import { SECRET_KEY, testApp } from '../../operations/testing/testing.ts'
import { makePackageCourse, openPackageClass } from './testing.ts'

const KILLS = size(20)

test(`killed ${KILLS} times during launches: each session has its launch data and its statements, or does not exist`, async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSchool(app)
  const [finley, avery] = [await signInBrowser(app, 'finley'), await signInBrowser(app, 'avery')]
  await makePackageCourse(finley, {
    course: 'c',
    items: auOf('urn:one') + auOf('urn:two', { attributes: 'moveOn="Completed"' }),
    lessons: (lesson) => [lesson('one', 0), lesson('two', 1)],
  })
  await openPackageClass(app, 'c')
  await app.platform.stop()
  const { DATA_DIR } = app.environment().config
  const settings = { DATABASE_URL: databaseUrl(app.connection), SECRET_KEY, DEMO: 'off', DATA_DIR }
  const server = await installServer(t, settings)
  const browser = new TestBrowser(server.nobody.address)
  for (const [name, value] of avery.cookies) browser.cookies.set(name, value)
  const acknowledged = new Set<string>()
  let [isUp, broken] = [false, 0]
  const keepLaunching = async () => {
    while (isUp) {
      const what = { lessonId: 'two', classId: 'c' }
      const answer = await call(browser, 'POST', '/edu/v1/package/launch', what).catch(() => undefined)
      if (answer?.status === 200) acknowledged.add(answer.body.sessionId)
      else broken++
    }
  }
  for (let kill = 0; kill < KILLS; kill++) {
    await server.start()
    isUp = true
    const senders = Array.from({ length: 3 }, keepLaunching)
    const wanted = acknowledged.size + 3
    await until('some are launched', () => acknowledged.size >= wanted, 60_000)
    await sleep(Math.random() * 200)
    isUp = false
    await server.kill()
    await Promise.all(senders)
  }
  t.diagnostic(`${acknowledged.size} launches acknowledged, ${broken} broken off`)
  assert.ok(broken >= KILLS, String(broken))
  const connections = `select from pg_stat_activity where datname = current_database() and application_name like 'groundschool%'`
  await until('the last transactions have ended', async () => (await app.sql(connections)).length === 0)
  const sessions = await app.sql('select code::text, ended_at is null as is_open from launches')
  assert.equal(sessions.filter((one) => one.is_open).length, 1)
  const codes = sessions.map(({ code }) => String(code))
  assert.deepEqual(
    [...acknowledged].filter((code) => !codes.includes(code)),
    [],
  )
  const payloads = (await app.sql('select payload::text as text from statements')).map(({ text }) => String(text))
  const count = (verb: string) => payloads.filter((text) => text.includes(`/${verb}"`)).length
  assert.equal(count('launched'), sessions.length)
  assert.equal(count('abandoned'), sessions.length - 1)
  assert.equal(count('satisfied'), 1)
  const [found] = await app.sql(
    `select (select count(*)::int from registrations) as registrations, (select count(*)::int from documents where id = 'LMS.LaunchData') as data`,
  )
  assert.deepEqual(found, { registrations: 1, data: 1 })
})
