import { fail } from '../errors.ts'
import { endOfString, mayRepeatKey } from './json-keys.ts'

/** Deeper than any operation needs (a bucket holds 64 levels); anything deeper is refused before it is parsed. */
const MAX_DEPTH = 100

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads JSON as strictly as RFC 7493 (I-JSON): what two parsers could read differently, or what cannot be kept as it was
 * sent, is refused with its reason. No body at all is `undefined`.
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
  checkEscapes(text)
  if (mayRepeatKey(text, members) && countMembers(value) !== members)
    throw fail('validationFailed', 'The JSON body has an object with the same key twice')
  return value
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body)
  } catch {
    throw fail('badRequest', 'The body is not valid UTF-8')
  }
}

/** One pass over the text, without recursion: bounds the depth, checks numbers, and counts the members of all objects. */
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

/** A short number without an exponent is kept as it is; only others are looked at closely. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1
  let isPlain = true
  for (; end < text.length; end++) {
    const c = text.charCodeAt(end)
    if ((c >= 48 && c <= 57) || c === 46 /* . */) continue
    if (c !== 101 /* e */ && c !== 69 /* E */ && c !== 43 /* + */ && c !== 45 /* - */) break
    isPlain = false
  }
  if (!isPlain || end - start > 15) checkNumber(text.slice(start, end))
  return end - 1
}

const ZERO = /^[0.]*(?:[eE]|$)/

/** A number is kept as a double. What would come back as another number is refused. */
function checkNumber(literal: string): void {
  if (literal.length > 15) checkDigits(literal)
  const value = Number(literal)
  if (value === 0 && !ZERO.test(literal))
    throw fail('validationFailed', 'The JSON body has a number that is too close to 0')
  if (value === Number.POSITIVE_INFINITY) throw fail('validationFailed', 'The JSON body has a number that is too large')
}

/** A double has 17 digits at the most. */
function checkDigits(literal: string): void {
  // Past 2^53 most whole numbers would come back as another one. Those that do not are how we write large numbers ourselves.
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
}

const hasNul = () => fail('validationFailed', 'A text has the character U+0000')
const hasHalf = () => fail('validationFailed', 'A text has half of a surrogate pair')

/** PostgreSQL keeps neither NUL nor half of a surrogate pair. */
export function checkText(text: string): void {
  if (text.includes('\0')) throw hasNul()
  if (!text.isWellFormed()) throw hasHalf()
}

/** The same for all texts of valid JSON: since its bytes were UTF-8, only an escape can spell what cannot be kept. */
function checkEscapes(json: string): void {
  for (let at = json.indexOf('\\'); at >= 0; at = json.indexOf('\\', at)) {
    const unit = readEscape(json, at)
    if (unit === 0) throw hasNul()
    if (unit < 0xd800 || unit > 0xdfff) {
      at += 2
      continue
    }
    const next = readEscape(json, at + 6)
    if (unit > 0xdbff || next < 0xdc00 || next > 0xdfff) throw hasHalf()
    at += 12
  }
}

/** What `\uXXXX` stands for; -1 for anything else. */
const readEscape = (json: string, at: number): number =>
  json.startsWith('\\u', at) ? Number.parseInt(json.slice(at + 2, at + 6), 16) : -1

/** The members that survived parsing: fewer than were written means that a key was given twice. */
function countMembers(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  let members = 0
  if (Array.isArray(value)) {
    for (const element of value) members += countMembers(element)
    return members
  }
  const keys = Object.keys(value)
  for (const key of keys) members += countMembers((value as Record<string, unknown>)[key])
  return members + keys.length
}
