import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventSource } from 'eventsource'
import { PATH, UNLIMITED } from '../src/apps/buckets/testing.ts'
import { until } from '../src/kernel/database/test-database.ts'
import { testApp } from '../src/operations/testing/testing.ts'

test('EventSource resumes by itself at another process and misses nothing', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const avery = await app.as('avery')
  const { version } = (await avery.put(PATH, { id: 'resumed' })).body
  const second = await app.startSecond()
  const addresses = [second.addresses.production, avery.address]
  const opened: (string | null)[] = []
  const source = new EventSource(`http://bucket.invalid${PATH}/events?id=resumed`, {
    fetch: (url, init) => {
      const headers = new Headers(init.headers)
      opened.push(headers.get('last-event-id'))
      headers.set('authorization', `Bearer ${avery.token}`)
      const address = addresses[Math.min(opened.length - 1, 1)]
      return fetch(`${address}${new URL(url).pathname}${new URL(url).search}`, { ...init, headers })
    },
  })
  const seen: number[] = []
  source.addEventListener('change', (event) => {
    assert.equal(Number(event.lastEventId), JSON.parse(event.data).version)
    seen.push(Number(event.lastEventId))
  })
  await until('the first stream is ready', () => source.readyState === EventSource.OPEN)
  for (let i = 0; i < 3; i++) await avery.post(PATH, { id: 'resumed', key: 'k', value: i })
  await until('the first changes came', () => seen.length === 3)
  const stopped = second.stop()
  for (let i = 0; i < 20; i++) await avery.post(PATH, { id: 'resumed', key: 'k', value: i })
  await stopped
  await until('the missed changes came', () => seen.length >= 23, 10_000)
  source.close()
  assert.deepEqual(
    seen,
    Array.from({ length: 23 }, (_, i) => version + 1 + i),
  )
  assert.deepEqual(opened.length, 2)
  assert.ok(Number(opened[1]) >= version + 3)
})
