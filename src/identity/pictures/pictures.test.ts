import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { call } from '../../apps/account/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { assertError, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { appear, COVER, getImage, idOf, MINE, PICTURE, plain, removeImage, STATIC, sendImage } from './testing.ts'

const show = (app: TestApp, person: string, isShown = true) =>
  app.sql(`update people set public_search = ${isShown} where handle_key = '${person}'`)

test('a picture', async (t) => {
  const app = await testApp(t)
  const { client: avery, browser } = await appear(app, 'avery')
  const blake = await app.as('blake')
  await show(app, 'avery')
  const png = await plain().png().toBuffer()

  await t.test('is uploaded by the person, and shown to their apps in all sizes', async () => {
    assert.deepEqual((await sendImage(browser, PICTURE, png)).body, { success: true })
    for (const [size, width] of [
      ['', 256],
      ['?size=16', 64],
      ['?size=64', 64],
      ['?size=65', 128],
      ['?size=512', 512],
      ['?size=2048', 512],
      ['?size=nil', 256],
    ] as const) {
      const got = await getImage(avery, `${MINE}/picture${size}`)
      assert.equal(got.headers.get('content-type'), 'image/webp')
      const { format, width: w, height: h } = await sharp(got.bytes).metadata()
      assert.deepEqual([got.status, format, w, h], [200, 'webp', width, width], size)
    }
    for (const [size, code] of [
      ['0', 4003],
      ['-5', 4003],
      ['15', 4003],
      ['2049', 4003],
      ['x', 4005],
      ['1.5', 4005],
      ['256&size=64', 4003],
    ] as const)
      assertError(await avery.get(`${MINE}/picture?size=${size}`), 400, code)
  })

  await t.test('has a cover beside it, which is wide', async () => {
    assert.equal((await sendImage(browser, COVER, png)).status, 200)
    for (const [size, width] of [
      ['', 640],
      ['?size=641', 1600],
    ] as const) {
      const { width: w, height: h } = await sharp((await getImage(avery, `${MINE}/cover${size}`)).bytes).metadata()
      assert.deepEqual([w, h], [width, (width / 16) * 9])
    }
  })

  await t.test('has headers that keep browsers from reading it as anything else', async () => {
    const { headers } = await getImage(avery, `${MINE}/picture`, { headers: { accept: 'text/html' } })
    assert.equal(headers.get('content-type'), 'image/webp')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'; sandbox")
    assert.equal(headers.get('content-disposition'), 'inline')
    assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin')
    assert.equal(headers.get('vary'), 'Origin, Authorization')
    const foreign = await getImage(avery, `${MINE}/picture`, { headers: { origin: 'https://evil.example.org' } })
    assert.equal(foreign.headers.get('access-control-allow-origin'), null)
    assert.equal(foreign.headers.get('vary'), 'Origin, Authorization')
  })

  await t.test('is not sent again to a client that has it', async () => {
    const paths = [`${MINE}/picture`, `${STATIC}/${await idOf(app, avery)}`]
    for (const path of paths) {
      const first = await getImage(avery, path)
      const etag = first.headers.get('etag')!
      for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const again = await getImage(avery, path, { headers: { 'if-none-match': tags } })
        assert.deepEqual([again.status, again.bytes.length], [304, 0], tags)
        assert.equal(again.headers.get('etag'), etag)
        assert.equal(again.headers.get('content-type'), null)
        assert.equal(again.headers.get('cache-control'), first.headers.get('cache-control'))
      }
      for (const tags of ['"x"', etag.slice(1, -1), ''])
        assert.equal((await getImage(avery, path, { headers: { 'if-none-match': tags } })).status, 200, tags)
      const head = await getImage(avery, path, { method: 'HEAD' })
      assert.deepEqual([head.status, head.bytes.length], [200, 0])
      assert.equal(head.headers.get('content-length'), String(first.bytes.length))
      assert.equal(head.headers.get('etag'), etag)
    }
    const other = await getImage(avery, `${MINE}/picture?size=64`)
    assert.notEqual(other.headers.get('etag'), (await getImage(avery, `${MINE}/picture`)).headers.get('etag'))
  })

  await t.test('is cached for long by its id, and revalidated each time at a fixed address', async () => {
    const byId = await getImage(blake, `${STATIC}/${await idOf(app, avery)}`)
    assert.equal(byId.headers.get('cache-control'), 'private, max-age=31536000, immutable')
    assert.equal((await getImage(avery, `${MINE}/picture`)).headers.get('cache-control'), 'private, no-cache')
    const { bytes } = await getImage(avery, `${MINE}/picture`)
    assert.ok(byId.bytes.equals(bytes))
  })

  await t.test('is shown to <img> with the token in the query, which reaches no log', async () => {
    const query = `authorization=${encodeURIComponent(`Bearer ${avery.token}`)}`
    const nobody = app.nobody()
    for (const path of [`${MINE}/picture`, `${MINE}/cover`, `${STATIC}/${await idOf(app, avery)}`]) {
      assert.equal((await getImage(nobody, `${path}?${query}&size=64`)).status, 200)
      assertError(await nobody.get(path), 401, 4016)
      assertError(await nobody.get(`${path}?authorization=Bearer%20gs_at_nothing`), 403, 4034)
    }
    assertError(await nobody.get(`${STATIC}/none?${query}`), 404, 4042)
    assertError(await nobody.get(`/image/v1/nowhere?${query}`), 404, 4042)
    assert.ok(app.log().includes('readImage'))
    assert.ok(!app.log().includes(avery.token!) && !app.log().includes('authorization='))
    // Operations that do not return images ignore a token in the query.
    assertError(await nobody.get(`/app/v1/bucket/list?${query}`), 401, 4016)
  })

  await t.test('gets another id with each change, and the one before is gone', async () => {
    const first = await idOf(app, avery)
    assert.equal((await sendImage(browser, PICTURE, await plain(99, 99, '#ff0000').png().toBuffer())).status, 200)
    const second = await idOf(app, avery)
    assertError(await avery.get(`${STATIC}/${first}`), 404, 4042)
    const red = await getImage(avery, `${STATIC}/${second}`)
    assert.equal((await removeImage(browser, PICTURE)).status, 200)
    const third = await idOf(app, avery)
    assert.equal(new Set([first, second, third]).size, 3)
    assertError(await avery.get(`${STATIC}/${second}`), 404, 4042)
    const generated = await getImage(avery, `${STATIC}/${third}`)
    assert.deepEqual([generated.status, generated.headers.get('content-type')], [200, 'image/png'])
    assert.equal(generated.headers.get('cache-control'), 'private, max-age=3600')
    assert.ok(!generated.bytes.equals(red.bytes))
    // Removing the picture again changes nothing.
    assert.equal((await removeImage(browser, PICTURE)).status, 200)
    assert.equal(await idOf(app, avery), third)
    assert.equal((await getImage(avery, `${MINE}/cover`)).headers.get('content-type'), 'image/webp')
  })

  await t.test('is looked at on our own pages with the cookie', async () => {
    const seen = await browser.send(`${COVER}?size=1600`)
    assert.deepEqual([seen.status, seen.headers.get('content-type')], [200, 'image/webp'])
    const { headers } = await browser.send(PICTURE)
    assert.equal(headers.get('content-type'), 'image/png')
    // Browsers send the cookie with every request for the image, so pages of other sites must not be able to embed it.
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin')
    assert.equal(headers.get('vary'), 'Origin, Cookie')
    const known = await browser.send(PICTURE, { headers: { 'if-none-match': headers.get('etag')! } })
    assert.deepEqual(
      [known.status, known.headers.get('cross-origin-resource-policy'), known.headers.get('vary')],
      [304, 'same-origin', 'Origin, Cookie'],
    )
    assertError(await app.nobody().get(PICTURE), 401, 4016)
    assertError(await avery.get(PICTURE), 401, 4016)
  })

  await t.test('goes with the account', async () => {
    assert.deepEqual(await app.sql(`select count(*)::int as n from pictures`), [{ n: 2 }])
    await app.sql(`delete from people where handle_key = 'avery'`)
    assert.deepEqual(await app.sql(`select count(*)::int as n from pictures`), [{ n: 0 }])
  })
})

