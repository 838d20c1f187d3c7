import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Frame, Page } from 'playwright-core'
import { call, signInBrowser } from '../../src/apps/account/testing.ts'
import { until } from '../../src/kernel/database/test-database.ts'
import { openSchool } from '../../src/learning/courses/testing.ts'
import { itemOf, sequencingOf } from '../../src/learning/packages/testing-scorm.ts'
import { checkAccessibility, collectProblems, noChromium, openChromium } from '../../src/operations/testing/chromium.ts'
import { size } from '../../src/operations/testing/sizes.ts'
import { sharedApp } from '../../src/operations/testing/testing.ts'
import { makeScormClass } from '../../src/records/scorm/testing.ts'
import { SCO } from './testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000', RATE_TOKEN_BURST: '100000' })
await openSchool(app)
const [finley, avery] = [await signInBrowser(app, 'finley'), await signInBrowser(app, 'avery')]

type Test = Parameters<typeof openChromium>[0]

async function launch(lesson: string, key: string, more: object = {}): Promise<string> {
  const launched = await call(avery, 'POST', '/edu/v1/package/launch', {
    ...{ lessonId: `${lesson}-${key}`, classId: key, ...more },
  })
  assert.equal(launched.status, 200, launched.text)
  return launched.body.url
}

/** Opens a page of its own with a launch, and waits for its content. */
async function play(t: Test, url: string, width = 1280) {
  const page = await openChromium(t, { viewport: { width, height: 800 } })
  const problems = collectProblems(page)
  await page.goto(url)
  return { page, problems, content: await contentOf(page) }
}

/** Waits until the content of an item has begun, and returns its frame. */
async function contentOf(page: Page, name = ''): Promise<Frame> {
  await page.frameLocator('iframe').locator(`output:has-text("open ${name}")`).waitFor()
  return page.frames()[1]!
}

const saved = (page: Page) => page.getByText(/^Saved \d\d:\d\d$/).waitFor()

async function stateOf(key: string, position = 0) {
  const [row] = await app.sql(
    `select s.cmi, s.is_suspended, s.is_finished from scorm_states s join registrations r on r.id = s.registration_id join enrolments e on e.id = r.enrolment_id
      where e.key = 'avery-${key}' and s.position = ${position}`,
  )
  return row as { cmi: Cmi; is_suspended: boolean; is_finished: boolean } | undefined
}
// biome-ignore lint/suspicious/noExplicitAny: a data model, whose properties tests read at will
type Cmi = Record<string, any>

test('64,000 letters of suspend data, the place and the answers are found again exactly', {
  skip: noChromium,
}, async (t) => {
  await makeScormClass(app, finley, { key: 'exact', version: '1.2', page: SCO })
  const first = await play(t, await launch('sco', 'exact'))
  const data = Array.from({ length: 64_000 }, (_, i) => String.fromCharCode(33 + (i % 90))).join('')
  assert.equal(await first.content.evaluate(`api.LMSGetValue('cmi.core.entry')`), 'ab-initio')
  await first.content.evaluate(`{
    const set = (name, value) => { if (api.LMSSetValue(name, value) !== 'true') throw new Error(name + ' ' + api.LMSGetLastError()) }
    set('cmi.suspend_data', ${JSON.stringify(data)})
    set('cmi.core.lesson_location', 'page 7')
    set('cmi.core.lesson_status', 'incomplete')
    set('cmi.core.score.raw', 41.5)
    set('cmi.core.session_time', '00:10:05')
    set('cmi.objectives.0.id', 'aim')
    set('cmi.objectives.0.status', 'passed')
    set('cmi.interactions.0.id', 'q1')
    set('cmi.interactions.0.type', 'choice')
    set('cmi.interactions.0.student_response', 'b')
    set('cmi.interactions.0.correct_responses.0.pattern', 'b')
    set('cmi.interactions.0.result', 'correct')
    set('cmi.core.exit', 'suspend')
    api.LMSFinish('')
  }`)
  await first.page.waitForURL(/\/return\?/)
  const { cmi } = (await stateOf('exact'))!
  assert.equal(cmi.suspend_data, data)

  const { content, page, problems } = await play(t, await launch('sco', 'exact'))
  const seen = await content.evaluate(`['cmi.core.entry', 'cmi.core.lesson_location', 'cmi.core.lesson_status',
    'cmi.core.score.raw', 'cmi.core.total_time', 'cmi.objectives.0.id', 'cmi.objectives.0.status', 'cmi.interactions._count',
    'cmi.core.student_id', 'cmi.core.credit', 'cmi.core.lesson_mode'].map((name) => api.LMSGetValue(name))`)
  assert.deepEqual(seen, [
    ...['resume', 'page 7', 'incomplete', '41.5', '00:10:05', 'aim'],
    ...['passed', '1', '@avery', 'credit', 'normal'],
  ])
  assert.equal(await content.evaluate(`api.LMSGetValue('cmi.suspend_data')`), data)
  // The time of the second session is added.
  await content.evaluate(`api.LMSSetValue('cmi.core.session_time', '00:00:10.5'); api.LMSCommit('')`)
  await until('the time is saved', async () => (await stateOf('exact'))?.cmi.core.total_time === '00:10:15.5')
  await saved(page)
  assert.deepEqual(problems, [])
})

