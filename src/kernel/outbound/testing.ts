import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Lifetime {
  after(end: () => Promise<void> | void): void
}

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly path: string
}

export interface Receiver {
  readonly address: string
  /** The received requests, in order of arrival. */
  readonly received: Received[]
  /** Returns the number of connections opened so far. */
  connections(): number
}

type Respond = (response: ServerResponse, received: Received, request: IncomingMessage) => unknown

/** Starts a local server that receives requests from the platform. It responds with 204 by default. */
export async function openReceiver(
  t: Lifetime,
  respond: Respond = (response) => response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    // A request that is cut off midway is ignored.
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    const one = { headers: request.headers, body, path: request.url! }
    received.push(one)
    await respond(response, one, request)
  }).on('connection', () => connections++)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { address: `http://127.0.0.1:${port}`, received, connections: () => connections }
}

/** Self-signed certificate for plugin.example.org. Clients accept it only if configured to trust it. */
export const SELF_SIGNED = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgs/wKTktUIwSKn9xf
WZFxS7l6JBRR0aCE45iktChaPOahRANCAAS8xXleDRPCuTHjYUZeLy0vzqzOo49t
w68du2cPu7MC6fMnSnwn9m7I/qiYOoyjJP4ABNmE3PhpUmKvariU1vgq
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBsDCCAVagAwIBAgIUZiiHH/HB6YGbE/d+LQz8Hl2ybBEwCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwScGx1Z2luLmV4YW1wbGUub3JnMCAXDTI2MTExNjE4MjMyOFoY
DzIxMjYxMDIzMTgyMzI4WjAdMRswGQYDVQQDDBJwbHVnaW4uZXhhbXBsZS5vcmcw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS8xXleDRPCuTHjYUZeLy0vzqzOo49t
w68du2cPu7MC6fMnSnwn9m7I/qiYOoyjJP4ABNmE3PhpUmKvariU1vgqo3IwcDAd
BgNVHQ4EFgQU1A43YZELPCrpyLoGAmS4GI99Qn4wHwYDVR0jBBgwFoAU1A43YZEL
PCrpyLoGAmS4GI99Qn4wDwYDVR0TAQH/BAUwAwEB/zAdBgNVHREEFjAUghJwbHVn
aW4uZXhhbXBsZS5vcmcwCgYIKoZIzj0EAwIDSAAwRQIgAKtUye87DLgsxEvNfC5r
PqFAhBTmtJ3VpG2zEKXLlK4CIQDvzaK3od7ycv1vVzoSiDEzcY3yPtCWVsDv0w22
5vr/8g==
-----END CERTIFICATE-----
`,
}