test('who may see whose picture', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const { client: avery, browser } = await appear(app, 'avery')
  const blake = await app.as('blake')
  await sendImage(browser, PICTURE, await plain().png().toBuffer())
  const id = await idOf(app, avery)
  const path = `${STATIC}/${id}`
  const assertSeen = async (isSeen: boolean) => {
    if (isSeen) assert.equal((await getImage(blake, path)).status, 200)
    else assertError(await blake.get(path), 404, 4042, /There is no image with this id/)
  }

  await t.test('people see themselves, and others who have public search on', async () => {
    await assertSeen(false)
    assert.equal((await getImage(avery, path)).status, 200)
    await show(app, 'avery')
    await assertSeen(true)
  })

  await t.test('friends see each other, and those who asked them; nobody sees people who blocked them', async () => {
    const friends = '/user/v1/my/friends'
    const [casey, drew] = [await app.as('casey'), await app.as('drew')]
    await show(app, 'casey', false)
    await show(app, 'drew')
    const address = `${STATIC}/${(await casey.get('/user/v1/my/profile')).body.profilePic}`
    const seenByDrew = async () => (await drew.get(address)).status
    assert.equal(await seenByDrew(), 404)
    assert.equal((await casey.post(`${friends}/request`, { userId: drew.userId })).status, 200)
    assert.equal(await seenByDrew(), 200, 'asked to be a friend')
    assert.equal((await drew.post(`${friends}/accept`, { userId: casey.userId })).status, 200)
    assert.equal(await seenByDrew(), 200, 'a friend')
    assert.equal((await casey.post(`${friends}/block`, { userId: drew.userId })).status, 200)
    await show(app, 'casey')
    assert.equal(await seenByDrew(), 404, 'blocked, though public search is on')
  })

  await t.test('an id of one app shows nothing in another, where the person has a different id', async () => {
    const elsewhere = await app.as('avery', 'second')
    assertError(await elsewhere.get(path), 404, 4042, /There is no image with this id/)
    const other = await idOf(app, elsewhere)
    assert.notEqual(other.split('-').slice(1, -1).join('-'), avery.userId)
    assert.equal((await getImage(elsewhere, `${STATIC}/${other}`)).status, 200)
    assertError(await blake.get(`${STATIC}/${other}`), 404, 4042)
    const sandbox = await app.as('avery', 'first', 'sandbox')
    assertError(await sandbox.get(path), 404, 4042)
  })

  await t.test('malformed ids get the same answer as those of hidden people', async () => {
    for (const one of [
      'p-x-0',
      `p-${avery.userId}-0`,
      `p-${avery.userId}-2`,
      `p-${avery.userId}-01`,
      `p-${avery.userId}-1 `,
      `p-${avery.userId}-99999999999`,
      `x-${avery.userId}-1`,
      `c-${avery.userId}-1`,
      avery.userId,
      'p--1',
      '../../etc/passwd',
      'p-\n-1',
      'x'.repeat(240),
    ])
      assertError(await blake.get(`${STATIC}/${encodeURIComponent(one)}`), 404, 4042)
    assertError(await blake.get(`${STATIC}/${'x'.repeat(300)}`), 400, 4003)
    assertError(await blake.get(`${STATIC}/%00`), 400, 4003)
    assertError(await blake.get(`${STATIC}/nil`), 400, 4001)
    // The operation reads the image id from the path and ignores an id in the query.
    assertError(await blake.get(`${STATIC}/p-x-0?id=${id}`), 404, 4042)
  })

  await t.test('a person who withdrew consent is seen by nobody in that app', async () => {
    await app.sql(`update app_users set withdrawn_at = now() where user_id = '${avery.userId}'`)
    await assertSeen(false)
    await app.sql(`update app_users set withdrawn_at = null where user_id = '${avery.userId}'`)
    await assertSeen(true)
  })

  await t.test('nor is a disabled person', async () => {
    await app.sql(`update people set disabled_at = now() where handle_key = 'avery'`)
    await assertSeen(false)
  })
})

