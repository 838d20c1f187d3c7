import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { rooms } from '../../src/app.ts'
import { call, isSignedIn } from '../../src/apps/account/testing.ts'
import { yearsAgo } from '../../src/identity/families/testing.ts'
import { addVirtualAuthenticator } from '../../src/identity/passkeys/testing-chromium.ts'
import { plain } from '../../src/identity/pictures/testing.ts'
import { until } from '../../src/kernel/database/test-database.ts'
import { readText, run } from '../../src/kernel/imports/testing.ts'
import { collectProblems, noChromium, openChromium } from '../../src/operations/testing/chromium.ts'
import { sharedApp } from '../../src/operations/testing/testing.ts'
import { enterAs, look as lookAt } from '../testing.ts'
import { accountWords } from './words.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' })
const address = app.environment().url
await run(app, JSON.parse(readText('demo/demo.json').replaceAll('http://localhost:4000/', `${address}/`)))

test('the page about your data names everything that the download contains', () => {
  const written = rooms.flatMap(({ exports = [] }) => exports.map(({ file }) => file))
  const named: readonly string[] = accountWords.data.inIt.flatMap(({ files }) => files)
  assert.deepEqual(named.toSorted(), written.toSorted())
})

const PASSWORD = 'groundschool'
/** HTML that would run a script if a page inserted it unescaped. */
const EVIL = '<img src=x onerror=alert(1)>'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
const dialog = (page: Page) => page.getByRole('dialog')
const inDialog = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click()
const told = (page: Page, text: string | RegExp) => page.getByRole('status').getByText(text).first().waitFor()
const item = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text }).first()

