import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

const hash = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()

/** The settings of a platform that uses the store, but for S3_URL. */
export const KEYS = { S3_ACCESS_KEY: 'KEY', S3_SECRET_KEY: 'secret-of-the-store', S3_REGION: 'eu-north-1' }

/** Checks a signature as the AWS documentation describes it, from the request alone. */
function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const { authorization = '', 'x-amz-date': date = '', 'x-amz-content-sha256': sha256 } = request.headers
  const [, day = '', names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=KEY\/(\d{8})\/eu-north-1\/s3\/aws4_request,SignedHeaders=([a-z0-9;-]+),Signature=(\w{64})$/.exec(
      authorization,
    ) ?? []
  const lines = names.split(';').map((name) => `${name}:${request.headers[name]}\n`)
  const canonical = `${request.method}\n${request.url}\n\n${lines.join('')}\n${names}\n${sha256}`
  const text = `AWS4-HMAC-SHA256\n${date}\n${day}/eu-north-1/s3/aws4_request\n${hash(canonical)}`
  let key = hmac(`AWS4${KEYS.S3_SECRET_KEY}`, day)
  for (const part of ['eu-north-1', 's3', 'aws4_request']) key = hmac(key, part)
  return (
    sha256 === hash(body) &&
    names.includes('host') &&
    String(date).startsWith(day) &&
    hmac(key, text).toString('hex') === signature
  )
}

/**
 * Starts a store that has one bucket and checks every signature. It answers the next requests with the statuses in
 * `failures`. `hook.before` runs before a request is carried out; if it returns true, it has answered it.
 */
export async function startBucket(t: { after(end: () => void): void }) {
  const objects = new Map<string, Buffer>()
  const log: string[] = []
  const failures: number[] = []
  const hook: { before?: ((method: string, response: ServerResponse) => unknown) | undefined } = {}
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request)
    const { method = '', url = '' } = request
    log.push(`${method} ${url.replace(/\w{64}$/, 'HASH')}`)
    const failure = failures.shift()
    if (failure !== undefined) return response.writeHead(failure).end()
    if (await hook.before?.(method, response)) return response
    if (!isSigned(request, body))
      return response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>')
    const found = objects.get(url)
    if (method === 'PUT') {
      objects.set(url, body)
      return response.end()
    }
    if (method === 'DELETE') return response.writeHead(objects.delete(url) ? 204 : 404).end()
    if (!found) return response.writeHead(404).end()
    if (method === 'HEAD') return response.writeHead(200, { 'content-length': found.length }).end()
    if (request.headers.range === undefined) return response.writeHead(200).end(found)
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    return response.writeHead(206).end(found.subarray(Number(start), Number(end) + 1))
  }
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket`, objects, log, failures, hook }
}
