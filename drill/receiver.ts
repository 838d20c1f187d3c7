import { once } from 'node:events'
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { createPlugin, type Distribution } from 'groundschool-sdk'

/** One arrival of an event. The same event may arrive several times, with the same id. */
export interface Delivery {
  readonly id: string
  readonly purpose: 'request' | 'distributions'
  readonly requestId: string
  /** Ids of the distributions, in the order of the list. */
  readonly distributions: readonly string[]
  /** The document as JSON, by which repeated events are compared. */
  readonly text: string
}

export interface ReceiverOptions {
  readonly host: string
  /** Chosen by the system if it is 0. */
  readonly port: number
  readonly clientId: string
  readonly secret: string
  /** Key and certificate in PEM, to serve https: outside of loopback, plugins must have https on a public address. */
  readonly tls?: { readonly key: string; readonly cert: string }
  /** The receiver stores every nth event, and then breaks the connection instead of answering: it arrives again. */
  readonly loseEvery: number
}

/** An ATO plugin that records every event. */
export interface Receiver {
  readonly port: number
  /** All arrivals, in order. */
  readonly deliveries: Delivery[]
  close(): Promise<void>
}

export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const deliveries: Delivery[] = []
  const seen = new Set<string>()
  const record = (
    purpose: Delivery['purpose'],
    document: { requestId: string; distributions: readonly Distribution[] },
    { id }: { id: string },
  ) => {
    const { requestId, distributions } = document
    const text = JSON.stringify(document)
    deliveries.push({ id, purpose, requestId, distributions: distributions.map((one) => one.id), text })
  }
  const plugin = createPlugin({
    clientId: options.clientId,
    secrets: options.secret,
    onRequestStarted: (request, delivery) => record('request', request, delivery),
    onDistributionsChanged: (change, delivery) => record('distributions', change, delivery),
  })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = request
    const { status, headers: own, body } = await plugin.handle({ method, path, headers, body: await buffer(request) })
    const id = String(headers['webhook-id'])
    const isFirst = status === 200 && !seen.has(id)
    if (isFirst) seen.add(id)
    if (isFirst && seen.size % options.loseEvery === 0) request.socket.destroy()
    else response.writeHead(status, own).end(body)
  }
  // A request that breaks off while it is read has not been recorded, and arrives again.
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void answer(request, response).catch(() => response.destroy())
  const server = options.tls ? createSecureServer(options.tls, listener) : createPlainServer(listener)
  server.listen(options.port, options.host)
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    deliveries,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