/** Runs axe on the page, and checks that it does not scroll sideways at a width of 360 px. */
async function look(page: Page): Promise<void> {
  await lookAt(page)
  await page.setViewportSize({ width: 360, height: 800 })
  await until('it fits a phone', () => page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'))
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** Drops console messages about 4xx responses: browsers log every one, including those that the page handles. */
const unexpected = (problems: readonly string[]) => problems.filter((one) => !/status of 4\d\d/.test(one))

const decode = (page: Page, alt: string) => page.evaluate(`document.querySelector('img[alt="${alt}"]').decode()`)

async function elsewhere(handle: string, password = PASSWORD) {
  const browser = app.visitor()
  await call(browser, 'POST', '/account/v1/signin', { handle, password })
  assert.ok(await isSignedIn(browser))
  return browser
}

test('security in one place: passkeys, browsers, apps, password and e-mail address', {
  skip: noChromium,
}, async (t) => {
  await app.sql(`
    update apps set name = '${EVIL}' where client_id = 'gs-demo-app'`)
  const page = await openChromium(t)
  const problems = collectProblems(page)
  const verify = await addVirtualAuthenticator(page)
  const other = await elsewhere('avery')
  await enterAs(page, address, 'Avery', '/dashboard')
  await button(page, /^Account menu of Avery/)
  await page.getByRole('menuitem', { name: 'Account' }).click()
  await page.getByRole('heading', { level: 1, name: 'Avery Lindqvist' }).waitFor()
  await page.getByText('1 friend', { exact: true }).waitFor()
  await page.getByRole('navigation', { name: 'Pages of Account' }).getByRole('link', { name: 'Security' }).click()
  await page.getByText('This browser').waitFor()

  await t.test('stored text is shown as text', async () => {
    await item(page, EVIL).waitFor()
    assert.equal(await page.locator('img[src=x]').count(), 0)
    await look(page)
  })

  await t.test('O19: a passkey is added for the password, and not without', async () => {
    await button(page, 'Create passkey')
    await dialog(page).getByLabel('Name').fill(`Laptop ${EVIL}`)
    await inDialog(page, 'Create passkey')
    await dialog(page).getByText('Enter your password').waitFor()
    await dialog(page).getByLabel('Your password').fill('wrong')
    await inDialog(page, 'Create passkey')
    await dialog(page).getByText('The current password is wrong.').waitFor()
    await look(page)
    await verify(false)
    await dialog(page).getByLabel('Your password').fill(PASSWORD)
    await inDialog(page, 'Create passkey')
    await dialog(page).getByText('No passkey was chosen, or it took too long. Try again.').waitFor()
    await verify(true)
    await inDialog(page, 'Create passkey')
    await told(page, 'Passkey created.')
    await item(page, `Laptop ${EVIL}`).getByText('not used yet').waitFor()
    assert.equal(await page.locator('img[src=x]').count(), 0)
    await button(page, 'Create passkey')
    await dialog(page).getByLabel('Your password').fill(PASSWORD)
    await inDialog(page, 'Create passkey')
    await dialog(page).getByText('This device already has a passkey for your account.').waitFor()
    await inDialog(page, 'Cancel')
    await button(page, `Rename Laptop ${EVIL}`)
    await dialog(page).getByLabel('Name').fill('Desk')
    await inDialog(page, 'Save')
    await item(page, 'Desk').waitFor()
  })

  await t.test('a browser is signed out, and then everything else', async () => {
    const third = await elsewhere('avery')
    await page.reload()
    await page.getByText('This browser').waitFor()
    assert.equal(await page.getByText('This browser').count(), 1)
    const here = item(page, 'This browser')
    await here.getByText('127.0.0.1 · last used just now · signed in just now').waitFor()
    await page
      .getByRole('listitem')
      .getByRole('button', { name: /^Sign out / })
      .first()
      .click()
    await told(page, / signed out$/)
    assert.notEqual(await isSignedIn(other), await isSignedIn(third))
    await button(page, 'Sign out everywhere else')
    await dialog(page).getByText('Passkeys still work: delete any you don’t recognise.').waitFor()
    await look(page)
    await inDialog(page, 'Sign out everywhere else')
    await told(page, 'You’re signed out everywhere else. Passkeys still work')
    assert.deepEqual([await isSignedIn(other), await isSignedIn(third)], [false, false])
    await item(page, 'Desk').waitFor()
  })

  await t.test('consent is withdrawn after a question', async () => {
    await button(page, `Revoke access for ${EVIL}`)
    await dialog(page).getByText('you continue where you left off').waitFor()
    await inDialog(page, 'Revoke access')
    await page.getByText('No connected apps yet').waitFor()
  })

  await t.test('the e-mail address and the password are changed for the old password', async () => {
    await page.getByLabel('New e-mail address').fill('avery@example.com')
    await button(page, 'Change e-mail address')
    await page.getByText('Enter your password').waitFor()
    await page.getByLabel('Your password').fill(PASSWORD)
    await button(page, 'Change e-mail address')
    await told(page, 'E-mail address changed')
    await page.getByText('avery@example.com').waitFor()
    const other = await elsewhere('avery')
    await page.getByLabel('Current password').fill('wrong')
    await page.getByLabel('New password', { exact: true }).fill('short')
    await button(page, 'Change password')
    await page.getByText('At least 8 characters', { exact: true }).waitFor()
    await page.getByLabel('New password', { exact: true }).fill('another groundschool')
    await button(page, 'Change password')
    await page.getByText('The current password is wrong.').waitFor()
    await look(page)
    await page.getByLabel('Current password').fill(PASSWORD)
    await button(page, 'Change password')
    await told(page, 'Password changed.')
    assert.equal(await isSignedIn(other), false)
    await elsewhere('avery', 'another groundschool')
  })

  await t.test('O19: where there is no password, a passkey proves who removes one', async () => {
    await app.sql(`update people set password_hash = null where handle_key = 'avery'`)
    await page.reload()
    await page.getByRole('link', { name: 'Set a password' }).waitFor()
    await button(page, 'Delete Desk')
    await dialog(page).getByText('Confirm it’s you with one of your passkeys first.').waitFor()
    assert.equal(await dialog(page).getByLabel('Your password').count(), 0)
    await verify(false)
    await inDialog(page, 'Delete')
    await dialog(page).getByText('No passkey was chosen, or it took too long. Try again.').waitFor()
    await verify(true)
    await inDialog(page, 'Delete')
    await told(page, 'Desk deleted')
    await page.getByText('No passkeys yet').waitFor()
  })
  assert.deepEqual(unexpected(problems), [])
})

test('a profile with a picture that is seen before it is sent', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Blake', '/account/profile')
  const file = page.locator('input[type=file]').first()
  await file.setInputFiles({ name: 'me.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') })
  await page.getByText('The file isn’t a PNG, JPEG or WebP image.').waitFor()
  const buffer = await plain(400, 300, '#cc3333').png().toBuffer()
  await file.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer })
  const preview = page.getByRole('img', { name: 'Preview of your new picture' })
  assert.match((await preview.getAttribute('src'))!, /^blob:/)
  await decode(page, 'Preview of your new picture')
  await look(page)
  await button(page, 'Upload')
  await told(page, 'Picture saved')
  await page.getByRole('img', { name: 'Your picture' }).waitFor()
  await decode(page, 'Your picture')
  const [red] = await page.evaluate<number[]>(`(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d')
    canvas.drawImage(document.querySelector('img[alt="Your picture"]'), 100, 100, 1, 1, 0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data]
  })()`)
  assert.ok(red! > 180, 'the new one, and not the drawn one')
  await button(page, 'Delete picture')
  await look(page)
  await inDialog(page, 'Delete picture')
  await told(page, 'Picture deleted')

  await page.getByLabel('First name').fill(EVIL)
  await page.getByLabel('Country').selectOption('Norway')
  await button(page, 'Save')
  await told(page, 'Profile saved')
  await page.getByRole('button', { name: `Account menu of ${EVIL} Moreau` }).waitFor()
  assert.equal(await page.locator('img[src=x]').count(), 0)
  await page.getByLabel('Let others find me').uncheck()
  await told(page, 'Public search turned off')
  const [row] = await app.sql(`select country, public_search from people where handle_key = 'blake'`)
  assert.deepEqual(row, { country: 'NO', public_search: false })

  await button(page, 'Add to Skills')
  await page.getByText('Enter something to add').waitFor()
  await page.getByRole('textbox', { name: 'Skills' }).fill(EVIL)
  await button(page, 'Add to Skills')
  await told(page, `${EVIL} added`)
  await look(page)
  await button(page, 'Remove first aid')
  await told(page, 'first aid removed')
  await button(page, 'Undo')
  await page.getByRole('button', { name: 'Remove first aid' }).waitFor()
  const [{ skills }] = (await app.sql(
    `select s.skills from skills s join people p on p.id = s.person_id where p.handle_key = 'blake'`,
  )) as [{ skills: string[] }]
  assert.deepEqual(skills, ['first aid', EVIL])

  // Minors cannot look after children, so their navigation has no link to that page.
  const children = page.getByRole('navigation').getByRole('link', { name: 'Children' })
  assert.equal(await children.count(), 1)
  await app.sql(`update people set date_of_birth = current_date - interval '15 years' where handle_key = 'blake'`)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
  assert.equal(await children.count(), 0)
  assert.deepEqual(problems, [])
})