test('a tab that is closed right after a change loses nothing', { skip: noChromium }, async (t) => {
  await makeScormClass(app, finley, { key: 'closed', version: '1.2', page: SCO })
  const { page, content } = await play(t, await launch('sco', 'closed'))
  await content.evaluate(`api.LMSSetValue('cmi.suspend_data', 'committed'); api.LMSCommit('')`)
  await until('the commit is saved', async () => (await stateOf('closed'))?.cmi.suspend_data === 'committed')
  // Within the second in which the player waits for further changes, and without a commit.
  await content.evaluate(
    `api.LMSSetValue('cmi.suspend_data', ${JSON.stringify('"'.repeat(20_000))}); api.LMSSetValue('cmi.core.lesson_status', 'passed')`,
  )
  await page.close()
  await until('the end is saved', async () => (await stateOf('closed'))?.is_finished === true)
  const { cmi, is_suspended: isSuspended } = (await stateOf('closed'))!
  assert.deepEqual([cmi.suspend_data.length, cmi.core.lesson_status, isSuspended], [20_000, 'passed', true])
})

test('a tab that is closed ends its session, and its item counts by what it has said last', {
  skip: noChromium,
}, async (t) => {
  for (const [version, set, result] of [
    ['1.2', `api.LMSSetValue('cmi.core.lesson_status', 'failed')`, 'FAIL'],
    ['1.2', `api.LMSSetValue('cmi.core.lesson_status', 'completed')`, 'PASS'],
    ['2004 4th Edition', `api.SetValue('cmi.completion_status', 'completed')`, 'PASS'],
    ['2004 4th Edition', `api.SetValue('cmi.location', '3')`, 'IN PROGRESS'],
  ] as const) {
    const key = `shut-${result}-${version[0]}`.toLowerCase().replace(' ', '-')
    await makeScormClass(app, finley, { key, version, page: SCO })
    const { page, content } = await play(t, await launch('sco', key))
    await content.evaluate(set)
    await page.close()
    const sessions = () =>
      app.sql(`select h.ended_by from launches h join registrations r on r.id = h.registration_id
                 join enrolments e on e.id = r.enrolment_id where e.key = 'avery-${key}'`)
    await until('the session has ended', async () => (await sessions())[0]?.ended_by === 'terminated')
    const { body } = await call(avery, 'GET', `/edu/v1/class/result?classId=${key}`)
    assert.equal(body.lessons[0].result, result, `${version} ${set}`)
  }
})

test('content that ends when its page is taken away is ended', { skip: noChromium }, async (t) => {
  const ending = SCO.replace(
    '</script>',
    `onpagehide = () => { api.LMSSetValue('cmi.core.lesson_status', 'completed'); api.LMSFinish('') }</script>`,
  )
  await makeScormClass(app, finley, { key: 'ending', version: '1.2', page: ending })
  const { page, content } = await play(t, await launch('sco', 'ending'))
  await content.evaluate(`api.LMSSetValue('cmi.suspend_data', 'x'.repeat(64000))`)
  await page.close()
  await until('the end is saved', async () => (await stateOf('ending'))?.is_finished === true)
  const { cmi } = (await stateOf('ending'))!
  assert.deepEqual([cmi.suspend_data.length, cmi.core.lesson_status], [64_000, 'completed'])
})

