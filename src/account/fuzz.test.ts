import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, testApp } from '../testing.ts'
import { fuzzOperation } from '../testing-fuzz.ts'
import { accountOperations } from './routes.ts'
import { signInBrowser, UNLIMITED } from './testing.ts'

/** Sends the cookie of a browser along. */
class SignedInClient extends Client {
  cookie = ''
  override send(method: string, path: string, init: NonNullable<Parameters<Client['send']>[2]> = {}) {
    return super.send(method, path, { ...init, headers: { ...init.headers, cookie: this.cookie } })
  }
}

test('M5: whatever somebody who is signed in sends, the answer is one that the operation declares', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const client = new SignedInClient(app.address)
  const prepare = async () => {
    // What is guessed here is not to keep its own browser out.
    await app.sql('delete from sign_in_failures')
    const browser = await signInBrowser(app, 'avery')
    client.cookie = `gs_browser=${browser.cookies.get('gs_browser')}`
    await app.as('avery', 'first')
  }
  await prepare()
  const own = (await app.sql('select id from sessions')).map(({ id }) => String(id))
  const samples = { sessionId: own, browserId: own, clientId: ['gs-first', 'gs-second'], handle: ['avery', '@blake'] }
  for (const operation of accountOperations.filter(({ access }) => access === 'person'))
    await t.test(`${operation.method} ${operation.path}`, async () => {
      await fuzzOperation(operation, { clients: [client], samples, runs: 60, prepare })
      assert.doesNotMatch(app.log(), /not foreseen/)
    })
})
