import { fail } from '../../errors.ts'
import { keepNumbers, scanJson } from '../../json.ts'

/** Maximum nesting depth. JSON that is nested deeper is refused before it is parsed. A bucket may have 64 levels. */
const MAX_DEPTH = 100

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses JSON as strictly as RFC 7493 (I-JSON) requires, except for numbers: it refuses, with the reason, what two
 * parsers could read differently or what cannot be stored. A number that a double cannot hold exactly becomes an
 * `ExactNumber`. An empty body gives `undefined`.
 */
export function parseStrictJson(body: Buffer): unknown {
  if (body.length === 0) return undefined
  const text = decodeJson(body)
  if (/^[ \t\r\n]*$/.test(text)) return undefined
  const { depth, members, inexact } = scanJson(text)
  if (depth > MAX_DEPTH) throw fail('validationFailed', `The JSON body is nested more than ${MAX_DEPTH} levels deep`)
  const value = parseValidJson(text)
  if (inspect(value) !== members) throw fail('validationFailed', 'The JSON body has an object with the same key twice')
  return inexact.length === 0 ? value : keepNumbers(text, inexact)
}

/** Parses JSON text, and refuses text that is not valid JSON. */
export function parseValidJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw fail('badRequest', 'The body is not valid JSON')
  }
}

/** Decodes the bytes of JSON text. */
export function decodeJson(body: Buffer): string {
  try {
    return utf8.decode(body)
  } catch {
    throw fail('badRequest', 'The body is not valid UTF-8')
  }
}

/**
 * Refuses values that cannot be stored. Returns the number of members after parsing: if it is lower than in the text, a
 * key was repeated.
 */
function inspect(value: unknown): number {
  if (typeof value === 'string') {
    checkText(value)
    return 0
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw fail('validationFailed', 'The JSON body has a number that is too large')
    return 0
  }
  if (value === null || typeof value !== 'object') return 0
  let members = 0
  if (Array.isArray(value)) {
    for (const element of value) members += inspect(element)
    return members
  }
  for (const [key, member] of Object.entries(value)) {
    checkText(key)
    members += 1 + inspect(member)
  }
  return members
}

/** Refuses text that PostgreSQL cannot store: NUL characters and halves of surrogate pairs. */
export function checkText(text: string): void {
  if (text.includes('\0')) throw fail('validationFailed', 'A string contains the character U+0000; leave it out')
  if (!text.isWellFormed())
    throw fail('validationFailed', 'A string contains half of a surrogate pair; send valid Unicode')
}