test('without a connection the page says so, and saves when it is back', { skip: noChromium }, async (t) => {
  await makeScormClass(app, finley, { key: 'offline', version: '1.2', page: SCO })
  const { page, content } = await play(t, await launch('sco', 'offline'))
  await saved(page)
  await page.context().setOffline(true)
  await content.evaluate(`api.LMSSetValue('cmi.core.lesson_location', 'far away'); api.LMSCommit('')`)
  await page.getByText('Not saved yet — no connection').waitFor()
  await content.evaluate(`api.LMSSetValue('cmi.core.lesson_location', 'farther'); api.LMSCommit('')`)
  await page.context().setOffline(false)
  await saved(page)
  await until('it is saved', async () => (await stateOf('offline'))?.cmi.core.lesson_location === 'farther')
})

test('what the platform refuses is named, and holds up neither other items nor the student', {
  skip: noChromium,
}, async (t) => {
  const ids = ['a', 'b', 'c']
  const items = ids.map((id) => itemOf(`${id}-lock`, '', `identifierref="sco" parameters="?${id}"`)).join('')
  const ending = SCO.replace('</script>', `if (location.search === '?c') api.LMSFinish('')</script>`)
  await makeScormClass(app, finley, { key: 'lock', version: '1.2', page: ending, items, ids })
  await app.sql(`update classes set is_sequential = true where key = 'lock'`)
  const { page } = await play(t, await launch('a', 'lock'))
  const open = async (id: string) => {
    await page
      .getByRole('navigation')
      .getByRole('button', { name: `Title of ${id}-lock` })
      .click()
    return contentOf(page, `?${id}`)
  }
  const notice = page.getByRole('alert').filter({ hasText: /^Not saved: .*[^.]\.Close$/ })
  const set = (content: Frame, name: string, value: string) =>
    content.evaluate(`api.LMSSetValue('cmi.core.${name}', '${value}'); api.LMSCommit('')`)
  await saved(page)
  // b is locked until a is passed.
  const locked = await open('b')
  await notice.waitFor()
  await page.getByText('Not saved', { exact: true }).waitFor()
  await checkAccessibility(page)
  await set(locked, 'lesson_location', 'lost')
  // An answer of the network, or of a platform that has too much to do, is no refusal.
  let busy = 2
  await page.route('**/scorm/v1/commit', (route) =>
    busy-- > 0 ? route.fulfill({ status: busy ? 429 : 503, json: { error_description: 'Busy.' } }) : route.continue(),
  )
  const first = await open('a')
  await set(first, 'lesson_status', 'passed')
  await page.getByText('Your work is not saved yet: Busy. It is tried again.').waitFor()
  await until('a is passed', async () => (await stateOf('lock'))?.cmi.core.lesson_status === 'passed')
  await saved(page)
  assert.deepEqual([await notice.count(), await stateOf('lock', 1)], [1, undefined])
  const unlocked = await open('b')
  await set(unlocked, 'lesson_location', 'kept')
  await until('b is saved', async () => (await stateOf('lock', 1))?.cmi.core.lesson_location === 'kept')
  await notice.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save and exit' }).click()
  await page.waitForURL(/\/return|\/dashboard|\/account/)

  // A refusal while the student leaves is shown before the page goes away.
  const { page: next } = await play(t, await launch('b', 'lock'))
  await next.getByRole('banner').getByRole('button', { name: 'Continue' }).click()
  await next.getByRole('main').getByText('Not saved: ').waitFor()
  await next.getByRole('link', { name: 'Leave without saving' }).click()
  await next.waitForURL(/\/return|\/dashboard|\/account/)
  assert.equal(await stateOf('lock', 2), undefined)
})

test('an item that is refused from its start is left at once', { skip: noChromium }, async (t) => {
  const items = ['a', 'b'].map((id) => itemOf(`${id}-shut`, '', `identifierref="sco" parameters="?${id}"`)).join('')
  await makeScormClass(app, finley, { key: 'shut', version: '1.2', page: SCO, items, ids: ['a', 'b'] })
  await app.sql(`update classes set is_sequential = true where key = 'shut'`)
  const { page } = await play(t, await launch('a', 'shut'))
  await page.getByRole('banner').getByRole('button', { name: 'Continue' }).click()
  await contentOf(page, '?b')
  await page.getByText('Not saved: ').waitFor()
  await page.getByRole('button', { name: 'Save and exit' }).click()
  await page.waitForURL(/\/return|\/dashboard|\/account/)
})

