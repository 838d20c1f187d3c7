import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COUNTRIES } from '../../web/pages/profiles/countries.ts'
import { call, PASSWORD, signInBrowser, UNLIMITED } from '../account/testing.ts'
import { yearsAgo } from '../families/testing.ts'
import { signInToAccount } from '../oauth/testing-pages.ts'
import { readCountry } from '../people/countries.ts'
import { colourAt, plain } from '../pictures/testing.ts'
import { formsOf, type Seen, type TestBrowser } from '../testing/browser.ts'
import { assertUsable, collectProblems, noChromium, openChromium } from '../testing/chromium.ts'
import { testApp } from '../testing/testing.ts'

const PROFILE = '/account/profile'
const FORMS = [
  PROFILE,
  `${PROFILE}/search`,
  `${PROFILE}/email`,
  `${PROFILE}/picture`,
  `${PROFILE}/cover`,
  `${PROFILE}/picture/remove`,
  `${PROFILE}/cover/remove`,
]

const settingsOf = async (browser: TestBrowser) => (await call(browser, 'GET', '/account/v1/profile')).body
const keyOf = ({ text }: Seen, action: string) => formsOf(text).find((one) => one.action === action)!.hidden.csrf_token!

/** Sends a file as a browser without scripts does. */
function upload(browser: TestBrowser, action: string, image: Buffer | undefined, key?: string): Promise<Seen> {
  const form = new FormData()
  if (key !== undefined) form.set('csrf_token', key)
  if (image) form.set('image', new Blob([new Uint8Array(image)]), 'me.png')
  return browser.send(action, { method: 'POST', body: form })
}