test('friends: asked, taken back, accepted, removed and blocked', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  const casey = await elsewhere('casey')
  await app.sql(`update people set last_name = '${EVIL}' where handle_key = 'casey'`)
  await call(casey, 'POST', '/account/v1/friends/request', { handle: 'drew' })
  await enterAs(page, address, 'Drew', '/account/friends')
  await page.getByText('No friends yet').waitFor()
  await button(page, 'Send request')
  await page.getByText('Enter a handle').waitFor()
  await page.getByLabel('Handle').fill('ellis')
  await button(page, 'Send request')
  await told(page, 'Request sent.')
  await page.getByRole('link', { name: 'Sent requests (1)' }).click()
  await page.waitForURL(/list=sent/)
  await button(page, 'Withdraw request Ellis Haverford')
  await told(page, 'Request withdrawn')
  await page.getByText('No sent requests').waitFor()
  await button(page, 'Undo')
  await item(page, 'Ellis Haverford').waitFor()

  await page.getByRole('link', { name: 'Received requests (1)' }).click()
  await item(page, `Casey ${EVIL}`).waitFor()
  assert.equal(await page.locator('img[src=x]').count(), 0)
  await look(page)
  await button(page, `Accept Casey ${EVIL}`)
  await page.getByRole('link', { name: 'Friends (1)' }).click()
  const picture = await item(page, '@casey').locator('img').getAttribute('src')
  assert.match(picture!, /friends\/picture\?handle=%40casey/)
  assert.equal((await page.request.get(`${address}${picture}`)).headers()['content-type'], 'image/png')
  await look(page)
  await button(page, `Actions for Casey ${EVIL}`)
  await page.getByRole('menuitem', { name: 'Block' }).click()
  await dialog(page).getByText('you can no longer find each other').waitFor()
  await look(page)
  await inDialog(page, 'Block')
  await told(page, 'Blocked, if the person exists')
  await page.getByRole('link', { name: 'Blocked (1)' }).click()
  await page.getByLabel('Unblock by handle').waitFor()
  await button(page, `Unblock Casey ${EVIL}`)
  await told(page, 'Unblocked')
  assert.deepEqual(problems, [])
})