test('D1: on our own pages people see those whom they know; everyone else gets the same answer as an unknown handle', async (t) => {
  const app = await testApp(t)
  const [avery, blake, drew] = await Promise.all(
    (['avery', 'blake', 'drew'] as const).map(async (person) => (await appear(app, person)).browser),
  )
  await show(app, 'avery')
  await show(app, 'blake')
  const look = async (browser: TestBrowser, handle: string) =>
    (await browser.send(`/account/v1/friends/picture?${new URLSearchParams({ handle, size: '64' })}`)).status
  const act = async (browser: TestBrowser, verb: string, handle: string) =>
    assert.equal((await call(browser, 'POST', `/account/v1/friends/${verb}`, { handle })).status, 200, verb)
  const both = async () => [await look(avery!, '@blake'), await look(blake!, 'AVERY')]
  assert.deepEqual(await both(), [404, 404], 'though public search is on')
  const [unknown, stranger] = await Promise.all(
    ['@nobody-at-all', '@blake'].map((handle) => call(avery!, 'GET', `/account/v1/friends/picture?handle=${handle}`)),
  )
  assert.deepEqual(unknown!.body, stranger!.body)
  await act(avery!, 'request', 'blake')
  assert.deepEqual(await both(), [404, 200], 'whoever is asked sees who asks')
  await act(blake!, 'accept', 'avery')
  assert.deepEqual(await both(), [200, 200], 'friends')

  await t.test('a parent sees a child, and those whom the child knows, until they are 13', async () => {
    await app.sql(`insert into guardians (child_id, parent_id, created_at)
      select c.id, p.id, now() from people c, people p where c.handle = '@avery' and p.handle = '@drew'`)
    const looks = async () => [await look(drew!, '@avery'), await look(drew!, '@blake')]
    assert.deepEqual(await looks(), [404, 404], 'an adult')
    await app.sql(`update people set date_of_birth = now() - interval '9 years' where handle_key = 'avery'`)
    assert.deepEqual(await looks(), [200, 200])
    await app.sql(`update people set date_of_birth = null where handle_key = 'avery'`)
  })

  await t.test('a person who blocks the caller, or is disabled, is unknown again', async () => {
    await act(blake!, 'block', 'avery')
    assert.deepEqual(await both(), [404, 404])
    await act(blake!, 'unblock', 'avery')
    await act(avery!, 'request', 'blake')
    assert.equal(await look(blake!, '@avery'), 200)
    await app.sql(`update people set disabled_at = now() where handle_key = 'avery'`)
    assert.equal(await look(blake!, '@avery'), 404)
    assert.equal(await look(app.visitor(), '@blake'), 401)
  })
})