test('the page of one’s profile', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const avery = await signInBrowser(app, 'avery')

  await t.test('is for whoever is signed in; others sign in first and come back', async () => {
    const stranger = app.visitor()
    const away = await stranger.get(PROFILE)
    assert.deepEqual([away.status, away.location], [303, '/account/signin?next=%2Faccount%2Fprofile'])
    await app.givePassword('finley')
    const back = await stranger.submit(await stranger.follow(away), { handle: 'finley', password: PASSWORD })
    assert.deepEqual([back.status, back.location], [303, PROFILE])
    assert.match((await stranger.follow(back)).text, /<h1>Your profile<\/h1>/)
  })

  await t.test('is reached from the account page, and tells where one is', async () => {
    assert.match((await avery.get('/account')).text, /<a href="\/account\/profile">Profile<\/a>/)
    const { text } = await avery.get(PROFILE)
    assert.match(text, /<a href="\/account\/profile" aria-current="page">Profile<\/a>/)
    assert.equal(text.match(/<h1>/g)?.length, 1)
    assert.doesNotMatch(text, /<script|style=|javascript:| on[a-z]+="/i)
  })

  await t.test('saves what one says about oneself, and shows it again', async () => {
    const page = await avery.get(PROFILE)
    const fields = { firstName: ' Avery ', lastName: 'O’Neil <b>', country: 'DE', gender: 'woman', position: 'Pilot' }
    const saved = await avery.submit(page, fields, PROFILE)
    assert.deepEqual([saved.status, saved.location], [303, `${PROFILE}?done=profile-saved`])
    const { text } = await avery.follow(saved)
    assert.match(text, /role="status">Your profile is saved\./)
    assert.match(text, /value="Avery".*value="O’Neil &lt;b&gt;"/s)
    assert.match(text, /<option value="DE" selected>Germany<\/option>/)
    const { firstName, lastName, country, gender, position, publicSearch } = await settingsOf(avery)
    assert.deepEqual(
      { firstName, lastName, country, gender, position },
      { firstName: 'Avery', lastName: 'O’Neil <b>', country: 'DE', gender: 'woman', position: 'Pilot' },
    )
    assert.equal(publicSearch, false, 'the other forms are not touched')
    assert.equal(
      (await avery.submit(page, { ...fields, country: '', gender: '' }, PROFILE)).location,
      saved.location,
      'twice, and with less',
    )
    assert.deepEqual([(await settingsOf(avery)).country, (await settingsOf(avery)).gender], ['', ''])
  })

  await t.test('says what is wrong, keeps what was typed, and changes nothing', async () => {
    const page = await avery.get(PROFILE)
    const before = await settingsOf(avery)
    const seen = await avery.submit(page, { firstName: 'turned\u202e', lastName: 'Typed', country: 'FR' }, PROFILE)
    assert.equal(seen.status, 400)
    assert.match(seen.text, /role="alert">First name must be one line/)
    assert.match(seen.text, /value="Typed"/)
    assert.match(seen.text, /<option value="FR" selected>/)
    assert.deepEqual(await settingsOf(avery), before)
  })

  await t.test('a country that is in no list stays as it is', async () => {
    await app.sql(`update people set country = 'QX' where handle_key = 'avery'`)
    const page = await avery.get(PROFILE)
    assert.match(page.text, /<option value="QX" selected>QX<\/option>/)
    const saved = await avery.submit(page, { position: 'pilot', country: 'QX' }, PROFILE)
    assert.equal(saved.status, 303, saved.text)
    assert.equal((await settingsOf(avery)).country, 'QX')
    assert.equal(COUNTRIES.length, 250, 'ISO 3166 has 249, and Kosovo')
    for (const { code } of COUNTRIES) assert.equal(readCountry(code.toLowerCase(), null), code)
    assert.deepEqual(
      ['DE', 'GB', 'QA', 'TW', 'US', 'XK', 'ZA', 'EU', 'ZZ', 'XA', 'DD'].map((code) =>
        COUNTRIES.some((one) => one.code === code),
      ),
      [true, true, true, true, true, true, true, false, false, false, false],
    )
  })

  await t.test('public search is turned on and off; a child is told that a parent decides', async () => {
    const on = await avery.submit(await avery.get(PROFILE), { publicSearch: 'true' }, `${PROFILE}/search`)
    assert.equal(on.location, `${PROFILE}?done=search-on`)
    const page = await avery.follow(on)
    assert.match(page.text, /name="publicSearch" value="true" checked>/)
    assert.equal((await settingsOf(avery)).publicSearch, true)
    assert.equal((await avery.submit(page, {}, `${PROFILE}/search`)).location, `${PROFILE}?done=search-off`)
    assert.equal((await settingsOf(avery)).publicSearch, false)

    const casey = await signInBrowser(app, 'casey')
    const shown = await casey.get(PROFILE)
    await app.sql(`update people set date_of_birth = '${yearsAgo(9)}' where handle_key = 'casey'`)
    const childs = await casey.get(PROFILE)
    assert.match(childs.text, /Public search is <strong>off<\/strong>\. A parent decides this for you/)
    assert.doesNotMatch(childs.text, /action="\/account\/profile\/search"|>Children</)
    const forged = await casey.submit(shown, { publicSearch: 'true' }, `${PROFILE}/search`)
    assert.equal(forged.status, 403)
    assert.match(forged.text, /role="alert">A parent decides whether a child can be found/)
    assert.equal((await settingsOf(casey)).publicSearch, false)
  })

  await t.test('a child sees its name, country and address, and that a parent decides about them', async () => {
    const drew = await signInBrowser(app, 'drew')
    const before = await drew.get(PROFILE)
    await app.sql(
      `update people set date_of_birth = '${yearsAgo(9)}', first_name = 'Drew', last_name = '<Ng>', country = 'NZ', email = 'drew@example.org'
        where handle_key = 'drew'`,
    )
    const kept = await settingsOf(drew)
    const page = await drew.get(PROFILE)
    assert.match(page.text, /Your name is <strong><bdi>Drew &lt;Ng&gt;<\/bdi><\/strong>.*<strong>New Zealand<\/strong>/)
    assert.match(page.text, /go to <strong>drew@example\.org<\/strong>/)
    assert.equal(page.text.match(/A parent decides this for you until you are 13/g)?.length, 3)
    assert.doesNotMatch(page.text, /name="(firstName|lastName|country|email)"|action="\/account\/profile\/email"/)
    const saved = await drew.submit(page, { gender: 'girl', position: 'Pupil' }, PROFILE)
    assert.equal(saved.location, `${PROFILE}?done=profile-saved`)
    assert.deepEqual(await settingsOf(drew), { ...kept, gender: 'girl', position: 'Pupil' })

    for (const [action, fields] of [
      [PROFILE, { firstName: 'Forged', gender: 'Forged' }],
      [`${PROFILE}/email`, { email: 'forged@example.org', password: PASSWORD }],
    ] as const) {
      const forged = await drew.submit(before, fields, action)
      assert.equal(forged.status, 403)
      assert.match(forged.text, /role="alert">A parent decides about/)
      assert.match(forged.text, /<bdi>Drew &lt;Ng&gt;<\/bdi>/)
    }
    assert.deepEqual(await settingsOf(drew), { ...kept, gender: 'girl', position: 'Pupil' })
    await app.sql(`update people set date_of_birth = null, email = null where handle_key = 'drew'`)
  })

  await t.test('the e-mail address is changed with the password, and not without', async () => {
    const page = await avery.get(PROFILE)
    const email = 'avery@example.org'
    for (const [fields, status, why] of [
      [{ email, password: 'wrong' }, 401, /current password is wrong/],
      [{ email }, 400, /Password is missing/],
      [{ email: 'no address', password: PASSWORD }, 400, /Email must be an e-mail address/],
    ] as const) {
      const seen = await avery.submit(page, fields, `${PROFILE}/email`)
      assert.equal(seen.status, status)
      assert.match(seen.text, why)
      assert.ok(seen.text.includes(`value="${fields.email}"`), 'what was typed is kept')
      assert.ok(!seen.text.includes(PASSWORD), 'but no password')
      assert.equal((await settingsOf(avery)).email, '')
    }
    const changed = await avery.submit(page, { email, password: PASSWORD }, `${PROFILE}/email`)
    assert.equal(changed.location, `${PROFILE}?done=email-changed`)
    assert.match((await avery.follow(changed)).text, /go to <strong>avery@example\.org<\/strong>/)
  })

  await t.test('picture and cover are sent and removed', async () => {
    for (const kind of ['picture', 'cover'] as const) {
      const page = await avery.get(PROFILE)
      assert.ok(page.text.includes(`<img class="${kind}" src="/account/v1/profile/${kind}?size=`))
      assert.ok(!page.text.includes(`Remove ${kind}`), 'there is none')
      const image = await plain(400, 400, '#cc3333').png().toBuffer()
      const sent = await upload(avery, `${PROFILE}/${kind}`, image, keyOf(page, `${PROFILE}/${kind}`))
      assert.deepEqual([sent.status, sent.location], [303, `${PROFILE}?done=${kind}-set`])
      const after = await avery.follow(sent)
      assert.match(after.text, new RegExp(`role="status">Your ${kind} is changed`))
      const removed = await avery.submit(after, {}, `${PROFILE}/${kind}/remove`)
      assert.equal(removed.location, `${PROFILE}?done=${kind}-removed`)
      assert.ok(!(await avery.follow(removed)).text.includes(`Remove ${kind}`))
      assert.equal((await avery.submit(after, {}, `${PROFILE}/${kind}/remove`)).status, 303, 'a second click')
    }
  })

  await t.test('what is no picture is refused in words, on the same page', async () => {
    const page = await avery.get(PROFILE)
    const key = keyOf(page, `${PROFILE}/picture`)
    for (const [image, status, why] of [
      [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 415, /This is no PNG, JPEG or WebP image/],
      [Buffer.alloc(0), 400, /The image is empty; choose a file/],
      [undefined, 400, /Choose a file first/],
    ] as const) {
      const seen = await upload(avery, `${PROFILE}/picture`, image, key)
      assert.equal(seen.status, status, seen.text)
      assert.match(seen.text, why)
      assert.match(seen.text, /<h1>Your profile<\/h1>/)
    }
    const large = await upload(avery, `${PROFILE}/picture`, Buffer.alloc(6 * 1024 * 1024), key)
    assert.equal(large.status, 413)
    assert.match(large.text, /<h1>This is too large<\/h1>.*smaller file/s)
  })

  await t.test('O12: a form without its key, with that of another form or of another browser is refused', async () => {
    const casey = await signInBrowser(app, 'drew')
    const [own, others] = [await avery.get(PROFILE), await casey.get(PROFILE)]
    const image = await plain(32, 32).png().toBuffer()
    await upload(avery, `${PROFILE}/picture`, image, keyOf(own, `${PROFILE}/picture`))
    await upload(avery, `${PROFILE}/cover`, image, keyOf(own, `${PROFILE}/cover`))
    const before = await settingsOf(avery)
    for (const action of FORMS) {
      const another = action === PROFILE ? `${PROFILE}/email` : PROFILE
      for (const key of [undefined, '', 'x'.repeat(43), keyOf(own, another), keyOf(others, PROFILE)]) {
        if (action === PROFILE && key === keyOf(own, PROFILE)) continue
        const seen = /(picture|cover)$/.test(action)
          ? await upload(avery, action, image, key)
          : await avery.post(action, { firstName: 'Forged', ...(key === undefined ? {} : { csrf_token: key }) })
        assert.equal(seen.status, 403, `${action} ${key}`)
      }
    }
    assert.deepEqual(await settingsOf(avery), before)
    assert.match((await avery.get(PROFILE)).text, /Remove picture.*Remove cover/s)
  })

  await t.test('a form from before one was signed out leads to sign-in, and does nothing', async () => {
    const ellis = await signInBrowser(app, 'ellis')
    const page = await ellis.get(PROFILE)
    await app.sql(`delete from browsers where person_id = (select id from people where handle_key = 'ellis')`)
    const seen = await ellis.submit(page, { firstName: 'Late' }, PROFILE)
    assert.deepEqual([seen.status, seen.location], [303, '/account/signin?next=%2Faccount%2Fprofile'])
  })
})