test('a parent looks after a child, from their account to its end', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Ellis', '/account/children')
  await button(page, 'Create child account')
  await dialog(page).getByLabel('Handle').fill('kim')
  await inDialog(page, 'Create child account')
  await dialog(page).getByText('Enter the date of birth').waitFor()
  await look(page)
  await dialog(page).getByLabel('First name').fill('Kim')
  await dialog(page).getByLabel('Date of birth').fill(yearsAgo(7))
  await inDialog(page, 'Create child account')
  await page.getByRole('heading', { level: 1, name: 'Kim' }).waitFor()
  await page.getByLabel('People in their apps can find them').check()
  await told(page, 'Child account saved')
  await page.getByLabel('Apps must keep the camera off').uncheck()
  await page.getByLabel('New password for the child').fill('kims own words')
  await page.locator('form', { hasText: 'Set password' }).getByLabel('Your password').fill(PASSWORD)
  await button(page, 'Set password')
  await told(page, 'Password set. Kim is signed out everywhere.')
  await elsewhere('kim', 'kims own words')
  await look(page)

  const casey = await elsewhere('casey')
  assert.equal((await call(casey, 'POST', '/account/v1/friends/request', { handle: 'kim' })).status, 200)
  await page.goto(`${address}/account/children`)
  await page.getByRole('link', { name: '1 friend request to review' }).click()
  await page.getByRole('button', { name: /^Accept Casey/ }).click()
  await told(page, 'Request accepted')
  await look(page)
  const [friends] = await app.sql(`select count(*)::int as count from friendships f join people p on p.id = f.asked_id
    where p.handle_key = 'kim' and f.accepted_at is not null`)
  assert.equal(friends?.count, 1)

  await page.getByRole('link', { name: 'Settings' }).click()
  await button(page, 'Stop managing account')
  await inDialog(page, 'Stop managing account')
  await dialog(page).getByText('You are the only parent of this child').waitFor()
  await inDialog(page, 'Cancel')
  await button(page, 'Delete account')
  await dialog(page).getByLabel('Your password').fill(PASSWORD)
  const go = dialog(page).getByRole('button', { name: 'Delete permanently' })
  assert.equal(await go.isDisabled(), true)
  await dialog(page).getByLabel('Enter @kim to confirm').fill('@kim')
  await look(page)
  await go.click()
  await told(page, 'Account of Kim deleted')
  await page.getByText('No child accounts yet').waitFor()
  // This child has other parents. The page must not reveal that the child exists.
  await page.goto(`${address}/account/children/@leo.marchand`)
  await page.getByText('Child account not found').waitFor()
  assert.deepEqual(unexpected(problems), [])
})

