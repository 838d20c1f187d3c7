import { connect, type Socket } from 'node:net'

/** Sends raw bytes, for requests that no HTTP client would send. Resolves to everything that was received. */
export function sendRaw(address: string, bytes: string | Buffer, timeoutMs = 5_000): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = openRaw(address)
    const timer = setTimeout(() => socket.destroy(new Error(`No end of the answer within ${timeoutMs} ms`)), timeoutMs)
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      // A server that refuses a request early closes the connection while the client is still writing.
      if ((error.code === 'EPIPE' || error.code === 'ECONNRESET') && answer !== '') resolve(answer)
      else reject(error)
    })
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(answer)
    })
    socket.write(bytes)
  })
}

export function openRaw(address: string): Socket {
  const { hostname, port } = new URL(address)
  return connect(Number(port), hostname).setEncoding('utf8')
}

/** Builds a raw request with `connection: close`. */
export const rawRequest = (method: string, path: string, headers: readonly string[], body = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n`),
    Buffer.from(headers.map((header) => `${header}\r\n`).join(''), 'latin1'),
    Buffer.from(`content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`),
  ])

/** Parses the status, headers and body of a raw response. */
export function readRaw(answer: string) {
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    }),
  )
  const text = rest.join('\r\n\r\n')
  const isJson = headers.get('content-type')?.startsWith('application/json') && text !== ''
  const body = isJson ? JSON.parse(text) : undefined
  return { status: Number(first.split(' ')[1]), headers, text, body }
}
