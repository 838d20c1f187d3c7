import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { PASSWORD, type RegisteredApp } from './testing.ts'

/** The web server of an app, which receives redirects. */
export interface Receiver {
  readonly port: number
  /** The paths, with their queries, to which browsers were redirected. */
  readonly visits: string[]
}

/** Starts the web server of an app. It shows a page, or redirects to the URL in the query parameter `to`. */
export async function startReceiver(t: TestContext, host = '127.0.0.1'): Promise<Receiver> {
  const visits: string[] = []
  const server = createServer((request, answer) => {
    visits.push(request.url!)
    const to = new URL(request.url!, 'http://app').searchParams.get('to')
    if (to !== null) return answer.writeHead(302, { location: to }).end()
    const page = `<!doctype html><html lang="en"><title>The app</title><link rel="icon" href="data:,"><h1>The app</h1></html>`
    answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { port: (server.address() as AddressInfo).port, visits }
}

/** Returns the URL to which an app sends a browser for signing in. The state is `xyz` by default. */
export const signInUrl = (
  address: string,
  { clientId }: RegisteredApp,
  { redirectUri, challenge, ...more }: { redirectUri: string; challenge: string; prompt?: string; state?: string },
): string => {
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state: 'xyz',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  }
  return `${address}/oauth/signin?${new URLSearchParams(query)}`
}

/** Fills in the sign-in form and submits it with the keyboard. */
export async function fillIn(page: Page, handle: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Handle').fill(handle)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
}

/** Signs a person in to the platform itself, on its sign-in page. */
export async function signInToAccount(page: Page, address: string, handle: string): Promise<void> {
  await page.goto(`${address}/account/signin?next=/device`)
  await fillIn(page, handle)
  await page.getByRole('heading', { name: 'Connect a device' }).waitFor()
}

/** Returns the text of the page's first heading. */
export const headingOf = (page: Page): Promise<string> => page.getByRole('heading', { level: 1 }).innerText()
