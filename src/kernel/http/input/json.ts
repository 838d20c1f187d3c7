import { fail } from '../../errors.ts'

/** Maximum nesting depth. JSON that is nested deeper is refused before it is parsed. A bucket may have 64 levels. */
const MAX_DEPTH = 100

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses JSON as strictly as RFC 7493 (I-JSON) requires: it refuses, with the reason, everything that two parsers could
 * read differently or that cannot be stored exactly. An empty body gives `undefined`.
 */
export function parseStrictJson(body: Buffer): unknown {
  if (body.length === 0) return undefined
  const text = decode(body)
  if (/^[ \t\r\n]*$/.test(text)) return undefined
  const members = scan(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw fail('badRequest', 'The body is not valid JSON')
  }
  if (inspect(value) !== members) throw fail('validationFailed', 'The JSON body has an object with the same key twice')
  return value
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body)
  } catch {
    throw fail('badRequest', 'The body is not valid UTF-8')
  }
}

/**
 * Scans the text once, without recursion: limits the depth, checks numbers, and returns the number of members of all
 * objects.
 */
function scan(text: string): number {
  let depth = 0
  let members = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 34 /* " */) {
      i = endOfString(text, i)
    } else if (c === 123 /* { */ || c === 91 /* [ */) {
      if (++depth > MAX_DEPTH)
        throw fail('validationFailed', `The JSON body is nested more than ${MAX_DEPTH} levels deep`)
    } else if (c === 125 /* } */ || c === 93 /* ] */) {
      depth--
    } else if (c === 58 /* : */) {
      members++
    } else if (c >= 48 && c <= 57) {
      i = endOfNumber(text, i)
    }
  }
  return members
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end > 0) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === 92) backslashes++
    if (backslashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  throw fail('badRequest', 'The body is not valid JSON')
}

const NUMBER = /[\d.eE+-]*/y

function endOfNumber(text: string, start: number): number {
  NUMBER.lastIndex = start
  const literal = NUMBER.exec(text)?.[0] ?? ''
  if (literal.length > 15 || literal.includes('-')) checkNumber(literal)
  return start + Math.max(literal.length, 1) - 1
}

/**
 * Refuses a number that would be returned as a different number: numbers are stored as doubles, which have up to 17
 * digits.
 */
function checkNumber(literal: string): void {
  // Beyond 2^53 most integers cannot be represented exactly. Those that can be converted back to the same text are
  // accepted, because our own responses contain such numbers.
  if (/^\d+$/.test(literal)) {
    if (String(Number(literal)) === literal) return
    throw fail('validationFailed', 'The JSON body has a whole number beyond 2^53; send it as text')
  }
  const digits = literal
    .replace(/[eE].*$/, '')
    .replace('.', '')
    .replace(/^0+|0+$/g, '')
  if (digits.length > 17)
    throw fail('validationFailed', 'The JSON body has a number with more than 17 digits; send it as text')
  if (digits !== '' && Number(literal) === 0)
    throw fail('validationFailed', 'The JSON body has a number that is too close to 0')
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
  if (text.includes('\0')) throw fail('validationFailed', 'A text contains the character U+0000; leave it out')
  if (!text.isWellFormed())
    throw fail('validationFailed', 'A text contains half of a surrogate pair; send valid Unicode')
}
