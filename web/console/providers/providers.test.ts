import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { recordFailure } from '../../../src/apps/providers/problems.ts'
import { startDns } from '../../../src/apps/providers/testing-dns.ts'
import { startLiar } from '../../../src/apps/providers/testing-liar.ts'
import { readText, run } from '../../../src/kernel/imports/testing.ts'
import { collectProblems, noChromium, openChromium } from '../../../src/operations/testing/chromium.ts'
import { sharedApp } from '../../../src/operations/testing/testing.ts'
import { enterAs, look } from '../../testing.ts'

const dns = await startDns({ after })
const app = await sharedApp({ RATE_ADDRESS_BURST: '100000', DNS_SERVERS: dns.address })
const address = app.environment().url
await run(app, JSON.parse(readText('demo/demo.json')))

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
/** Pretends that the provider was tested. */
const markTested = () => app.sql('update providers set tested_version = version, tested_at = now()')

test('an owner connects a provider, proves a domain and enforces it', { skip: noChromium }, async (t) => {
  const liar = await startLiar(t)
  const page = await openChromium(t)
  await enterAs(page, address, 'Ellis', '/console/organisations/sandhills')
  await page.getByRole('link', { name: 'Sign-in provider' }).click()
  await page.getByRole('heading', { name: 'Sign-in provider' }).waitFor()
  await page.getByText(`${address}/account/provider/sandhills/callback`).waitFor()
  await page.getByText('Not connected').waitFor()

  // All faults at once, and then the platform's own words.
  await button(page, 'Connect').click()
  for (const fault of ['Enter the address of your provider', 'Enter the client ID', 'Enter the client secret'])
    await page.getByText(fault, { exact: true }).waitFor()
  await look(page)
  await page.getByLabel('Issuer').fill(liar.issuer)
  await page.getByLabel('Client ID').fill(liar.clientId)
  await page.getByRole('textbox', { name: 'Client secret' }).fill(liar.clientSecret)
  liar.lies = { configuration: (right) => ({ ...right, code_challenge_methods_supported: ['plain'] }) }
  await button(page, 'Connect').click()
  await page.getByText('The provider does not support PKCE with S256').waitFor()

  liar.lies = {}
  await button(page, 'Connect').click()
  await page.getByText('Provider connected').waitFor()
  await page.getByText('Not tested yet').waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Client secret' }).inputValue(), '')
  assert.match(
    String(await page.getByRole('link', { name: 'Test with my account' }).getAttribute('href')),
    /^\/account\/provider\/test\?organisation=sandhills$/,
  )

  await page.getByLabel('E-mail domain').fill('Sandhills.example')
  await button(page, 'Add domain').click()
  const domain = page.getByRole('region', { name: 'sandhills.example' })
  await domain.getByText('Not proven yet').waitFor()
  await domain.getByText('_groundschool.sandhills.example').waitFor()
  await look(page)
  await button(page, 'Look now for the record of sandhills.example').click()
  await domain.getByText('there is no TXT record').waitFor()
  const value = await domain.getByText('groundschool-domain=', { exact: false }).last().innerText()
  dns.names.set('_groundschool.sandhills.example', { TXT: [value] })
  await button(page, 'Look now for the record of sandhills.example').click()
  await page.getByText('sandhills.example proven').waitFor()
  await domain.getByText('Proven', { exact: true }).waitFor()

  await page.getByText('Test the provider first.').waitFor()
  await markTested()
  await page.reload()
  await page.getByText('Last test passed').waitFor()
  await page.getByRole('radio', { name: 'Enforced' }).check()
  const mode = page.getByRole('radiogroup', { name: 'Sign-in with the provider' }).locator('xpath=ancestor::form')
  await mode.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Choose at least one owner', { exact: true }).waitFor()
  await page.getByRole('checkbox', { name: /@ellis/ }).check()
  await look(page)
  await mode.getByRole('button', { name: 'Save' }).click()
  const asked = page.getByRole('dialog', { name: 'Enforce the provider?' })
  await asked.getByText('@ellis').waitFor()
  await look(page)
  await asked.getByRole('button', { name: 'Enforce' }).click()
  await page.getByText('Sign-in provider: Enforced').waitFor()
  await page.getByText(`${address}/account/provider?organisation=sandhills`).waitFor()
  const [row] = await app.sql('select mode from providers')
  assert.equal(row!.mode, 'enforced')
})

test('an owner lets groups give roles, reads failures, and disconnects the provider, on a phone too', {
  skip: noChromium,
}, async (t) => {
  const { db, clock } = app.environment()
  const [found] = await app.sql(`select organisation_id::int as id from providers`)
  const who = { at: clock(), requestId: 'test', address: '127.0.0.1' }
  const reference = await recordFailure(db, who, {
    organisationId: Number(found!.id),
    problem: 'The ID token is for another client',
    claim: 'aud',
    found: 'x'.repeat(300),
    expected: 'groundschool',
  })
  const page = await openChromium(t, { viewport: { width: 360, height: 740 } })
  const problems = collectProblems(page)
  await enterAs(page, address, 'Ellis', '/console/organisations/sandhills/provider')
  await page.getByText(reference).waitFor()
  await page.getByText('Claim: aud').waitFor()
  await look(page)
  await page.getByLabel('Claim', { exact: true }).fill('groups')
  await button(page, 'Add group').click()
  const groups = page.getByLabel('Claim', { exact: true }).locator('xpath=ancestor::form')
  await groups.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Enter the name of the group').waitFor()
  await page.getByLabel('Group 1', { exact: true }).fill('Flight instructors')
  await look(page)
  await groups.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Roles saved').waitFor()
  const [row] = await app.sql('select groups_claim, group_roles from providers')
  assert.deepEqual(row, { groups_claim: 'groups', group_roles: [{ group: 'Flight instructors', role: 'instructor' }] })

  await button(page, 'Disconnect').click()
  const asked = page.getByRole('dialog', { name: 'Disconnect the provider?' })
  await asked.getByText('The domains stay').waitFor()
  await asked.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('Provider disconnected').waitFor()
  await page.getByText('Not connected').waitFor()
  await page.getByRole('region', { name: 'sandhills.example' }).getByText('Proven', { exact: true }).waitFor()
  assert.deepEqual(problems, [])
})
