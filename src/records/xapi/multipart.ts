import { randomBytes } from 'node:crypto'
import { fail } from '../../kernel/errors.ts'

const MAX_HEAD_BYTES = 2048

/** A boundary has 1 to 70 of these characters, and may be quoted (RFC 2046 §5.1.1). */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'+./-]{1,70}))\s*(?:;|$)/i
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A part of a `multipart/mixed` body (RFC 2046 §5.1.3): its headers, with lower-case names, and its bytes. */
export interface MixedPart {
  readonly headers: ReadonlyMap<string, string>
  readonly content: Buffer
}

export const parseMixed = (body: Buffer, contentType: string, most: number): MixedPart[] =>
  // Some clients send an empty line before the first delimiter.
  splitParts(isAt(body, 0, '\r\n') ? body.subarray(2) : body, contentType, most).map(({ head, content }) => {
    const headers = new Map<string, string>()
    for (const line of decode(head).split('\r\n')) {
      const [, name = '', value = ''] = /^([\w-]+):[ \t]*([^\r\n\0]*?)[ \t]*$/.exec(line) ?? []
      if (name === '' || headers.has(name.toLowerCase())) throw broken()
      headers.set(name.toLowerCase(), value)
    }
    return { headers, content }
  })

function splitParts(body: Buffer, contentType: string, most: number): { head: Buffer; content: Buffer }[] {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw fail('badRequest', 'The boundary in Content-Type is missing or not valid')
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  const parts: { head: Buffer; content: Buffer }[] = []
  // The first delimiter is at the very start of the body, so no line break precedes it.
  if (!body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2))) throw broken()
  let at = delimiter.length - 2
  while (!isEnd(body, at)) {
    if (parts.length === most) throw fail('badRequest', `The body has more than ${most} parts`)
    if (!isAt(body, at, '\r\n')) throw broken()
    const end = body.indexOf(delimiter, at)
    const headEnd = body.indexOf('\r\n\r\n', at)
    if (end < 0 || headEnd < 0 || headEnd + 4 > end || headEnd - at > MAX_HEAD_BYTES) throw broken()
    parts.push({ head: body.subarray(at + 2, headEnd), content: body.subarray(headEnd + 4, end) })
    at = end + delimiter.length
  }
  return parts
}

const broken = () => fail('badRequest', 'The multipart body is incomplete or malformed; send it again')

const isAt = (body: Buffer, at: number, text: string): boolean =>
  body.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'))

/** Whether the delimiter that ends at `at` is the last one: two dashes and at most one line break follow it. */
function isEnd(body: Buffer, at: number): boolean {
  if (!isAt(body, at, '--')) return false
  const rest = body.length - at - 2
  if (rest > 0 && !(rest === 2 && isAt(body, at + 2, '\r\n'))) throw broken()
  return true
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw fail('badRequest', 'The body is not valid UTF-8')
  }
}

/** Writes a `multipart/mixed` body (RFC 2046 §5.1.3). */
export function writeMixed(parts: readonly { headers: Readonly<Record<string, string>>; content: Buffer }[]): {
  readonly type: string
  readonly body: Buffer
} {
  // The boundary is random, so that nobody can send an attachment that contains it.
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
    // The boundary is not quoted, because quotes are optional here and some parsers treat them as part of the boundary.
    type: `multipart/mixed; boundary=${boundary}`,
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  }
}
