import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { type Answer, testApp } from '../../operations/testing/testing.ts'
import { act, expectDone } from '../friends/testing.ts'
import { parseImageId } from './rules.ts'
import * as store from './store.ts'
import { appear, PICTURE, plain, STATIC, sendImage } from './testing.ts'

test('a hidden image cannot be told from a missing one, neither by the answer nor by the work', async (t) => {
  const app = await testApp(t)
  const blake = await app.as('blake')
  const png = await plain().png().toBuffer()
  const ids: Record<string, string> = { invented: 'p-bm9ib2R5IGhhcyB0aGlz-1', 'invented, and older': 'p-x-0' }
  for (const person of ['avery', 'casey', 'drew'] as const) {
    const { client, browser } = await appear(app, person)
    assert.equal((await sendImage(browser, PICTURE, png)).status, 200)
    ids[person] = (await client.get('/user/v1/my/profile')).body.profilePic
  }
  const { avery: hidden, casey: blocking, drew: seen } = ids as { avery: string; casey: string; drew: string }
  await app.sql(
    `update people set public_search = handle_key <> 'avery'; analyze people; analyze app_users; analyze friendships; analyze blocks; analyze pictures`,
  )
  await expectDone(act(await app.as('casey'), 'block', { userId: blake.userId }))
  assert.equal((await blake.get(`${STATIC}/${seen}`)).status, 200)
  const secret = {
    hidden,
    'of somebody who has blocked the caller': blocking,
    'hidden, and older': hidden.replace(/\d+$/, '0'),
    invented: ids.invented!,
    'invented, and older': ids['invented, and older']!,
  }

  await t.test('the answers are the same', async () => {
    const strip = ({ status, text, headers }: Answer) => {
      const { date, 'x-request-id': _, ratelimit, ...rest } = Object.fromEntries(headers)
      return { status, text, rest, hasDate: date !== undefined, isLimited: ratelimit !== undefined }
    }
    const expected = strip(await blake.get(`${STATIC}/${secret.invented}`))
    assert.equal(expected.status, 404)
    for (const [what, id] of Object.entries(secret))
      assert.deepEqual(strip(await blake.get(`${STATIC}/${id}`)), expected, what)
  })

  await t.test('the database reads as many pages for each', async () => {
    const client = new pg.Client(app.connection)
    await client.connect()
    t.after(() => client.end())
    await client.query('set search_path to gs_production')
    const [own] = await app.sql(
      `select u.app_id::int, u.person_id::int from app_users u where u.user_id = '${blake.userId}'`,
    )
    const pagesOf = async (id: string): Promise<number> => {
      const { kind, userId, version } = parseImageId(id)!
      const params = {
        kind,
        width: 256,
        app: Number(own!.app_id),
        caller: Number(own!.person_id),
        user: userId,
        version,
      }
      const explain = `explain (analyze, buffers, format json) ${store.findOfUser.text}`
      const { rows } = await client.query(explain, store.findOfUser.encodeParams(params))
      const plan = rows[0]['QUERY PLAN'][0].Plan
      return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    }
    await client.query('set plan_cache_mode = force_generic_plan; set enable_seqscan = off')
    // Remove dead rows, which other tests have left in this database and which would change the number of pages read.
    for (const table of ['people', 'app_users', 'friendships', 'blocks', 'pictures'])
      await client.query(`vacuum full ${table}`)
    // Run each statement once before counting, because the first access to a table also reads the catalog.
    for (const id of Object.values(secret)) await pagesOf(id)
    const pages: Record<string, number> = {}
    for (const [what, id] of Object.entries(secret)) pages[what] = await pagesOf(id)
    t.diagnostic(JSON.stringify(pages))
    const counts = Object.values(pages)
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, JSON.stringify(pages))
    assert.ok(Math.min(...counts) > 4, 'a user, a person, and what is between the two')
  })
})
