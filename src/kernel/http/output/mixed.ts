import { randomBytes } from 'node:crypto'

interface Part {
  readonly headers: Readonly<Record<string, string>>
  readonly content: Buffer
}

/** Writes `multipart/mixed` (RFC 2046 §5.1.3). */
export function writeMixed(parts: readonly Part[]): { readonly type: string; readonly body: Buffer } {
  // Random, so that no part can contain it on purpose.
  const boundary = randomBytes(18).toString('base64url')
  const pieces = parts.flatMap(({ headers, content }) => [
    Buffer.from(
      `--${boundary}\r\n${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
    ),
    content,
    Buffer.from('\r\n'),
  ])
  return {
    // Without quotes, which are optional here: some parsers take them as part of the boundary.
    type: `multipart/mixed; boundary=${boundary}`,
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  }
}
