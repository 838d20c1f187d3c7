import assert from 'node:assert/strict'
import { test } from 'node:test'
import ICAL from 'ical.js'
import { call, signInBrowser, UNLIMITED } from '../src/apps/account/testing.ts'
import { setDates } from '../src/learning/calendar/testing.ts'
import { openSchool } from '../src/learning/courses/testing.ts'
import { testApp } from '../src/operations/testing/testing.ts'

/** Titles that would break out of a line, or out of a character at its end. */
const TITLES = [
  'Walkaround\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:Injected',
  'a\nb; c, d \\ e \\n "f": g',
  `${'x'.repeat(58)}🛩️👩‍✈️ ${'é'.repeat(60)}${'漢'.repeat(60)}`,
  'tab\tand\u0000null\u2028line\u0085next',
  ...Array.from({ length: 12 }, (_, i) => `${'y'.repeat(50 + i)}👩‍✈️👩‍✈️👩‍✈️`),
]
/** A title as it is shown: line breaks stay, other control characters become spaces. */
const shown = (title: string) =>
  title
    .replaceAll(/\r\n|[\u2028\u0085]/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll('\u0000', ' ')

test('ical.js reads the calendar feed, whatever the titles of lessons', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const lessons = TITLES.map((_, i) => ({ id: `lesson-${i}`, name: `Lesson ${i}` }))
  await openSchool(app, { lessons, alpha: { sequential: false } })
  const at = (days: number) => new Date(app.environment().clock().getTime() + days * 86_400_000).toISOString()
  const titles = TITLES.map((title) => title.replaceAll('\u0000', ''))
  for (const [i, title] of titles.entries()) {
    await app.sql(
      `update lesson_versions v set name = convert_from('\\x${Buffer.from(title).toString('hex')}', 'UTF8') from lessons l where l.id = v.lesson_id and l.key = 'lesson-${i}'`,
    )
    await setDates(app, { classId: 'alpha', lessonId: `lesson-${i}`, due: at(i + 1) })
  }
  const avery = await signInBrowser(app, 'avery')
  const { url } = (await call(avery, 'POST', '/edu/v1/calendar/feed', {})).body
  const text = await (await fetch(url)).text()

  for (const line of text.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line)
  assert.doesNotMatch(text.replaceAll('\r\n', ''), /\p{Cc}/u)
  assert.ok(text.endsWith('\r\nEND:VCALENDAR\r\n'))
  const calendar = new ICAL.Component(ICAL.parse(text))
  assert.equal(calendar.getFirstPropertyValue('version'), '2.0')
  assert.equal(calendar.getFirstPropertyValue('x-wr-calname'), 'Groundschool')
  const events = calendar.getAllSubcomponents('vevent').map((one) => new ICAL.Event(one))
  assert.deepEqual(
    events.map(({ summary }) => summary),
    titles.map((title) => `${shown(title)} is due · Alpha`),
  )
  assert.equal(new Set(events.map(({ uid }) => uid)).size, TITLES.length)
  for (const [i, { startDate, component }] of events.entries()) {
    assert.ok(Math.abs(startDate.toJSDate().getTime() - Date.parse(at(i + 1))) < 60_000)
    for (const name of ['dtstamp', 'last-modified', 'sequence', 'url'])
      assert.ok(component.getFirstProperty(name), name)
  }
})