test('a change that is taken back after the answer to its commit was lost is taken back on the platform too', {
  skip: noChromium,
}, async (t) => {
  await makeScormClass(app, finley, { key: 'lostanswer', version: '2004 4th Edition', page: SCO })
  const { page, content } = await play(t, await launch('sco', 'lostanswer'))
  const isAt = (place: string) =>
    until(`the place is ${place}`, async () => (await stateOf('lostanswer'))?.cmi.location === place)
  const goTo = (place: string) => content.evaluate(`api.SetValue('cmi.location', '${place}'); api.Commit('')`)
  const setHidden = (state: string) =>
    page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`,
    )
  let way: 'continues' | 'is lost' | 'loses its answer' = 'continues'
  let held = 0
  const release = Promise.withResolvers<void>()
  await page.route('**/scorm/v1/commit', async (route) => {
    if (way === 'continues') return route.continue()
    if (way === 'loses its answer') await route.fetch()
    else {
      held++
      await release.promise
    }
    await route.abort()
  })
  const takeBack = async () => {
    await page.getByText('Not saved yet — no connection').waitFor()
    way = 'continues'
    await setHidden('visible')
    await goTo('3')
    await isAt('3')
    await saved(page)
  }
  await goTo('3')
  await isAt('3')
  await saved(page)
  way = 'loses its answer'
  await goTo('4')
  await isAt('4')
  await takeBack()

  // A page that is hidden sends a commit while another one is on its way.
  await setHidden('hidden')
  way = 'is lost'
  await goTo('3')
  await until('both requests of the first commit are held', async () => held === 2)
  way = 'loses its answer'
  await goTo('4')
  await isAt('4')
  release.resolve()
  await takeBack()
})

test('texts with half an emoji, U+0000 and any other character are found again exactly', {
  skip: noChromium,
}, async (t) => {
  const text = JSON.stringify(`${'x'.repeat(3990)}\ud83d\0\uf8ff0000\ude00 😀 ü`)
  for (const version of ['1.2', '2004 4th Edition'] as const) {
    const key = version === '1.2' ? 'half12' : 'half2004'
    const [prefix, set] = version === '1.2' ? ['LMS', 'cmi.core.lesson_'] : ['', 'cmi.']
    await makeScormClass(app, finley, { key, version, page: SCO })
    const { page, content } = await play(t, await launch('sco', key))
    await content.evaluate(`{
      api.${prefix}SetValue('cmi.suspend_data', ${text})
      api.${prefix}SetValue('${set}location', 'page 7')
      api.${prefix}SetValue('${version === '1.2' ? 'cmi.core.lesson_status' : 'cmi.success_status'}', 'passed')
      api.${prefix}Commit('')
    }`)
    await until('it is saved', async () => /passed/.test(JSON.stringify((await stateOf(key))?.cmi ?? {})))
    await saved(page)
    assert.equal((await stateOf(key))!.cmi.suspend_data.slice(0, 3990), 'x'.repeat(3990))
    await page.close()
    const { content: again } = await play(t, await launch('sco', key, { mode: 'Normal' }))
    assert.equal(await again.evaluate(`api.${prefix}GetValue('cmi.suspend_data') === ${text}`), true)
  }
})

test('a lesson that is opened elsewhere says so, and saves no more', { skip: noChromium }, async (t) => {
  await makeScormClass(app, finley, { key: 'twice', version: '1.2', page: SCO })
  const first = await play(t, await launch('sco', 'twice'))
  const second = await play(t, await launch('sco', 'twice'))
  await first.content.evaluate(`api.LMSSetValue('cmi.core.lesson_location', 'old'); api.LMSCommit('')`)
  await first.page.getByText('This session was ended, or opened elsewhere. What you do here is not saved.').waitFor()
  await second.content.evaluate(`api.LMSSetValue('cmi.core.lesson_location', 'new'); api.LMSCommit('')`)
  await until('the new one is saved', async () => (await stateOf('twice'))?.cmi.core.lesson_location === 'new')
  await first.page.reload()
  await first.page.getByText('This link has been used already.').waitFor()
})

test('a student moves between the items of a package, on a phone too, and returns to the lesson', {
  skip: noChromium,
}, async (t) => {
  const items = ['a', 'b', 'c']
    .map((id) => itemOf(`${id}-many`, '', `identifierref="sco" parameters="?${id}"`))
    .join('')
  await makeScormClass(app, finley, { key: 'many', version: '1.2', page: SCO, items, ids: ['a', 'b', 'c'] })
  const { page, problems } = await play(t, await launch('b', 'many'), 360)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  await checkAccessibility(page)
  const contents = page.getByRole('navigation', { name: 'Contents' })
  await page.getByRole('button', { name: 'Contents' }).click()
  await contents.getByRole('button', { name: 'Title of a-many (not started)' }).waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  await checkAccessibility(page)
  await contents.getByRole('button', { name: 'Title of a-many' }).click()
  const a = await contentOf(page, '?a')
  await contents.waitFor({ state: 'hidden' })
  await a.evaluate(`api.LMSSetValue('cmi.core.lesson_status', 'passed'); api.LMSFinish('')`)
  await page.getByRole('heading', { name: 'Title of a-many is finished' }).waitFor()
  await checkAccessibility(page)
  await page.getByRole('main').getByRole('button', { name: 'Continue' }).click()
  const b = await contentOf(page, '?b')
  assert.equal(await b.evaluate(`api.LMSGetValue('cmi.core.entry')`), 'resume')
  await b.evaluate(`api.LMSSetValue('cmi.core.lesson_location', '5')`)
  await page.getByRole('banner').getByRole('button', { name: 'Continue' }).click()
  await contentOf(page, '?c')
  await page.getByRole('button', { name: 'Previous' }).click()
  const again = await contentOf(page, '?b')
  assert.equal(await again.evaluate(`api.LMSGetValue('cmi.core.lesson_location')`), '5')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Contents' }).click()
  await contents.getByRole('button', { name: 'Title of a-many (passed)' }).waitFor()
  await checkAccessibility(page)
  await page.getByRole('button', { name: 'Save and exit' }).click()
  await page.waitForURL(/\/return\?lessonId=b-many&classId=many$|\/dashboard\/|\/account\//)
  const [session] = await app.sql(`select ended_by from launches order by id desc limit 1`)
  assert.equal(session!.ended_by, 'terminated')
  assert.deepEqual(problems, [])
})

test('a file that is missing is named, and a blocked window too', { skip: noChromium }, async (t) => {
  const page = SCO.replace('<script>', '<script>window.open = () => null;').replace(
    '</script>',
    `open('x.html')</script>`,
  )
  await makeScormClass(app, finley, { key: 'gone', version: '1.2', page })
  const popup = await play(t, await launch('sco', 'gone'))
  await popup.page.getByText('Allow pop-up windows for this page').waitFor()
  await app.sql(`delete from package_files where path = 'index.html' and package_id = (select max(id) from packages)`)
  const { page: missing } = { page: await openChromium(t) }
  await missing.goto(await launch('sco', 'gone'))
  await missing.getByText('A file of this lesson is missing: index.html.').waitFor()
  await checkAccessibility(missing)
})

test('a preview says that nothing is recorded, and records nothing', { skip: noChromium }, async (t) => {
  await makeScormClass(app, finley, { key: 'preview', version: '1.2', page: SCO })
  const { page, content } = await play(t, await launch('sco', 'preview', { mode: 'Browse' }))
  await page.getByText('Preview: nothing is recorded').waitFor()
  assert.equal(await content.evaluate(`api.LMSGetValue('cmi.core.lesson_mode')`), 'browse')
  await content.evaluate(`api.LMSSetValue('cmi.core.lesson_status', 'passed'); api.LMSFinish('')`)
  await page.waitForURL(/\/return/)
  assert.equal(await stateOf('preview'), undefined)
})

test('the player has a strict policy, and content cannot reach the platform', { skip: noChromium }, async (t) => {
  await makeScormClass(app, finley, { key: 'policy', version: '1.2', page: SCO })
  const url = await launch('sco', 'policy')
  const page = await openChromium(t)
  const { cookies } = avery
  await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: app.environment().url })))
  const answer = (await page.goto(url))!
  const headers = answer.headers()
  assert.match(
    headers['content-security-policy']!,
    /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' http:\/\/localhost:\d+;/,
  )
  assert.match(
    headers['content-security-policy']!,
    /frame-ancestors 'self' http:\/\/localhost:\d+ http:\/\/127\.0\.0\.1:\d+$/,
  )
  assert.deepEqual([headers['cache-control'], headers['x-content-type-options']], ['no-store', 'nosniff'])
  const content = await contentOf(page)
  const platform = app.environment().url
  const tries = await content.evaluate(`(async () => [
    document.cookie === '' && parent.document.cookie === '',
    await fetch('${platform}/account/v1/account', { credentials: 'include' }).then((one) => one.status, () => 'refused'),
    (() => { try { top.location.href = 'about:blank'; return 'left' } catch { return 'stays' } })(),
    await navigator.serviceWorker?.register('index.html').then(() => 'registered', () => 'refused'),
  ])()`)
  assert.deepEqual(tries, [true, 'refused', 'stays', 'refused'])
  const { pathname, search } = new URL(url)
  const changed = pathname.replace(/.(?=\/$)/, (one) => (one === 'A' ? 'B' : 'A'))
  assert.equal(await content.evaluate(`fetch('${changed}${search}').then((one) => one.status)`), 404)
  assert.equal(await content.evaluate(`fetch('${pathname}').then((one) => one.status)`), 200)
})

/** Three items in sequence: the second is locked until the first is passed. */
const sequenced = (key: string) => {
  const passedFirst = '<imsss:mapInfo targetObjectiveID="first" readSatisfiedStatus="true" writeSatisfiedStatus='
  const lock = `<imsss:sequencingRules><imsss:preConditionRule><imsss:ruleConditions conditionCombination="any">
      <imsss:ruleCondition condition="satisfied" operator="not" referencedObjective="other"/>
      <imsss:ruleCondition condition="objectiveStatusKnown" operator="not" referencedObjective="other"/></imsss:ruleConditions>
      <imsss:ruleAction action="disabled"/></imsss:preConditionRule></imsss:sequencingRules>`
  const item = (id: string, inside = '') => itemOf(`${id}-${key}`, inside, `identifierref="sco" parameters="?${id}"`)
  const byContent = '<imsss:deliveryControls completionSetByContent="true" objectiveSetByContent="true"/>'
  return (
    item(
      'a',
      sequencingOf(
        `<imsss:objectives><imsss:primaryObjective objectiveID="own">${passedFirst}"true"/></imsss:primaryObjective></imsss:objectives>${byContent}`,
      ),
    ) +
    item(
      'b',
      sequencingOf(
        `${lock}<imsss:objectives><imsss:primaryObjective objectiveID="mine"/><imsss:objective objectiveID="other">${passedFirst}"false"/></imsss:objective></imsss:objectives>${byContent}`,
      ),
    ) +
    item('c', sequencingOf(byContent)) +
    sequencingOf('<imsss:controlMode choice="true" flow="true"/>')
  )
}

test('sequencing of SCORM 2004 decides what opens, and goes on where the student was', {
  skip: noChromium,
}, async (t) => {
  await makeScormClass(app, finley, {
    ...{ key: 'seq', version: '2004 4th Edition', page: SCO, items: sequenced('seq'), ids: ['a', 'b', 'c'] },
  })
  const { page, problems, content: a } = await play(t, await launch('a', 'seq'))
  const contents = page.getByRole('navigation', { name: 'Contents' })
  const bar = page.getByRole('banner')
  const entry = (title: string) => contents.getByRole('button', { name: `Title of ${title}-seq` })
  assert.deepEqual([await entry('b').isDisabled(), await entry('c').isDisabled()], [true, false])
  await checkAccessibility(page)
  await a.evaluate(`{
    api.SetValue('cmi.completion_status', 'completed'); api.SetValue('cmi.success_status', 'passed')
    api.SetValue('cmi.score.scaled', '0.9'); api.SetValue('cmi.session_time', 'PT5M')
    addEventListener('pagehide', () => api.Terminate(''))
  }`)
  await saved(page)
  await bar.getByRole('button', { name: 'Continue' }).click()
  const b = await contentOf(page, '?b')
  assert.equal(await b.evaluate(`api.GetValue('cmi.objectives.1.success_status')`), 'passed')
  await until('the end is saved', async () => (await stateOf('seq'))?.cmi.total_time === 'PT5M')
  await entry('a').filter({ hasText: '(passed)' }).waitFor()
  await bar.getByRole('button', { name: 'Previous' }).click()
  await contentOf(page, '?a')
  await entry('c').click()
  const c = await contentOf(page, '?c')
  // Content navigates by itself.
  await c.evaluate(`api.SetValue('adl.nav.request', '{target=b-seq}choice'); api.Terminate('')`)
  const again = await contentOf(page, '?b')
  await again.evaluate(`{
    api.SetValue('cmi.location', 'page 3'); api.SetValue('cmi.suspend_data', 'abc')
    addEventListener('pagehide', () => { api.SetValue('cmi.exit', 'suspend'); api.Terminate('') })
  }`)
  await bar.getByRole('button', { name: 'Save and exit' }).click()
  await page.waitForURL(/\/return|\/dashboard|\/account/)
  assert.deepEqual(problems, [])

  const next = await play(t, await launch('b', 'seq'))
  const resumed = next.content
  assert.deepEqual(
    await resumed.evaluate(`['cmi.entry', 'cmi.location', 'cmi.suspend_data'].map((name) => api.GetValue(name))`),
    ['resume', 'page 3', 'abc'],
  )
  for (const [id, frame] of [
    ['b', resumed],
    ['c', undefined],
  ] as const) {
    const current = frame ?? (await contentOf(next.page, `?${id}`))
    await current.evaluate(`{
      api.SetValue('cmi.completion_status', 'completed'); api.SetValue('cmi.success_status', 'passed'); api.SetValue('cmi.exit', 'normal')
      api.SetValue('adl.nav.request', '${id === 'b' ? 'continue' : 'exitAll'}'); api.Terminate('')
    }`)
  }
  await next.page.waitForURL(/\/return|\/dashboard|\/account/)
  const rows =
    await app.sql(`select t.passed_at is not null as passed from registration_items t join registrations r on r.id = t.registration_id
    join enrolments e on e.id = r.enrolment_id where e.key = 'avery-seq' order by t.position`)
  assert.deepEqual(
    rows.map(({ passed }) => passed),
    [true, true, true],
  )
  const shared = JSON.parse((await stateOf('seq', -1))!.cmi.sequencing)
  assert.equal(shared.globalObjectiveMap.first.satisfiedStatus, true)
})

test('a package with one item that sequencing repeats keeps saving until it is passed', {
  skip: noChromium,
}, async (t) => {
  const untilPassed = sequencingOf(`<imsss:sequencingRules><imsss:postConditionRule>
    <imsss:ruleConditions><imsss:ruleCondition operator="not" condition="satisfied"/></imsss:ruleConditions>
    <imsss:ruleAction action="retry"/></imsss:postConditionRule></imsss:sequencingRules>`)
  await makeScormClass(app, finley, {
    ...{ key: 'retry', version: '2004 4th Edition', page: SCO, items: itemOf('sco-retry', untilPassed) },
  })
  const { page, problems, content } = await play(t, await launch('sco', 'retry'))
  const end = (status: string, score: string) => `{
    api.SetValue('cmi.completion_status', 'completed'); api.SetValue('cmi.success_status', '${status}')
    api.SetValue('cmi.score.scaled', '${score}'); api.Terminate('')
  }`
  const reloaded = page.waitForEvent('framenavigated', (frame) => frame.url().includes('index.html'))
  await content.evaluate(end('failed', '0.2'))
  await reloaded
  const again = await contentOf(page)
  assert.equal(await again.evaluate(`api.GetValue('cmi.success_status')`), 'unknown')
  await again.evaluate(end('passed', '0.9'))
  await page.waitForURL(/\/return|\/dashboard|\/account/)
  assert.deepEqual((await stateOf('retry'))!.cmi.score, { scaled: '0.9', raw: '', min: '', max: '' })
  const [launched] =
    await app.sql(`select l.ended_at is not null as ended from launches l join registrations r on r.id = l.registration_id
    join enrolments e on e.id = r.enrolment_id where e.key = 'avery-retry'`)
  assert.equal(launched!.ended, true)
  assert.deepEqual(problems, [])
})

test('an item of SCORM 1.2 opens as soon as its prerequisites are met', { skip: noChromium }, async (t) => {
  const needsA = '<adlcp:prerequisites type="aicc_script">a-pre</adlcp:prerequisites>'
  await makeScormClass(app, finley, {
    ...{ key: 'pre', version: '1.2', page: SCO, items: itemOf('a-pre') + itemOf('b-pre', needsA), ids: ['a', 'b'] },
  })
  const page = await openChromium(t)
  await page.goto(await launch('b', 'pre'))
  await page.getByText('Choose what to open in the contents.').waitFor()
  const entry = (title: string) => page.getByRole('navigation').getByRole('button', { name: `Title of ${title}-pre` })
  assert.equal(await entry('b').isDisabled(), true)
  await entry('a').click()
  const a = await contentOf(page)
  const next = page.getByRole('banner').getByRole('button', { name: 'Continue' })
  assert.equal(await next.isDisabled(), true)
  await a.evaluate(`api.LMSSetValue('cmi.core.lesson_status', 'completed'); api.LMSCommit('')`)
  await entry('a').filter({ hasText: '(completed)' }).waitFor()
  await next.click()
  await page.getByRole('heading', { name: 'Walkaround' }).waitFor()
  await until('the second item has begun', async () => (await stateOf('pre', 1)) !== undefined)
})

test('of many tabs that are closed in the middle, none loses what it reported', {
  skip: noChromium,
  timeout: 900_000,
}, async (t) => {
  const tabs = size(200)
  const batch = 10
  await makeScormClass(app, finley, { key: 'tab', version: '1.2', page: SCO })
  await app.sql(`
    insert into classes (key, name, course_id, version_id, is_sequential, created_at)
    select 'tab' || i, 'tab', course_id, version_id, false, now() from classes, generate_series(0, ${tabs - 1}) i where key = 'tab';
    insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
    select 'avery-' || c.key, c.id, p.id, 'active', now(), now() from classes c, people p where c.key ~ '^tab\\d' and p.handle = '@avery'`)
  const { context } = { context: (await openChromium(t)).context() }
  /** `suspend_data` of a tab. A quarter of the tabs have nearly as much as SCORM allows. */
  const dataOf = (i: number, step: string) => `${step} ${i} `.padEnd(i % 4 === 0 ? 60_000 : 500, 'x')
  const useTab = async (i: number) => {
    const launched = await call(avery, 'POST', '/edu/v1/package/launch', { lessonId: 'sco-tab', classId: `tab${i}` })
    assert.equal(launched.status, 200, launched.text)
    const page = await context.newPage()
    await page.goto(launched.body.url)
    const content = await contentOf(page)
    const acknowledged = page.waitForResponse(
      (one) => one.url().endsWith('/scorm/v1/commit') && one.request().postData()!.includes(`committed ${i} `),
    )
    await content.evaluate(`api.LMSSetValue('cmi.suspend_data', '${dataOf(i, 'committed')}'); api.LMSCommit('')`)
    assert.equal((await acknowledged).status(), 200)
    await content.evaluate(`{
      api.LMSSetValue('cmi.suspend_data', '${dataOf(i, 'final')}'); api.LMSSetValue('cmi.core.lesson_status', 'passed')
    }`)
    await page.close()
  }
  for (let start = 0; start < tabs; start += batch)
    await Promise.all(Array.from({ length: Math.min(batch, tabs - start) }, (_, i) => useTab(start + i)))
  const read = () =>
    app.sql(`select substr(e.key, 10)::int as i, s.cmi from scorm_states s join registrations r on r.id = s.registration_id
      join enrolments e on e.id = r.enrolment_id where e.key ~ '^avery-tab\\d' order by 1`) as Promise<
      { i: number; cmi: Cmi }[]
    >
  const finals = (rows: readonly { i: number; cmi: Cmi }[]) =>
    rows.filter(({ i, cmi }) => cmi.suspend_data === dataOf(i, 'final') && cmi.core.lesson_status === 'passed').length
  await until('all tabs have arrived', async () => finals(await read()) === tabs).catch(() => {})
  const rows = await read()
  const lost = rows.filter(({ i, cmi }) => !new RegExp(`^(?:committed|final) ${i} `).test(cmi.suspend_data)).length
  t.diagnostic(`${tabs} tabs: ${lost + tabs - rows.length} lost a commit, ${tabs - finals(rows)} lost their last state`)
  assert.deepEqual([rows.length, lost, finals(rows)], [tabs, 0, tabs])
})

test('in the dashboard the player opens within a second, and closes its window when the lesson has ended', {
  skip: noChromium,
}, async (t) => {
  await makeScormClass(app, finley, { key: 'dash', version: '2004 4th Edition', page: SCO })
  const page = await openChromium(t)
  const problems = collectProblems(page)
  const platform = app.environment().url
  await page.context().addCookies([...avery.cookies].map(([name, value]) => ({ name, value, url: platform })))
  const open = async (name: string) => {
    await page.goto(`${platform}/dashboard/classes/dash/lessons/sco-dash`)
    const button = page.getByRole('button', { name, exact: true })
    await button.waitFor()
    const startedAt = performance.now()
    await button.click()
    const content = page.frameLocator('iframe').frameLocator('iframe')
    await content.locator('output:has-text("open")').waitFor()
    t.diagnostic(`content after ${Math.round(performance.now() - startedAt)} ms (${name})`)
    return page.frames().find((frame) => frame.url().includes('/p/'))!
  }
  await open('Start')
  await page.getByRole('dialog').getByRole('button', { name: /^Back/ }).click()
  const content = await open('Continue')
  await content.evaluate(`{
    api.SetValue('cmi.completion_status', 'completed'); api.SetValue('cmi.success_status', 'passed'); api.SetValue('cmi.score.scaled', '0.75')
    api.Terminate('')
  }`)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('75 %', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Review' }).waitFor()
  assert.deepEqual(problems, [])
})
