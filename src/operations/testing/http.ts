import { Agent, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

export interface HttpRequest {
  readonly method?: string
  readonly headers?: Headers | Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const agent = new Agent({ keepAlive: true })
/** The headers that `fetch` sends by default. */
const OWN_HEADERS = {
  accept: '*/*',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
  'accept-encoding': 'gzip, deflate',
}
const decoder = new TextDecoder()

/** Sends the same request as `fetch`, for half the processor time. It does not follow redirects. */
export async function sendRequest(
  url: string | URL,
  { method = 'GET', headers, body }: HttpRequest,
): Promise<HttpResponse> {
  const own: Record<string, string | number> = { ...OWN_HEADERS }
  if (typeof body === 'string') own['content-type'] = 'text/plain;charset=UTF-8'
  // Set explicitly, because Node would send the body of a DELETE request without a Content-Length.
  if (body !== undefined || method === 'POST' || method === 'PUT') own['content-length'] = Buffer.byteLength(body ?? '')
  for (const [name, value] of headers instanceof Headers ? headers : Object.entries(headers ?? {}))
    own[name.toLowerCase()] = value
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, headers: own, agent }, resolve).on('error', reject).end(body)
  }).catch((cause) => {
    throw new TypeError('fetch failed', { cause })
  })
  const bytes = await buffer(answer)
  const found = new Headers()
  const { rawHeaders } = answer
  for (let i = 0; i < rawHeaders.length; i += 2) found.append(rawHeaders[i]!, rawHeaders[i + 1]!)
  const text = decoder.decode(found.get('content-encoding') === 'gzip' ? gunzipSync(bytes) : bytes)
  return { status: answer.statusCode!, headers: found, text }
}