test('a child sees what a parent decides, and that it is not they', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  await app.givePassword('finley')
  await app.sql(`
    update people set date_of_birth = '${yearsAgo(9)}' where handle_key = 'finley';
    insert into guardians (child_id, parent_id, created_at)
      select c.id, p.id, now() from people c, people p where c.handle_key = 'finley' and p.handle_key = 'ellis'`)
  await page.goto(`${address}/account/signin?next=/account/profile`)
  await page.getByLabel('Handle').fill('finley')
  await page.getByLabel('Password').fill(PASSWORD)
  await button(page, 'Sign in')
  await page.getByText('A parent manages your name and country until you’re 13.').waitFor()
  assert.equal(await page.getByLabel('First name').count(), 0)
  assert.equal(await page.getByLabel('Let others find me').count(), 0)
  await page.goto(`${address}/account/friends`)
  await page.getByText('A parent manages friend requests for you until you’re 13.').waitFor()
  assert.equal(await page.getByLabel('Handle').count(), 0)
  await page.goto(`${address}/account/children`)
  await page.getByText('Child accounts are for adults to manage').waitFor()
  await page.goto(`${address}/account/data`)
  await page.getByText('Only a parent can delete your account. Ask them.').waitFor()
  await page.getByText(/^[\d.]+ \w+ of [\d.]+ \w+ used$/).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Delete account' }).count(), 0)
})

test('a parent answers an invitation to a child, and a member leaves an organisation', {
  skip: noChromium,
}, async (t) => {
  const ellis = await elsewhere('ellis')
  const invite = { organisation: 'northwind', handle: '@noa.okafor', role: 'member' }
  assert.equal((await call(ellis, 'POST', '/edu/v1/organisation/member', invite)).status, 200)
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Casey', '/account')
  await page.getByText('1 invitation to review').waitFor()
  await page.goto(`${address}/account/children/@noa.okafor`)
  await page.getByText('Noa Okafor: Northwind Training, as Member').waitFor()
  await page.getByText('Its plugins can read data about your child:').waitFor()
  await look(page)
  await button(page, 'Decline the invitation to Northwind Training')
  await told(page, 'Invitation declined. The sender isn’t notified.')

  await page.goto(`${address}/account/invitations`)
  await page.getByText('No invitations').waitFor()
  await button(page, 'Leave Sandhills Aviation School')
  await dialog(page).getByText('You also leave its classes').waitFor()
  await look(page)
  await inDialog(page, 'Leave')
  await told(page, 'You left Sandhills Aviation School')
  await page.getByText('You’re not in any organisation').waitFor()
  assert.deepEqual(problems, [])
})

test('everything is downloaded, and the account is deleted for the handle and the password', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Casey', '/account/data')
  await page.getByLabel('Your password').fill('wrong')
  await button(page, 'Download')
  await page.getByText('The current password is wrong.').waitFor()
  await page.getByLabel('Your password').fill(PASSWORD)
  const started = page.waitForEvent('download')
  await button(page, 'Download')
  const kept = await started
  assert.equal(kept.suggestedFilename(), 'groundschool.zip')
  assert.equal(
    readFileSync(await kept.path())
      .subarray(0, 2)
      .toString(),
    'PK',
  )
  await button(page, 'Delete account')
  await dialog(page).getByLabel('Enter @casey to confirm').fill('@casey')
  await dialog(page).getByLabel('Your password').fill(PASSWORD)
  await look(page)
  await inDialog(page, 'Delete permanently')
  await page.getByText('Account deleted.').waitFor()
  assert.deepEqual(await app.sql(`select 1 from people where handle_key = 'casey'`), [])
  // Visitors who are not signed in are redirected from pages of the account to the sign-in page.
  await page.goto(`${address}/account/security`)
  await page.waitForURL(/\/account\/signin\?next=%2Faccount%2Fsecurity$/)
  assert.deepEqual(unexpected(problems), [])
})