test('only the person changes their picture, in their own browser', async (t) => {
  const app = await testApp(t)
  const { client: avery, browser } = await appear(app, 'avery')
  const png = await plain().png().toBuffer()
  const headers = { 'content-type': 'image/png' }
  assertError(await avery.send('PUT', PICTURE, { raw: png, headers }), 401, 4016)
  assertError(await avery.send('DELETE', PICTURE), 401, 4016)
  const foreign = await browser.send(PICTURE, {
    method: 'PUT',
    body: png as never,
    headers: { ...headers, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example.org' },
  })
  assert.equal(foreign.status, 403)
  assert.equal((await getImage(avery, `${MINE}/picture`)).headers.get('content-type'), 'image/png')

  await t.test('of many uploads at once, one is complete in the end', async () => {
    const colours = ['#ff0000', '#00ff00', '#0000ff', '#ffff00', '#00ffff']
    const images = await Promise.all(colours.map((colour) => plain(64, 64, colour).png().toBuffer()))
    const statuses = await Promise.all(images.map(async (image) => (await sendImage(browser, PICTURE, image)).status))
    assert.ok(statuses.every((status) => status === 200 || status === 503))
    const count = statuses.filter((status) => status === 200).length
    assert.ok(count >= 2)
    assert.equal(await idOf(app, avery), `p-${avery.userId}-${count}`)
    const shown = await Promise.all(
      [64, 128, 256, 512].map(async (size) => {
        const { bytes } = await getImage(avery, `${MINE}/picture?size=${size}`)
        return [...(await sharp(bytes).resize(1, 1).raw().toBuffer())].map((part) => (part > 127 ? 1 : 0)).join()
      }),
    )
    assert.equal(new Set(shown).size, 1)
  })

  await t.test('an upload fails if the person was signed out meanwhile', async () => {
    const before = await idOf(app, avery)
    const sending = sendImage(browser, PICTURE, await plain(4000, 4000).png().toBuffer())
    await app.sql(`update people set epoch = epoch + 1 where handle_key = 'avery'`)
    assertError(await sending, 401, 4016)
    assert.equal(await idOf(app, avery), before)
  })
})
