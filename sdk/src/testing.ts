import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { type StartDocument, signWebhook } from './index.ts'

export const CLIENT_ID = 'gs-kit'
export const SECRET = 'first-secret'

export const START: StartDocument = {
  requestId: 'request-1',
  companyId: 'org-1',
  companyName: 'Northwind Träning',
  companyPhone: null,
  requestingUserFirstName: 'Drew',
  requestingUserLastName: 'Castellanos',
  requestingUserEmail: 'drew@example.org',
  appName: 'Demo app',
  packageName: 'Preflight',
  reportUri: 'https://platform.example.org/request-1',
  status: 'not-started',
  completed: false,
  cancellable: true,
  distributions: [],
}

export async function listen(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export const basic = (secret = SECRET, clientId = CLIENT_ID): string =>
  `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`

/** Returns the headers that the platform sends with an event. */
export function signed(
  body: string,
  { secrets = [SECRET], id = 'event-1', timestamp = Math.floor(Date.now() / 1000) } = {},
): Record<string, string> {
  return {
    authorization: basic(secrets[0]),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => signWebhook(secret, { id, timestamp, body })).join(' '),
  }
}

export async function send(
  address: string,
  body: string | Buffer<ArrayBuffer>,
  headers: Record<string, string>,
  method = 'POST',
): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> {
  const response = await fetch(address, {
    method,
    ...(method === 'GET' ? {} : { body }),
    headers: { 'content-type': 'application/json', ...headers },
  })
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}
