/** The pages of a sign-in with a provider, in a real browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectProblems, noChromium, openChromium } from '../../operations/testing/chromium.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { PASSWORD } from '../account/testing.ts'
import { startProvider } from './testing.ts'
import { addOrganisation, connectProvider, giveAddress, listConnected, WITH_PROVIDERS } from './testing-connected.ts'

for (const javaScriptEnabled of [false, true])
  test(`people sign in at their organisation, ${javaScriptEnabled ? 'with' : 'without'} scripts`, {
    skip: noChromium,
  }, async (t) => {
    const app = await testApp(t, WITH_PROVIDERS)
    const { url } = app.environment()
    const provider = await startProvider(t, {
      redirectUris: [`${url}/account/provider/school/callback`],
      accounts: { avery: { email: 'avery@school.example', email_verified: true } },
    })
    await addOrganisation(app, 'school', { casey: 'owner', avery: 'member' })
    await giveAddress(app, 'avery', 'avery@school.example')
    await app.givePassword('avery')
    await connectProvider(app, 'school', provider, { domains: ['school.example'] })
    const page = await openChromium(t, { javaScriptEnabled })
    const problems = collectProblems(page)
    const atProvider = async () => {
      await page.waitForURL(`${provider.issuer}/**`)
      await page.locator('[name=login]').fill('avery')
      await page.locator('[name=password]').fill('any')
      await page.locator('[type=submit]').click()
      await page.locator('[type=submit]').click()
    }
    await page.goto(`${url}/account/signin?next=/account/apps`)
    await page.getByLabel('Handle or e-mail address').fill('avery@school.example')
    await page.getByRole('button', { name: 'Sign in with your organisation' }).click()
    await atProvider()
    await page.getByRole('heading', { level: 1, name: 'What your apps can do' }).waitFor()
    assert.deepEqual(await listConnected(app, 'school'), ['avery @avery'])
    // A right password leads there too, once the provider is enforced.
    await app.sql(`update providers set mode = 'enforced'; delete from provider_identities`)
    await app.givePassword('avery')
    await page.context().clearCookies()
    await page.goto(`${url}/account/signin?next=/account/apps`)
    await page.getByLabel('Handle or e-mail address').fill('@avery')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('requires its people to sign in at').waitFor()
    await page.getByRole('button', { name: 'Continue to' }).click()
    await atProvider()
    await page.getByRole('heading', { level: 1, name: 'What your apps can do' }).waitFor()
    assert.deepEqual(await listConnected(app, 'school'), ['avery @avery'])
    // The login page of the provider asks for a font, and has no icon.
    assert.deepEqual(
      problems.filter((one) => !one.startsWith('https://fonts.googleapis.com/') && !one.startsWith(provider.issuer)),
      [],
    )
  })