test('one’s profile in a real browser, without scripts', { skip: noChromium }, async (t) => {
  const app = await testApp(t)
  await app.givePassword('avery')
  const page = await openChromium(t, { javaScriptEnabled: false })
  const problems = collectProblems(page)
  await signInToAccount(page, app.address, '@avery')
  await page.getByRole('link', { name: 'Profile' }).click()
  await page.getByRole('heading', { level: 1, name: 'Your profile' }).waitFor()

  await t.test('by the keyboard', async () => {
    await page.getByLabel('First name').focus()
    await page.keyboard.type('Avery')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Quinn')
    await page.keyboard.press('Tab')
    await page.keyboard.type('New Z')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Your profile is saved.').waitFor()
    assert.equal(await page.getByLabel('Last name').inputValue(), 'Quinn')
    assert.equal(await page.getByLabel('Country').inputValue(), 'NZ')
  })

  await t.test('a picture from a file', async () => {
    const buffer = await plain(640, 480, '#00aa55').jpeg().toBuffer()
    await page.getByLabel('New picture').setInputFiles({ name: 'Ich & "du".jpg', mimeType: 'image/jpeg', buffer })
    await page.getByRole('button', { name: 'Send picture' }).click()
    await page.getByText('Your picture is changed.').waitFor()
    const shown = page.getByRole('img', { name: 'Your picture' })
    const size = await shown.evaluate((image: { naturalWidth: number; complete: boolean }) => [
      image.complete,
      image.naturalWidth,
    ])
    assert.deepEqual(size, [true, 256])
    const [, green = 0] = await colourAt(await shown.screenshot(), 64, 64)
    assert.ok(green > 150, 'it is ours')
    await page.getByRole('button', { name: 'Remove picture' }).click()
    await page.getByText('Your picture is removed.').waitFor()
  })

  await t.test('what went wrong is seen, at the form that it is about', async () => {
    await page.getByLabel('New cover').setInputFiles({
      name: 'notes.png',
      mimeType: 'image/png',
      buffer: Buffer.from('no picture at all'),
    })
    await page.getByRole('button', { name: 'Send cover' }).click()
    await page.getByRole('alert').waitFor()
    assert.match(await page.getByRole('alert').innerText(), /This is no PNG, JPEG or WebP image/)
    assert.ok(await page.getByRole('alert').isVisible())
    assert.equal(await page.evaluate('document.activeElement.id'), 'cover-file')
    const { y } = (await page.getByRole('alert').boundingBox())!
    assert.ok(y >= 0 && y < 720, `the alert is in sight, at ${y}`)
    await assertUsable(page, 'a file that is no picture')
    await page
      .getByLabel('New cover')
      .setInputFiles({ name: 'large.png', mimeType: 'image/png', buffer: Buffer.alloc(20_000_000) })
    await page.getByRole('button', { name: 'Send cover' }).click()
    await page.getByRole('heading', { name: 'This is too large' }).waitFor()
  })
  assert.deepEqual(problems, [])
})
