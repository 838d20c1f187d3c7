/**
 * A JSON number that a double cannot hold exactly, such as 9007199254740993. It keeps its text, and `JSON.stringify`
 * writes it as it was sent. It is an object, so code that inspects JSON must ask `isExactNumber` before it looks for
 * members.
 */
export interface ExactNumber {
  readonly rawJSON: string
}

declare global {
  interface JSON {
    rawJSON(text: string): ExactNumber
    isRawJSON(value: unknown): value is ExactNumber
  }
}

export const isExactNumber = (value: unknown): value is ExactNumber => JSON.isRawJSON(value)

/** The result of one pass over JSON text, which need not be valid. */
interface Scan {
  /** The deepest level of nested arrays and objects. */
  readonly depth: number
  /** The number of members of all objects. */
  readonly members: number
  /** The start and end of each number that a double cannot hold exactly, one after the other. */
  readonly inexact: readonly number[]
}

/** Scans JSON text once, without recursion. */
export function scanJson(text: string): Scan {
  let depth = 0
  let deepest = 0
  let members = 0
  const inexact: number[] = []
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 34 /* " */) {
      i = endOfString(text, i)
      if (i < 0) break
    } else if (c === 123 /* { */ || c === 91 /* [ */) {
      if (++depth > deepest) deepest = depth
    } else if (c === 125 /* } */ || c === 93 /* ] */) {
      depth--
    } else if (c === 58 /* : */) {
      members++
    } else if (c >= 48 && c <= 57) {
      const start = text.charCodeAt(i - 1) === 45 /* - */ ? i - 1 : i
      const end = endOfNumber(text, i)
      if (isInexact(text, start, end)) inexact.push(start, end)
      i = end - 1
    }
  }
  return { depth: deepest, members, inexact }
}

/** Returns the index of the quote that ends the string at `start`, or -1 if none does. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end > 0) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === 92) backslashes++
    if (backslashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return -1
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1
  for (; end < text.length; end++) {
    const c = text.charCodeAt(end)
    const isPart = (c >= 48 && c <= 57) || c === 46 || c === 101 || c === 69 || c === 43 || c === 45
    if (!isPart) break
  }
  return end
}

/** A double holds any number of up to 15 digits, unless it is very close to 0. */
const SAFE_DIGITS = 15

function isInexact(text: string, start: number, end: number): boolean {
  const mayBeNegativeZero = text.charCodeAt(start) === 45 && text.charCodeAt(start + 1) === 48
  if (end - start <= SAFE_DIGITS && !mayBeNegativeZero && !hasMinus(text, start + 1, end)) return false
  const literal = text.slice(start, end)
  const double = Number(literal)
  // A number beyond the range of doubles is refused, not kept.
  if (!Number.isFinite(double)) return false
  // `JSON.stringify` writes -0 as 0.
  return Object.is(double, -0) || normaliseNumber(literal) !== normaliseNumber(String(double))
}

function hasMinus(text: string, from: number, end: number): boolean {
  for (let i = from; i < end; i++) if (text.charCodeAt(i) === 45) return true
  return false
}

/**
 * Writes a number as its significant digits and its exponent, so that equal numbers have equal texts: 1.50 and 15e-1
 * both give 15e1.
 */
export function normaliseNumber(literal: string): string {
  const sign = literal.startsWith('-') ? '-' : ''
  const [mantissa = '', exponent = '0'] = literal.slice(sign.length).split(/e/i)
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = whole + fraction
  // Loops, because a pattern for the zeros at the end takes quadratic time if there are many zeros in the middle.
  let first = 0
  while (digits.charCodeAt(first) === 48) first++
  let last = digits.length
  while (last > first && digits.charCodeAt(last - 1) === 48) last--
  if (first === last) return '0'
  return `${sign}${digits.slice(first, last)}e${Number(exponent) + whole.length - first}`
}

/** Documents that were parsed and have exact numbers somewhere inside. */
const withExactNumbers = new WeakSet<object>()

/** Whether a value from `parseJson` or `keepNumbers` contains exact numbers. */
export const hasExactNumbers = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (isExactNumber(value) || withExactNumbers.has(value))

/**
 * Parses valid JSON text and keeps the text of the numbers that `scanJson` has found inexact. These travel through
 * `JSON.parse` as strings that begin with U+0000, which no document of ours contains. A reviver would be simpler, but
 * makes parsing forty times slower, and a sender could make us use it for a megabyte of numbers.
 */
export function keepNumbers(text: string, inexact: Scan['inexact']): unknown {
  let marked = ''
  let from = 0
  const marks = new Set<string>()
  for (let i = 0; i < inexact.length; i += 2) {
    const [start, end] = [inexact[i]!, inexact[i + 1]!]
    const literal = text.slice(start, end)
    marks.add(`\0${literal}`)
    marked += `${text.slice(from, start)}"\\u0000${literal}"`
    from = end
  }
  const value = unmark(JSON.parse(marked + text.slice(from)), marks)
  if (typeof value === 'object' && value !== null) withExactNumbers.add(value)
  return value
}

function unmark(value: unknown, marks: ReadonlySet<string>): unknown {
  if (typeof value !== 'string') return changeMembers(value, (member) => unmark(member, marks))
  return value.charCodeAt(0) === 0 && marks.has(value) ? JSON.rawJSON(value.slice(1)) : value
}

/** Replaces the members of an array or object in place. */
function changeMembers(value: unknown, change: (member: unknown, name: string) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = change(value[i], '')
    return value
  }
  const object = value as Record<string, unknown>
  for (const name of Object.keys(object)) {
    const [before, after] = [object[name], change(object[name], name)]
    if (before !== after) object[name] = after
  }
  return value
}

/**
 * Parses JSON that the platform has stored, like `JSON.parse`, but keeps the text of numbers that a double cannot hold
 * exactly. For documents that are opaque to the platform and are given back as they were sent.
 */
export function parseJson(text: string): unknown {
  if (!mayBeInexact(text)) return JSON.parse(text)
  const { inexact } = scanJson(text)
  return inexact.length === 0 ? JSON.parse(text) : keepNumbers(text, inexact)
}

/**
 * Tells quickly that stored JSON, which has no white space, cannot contain an inexact number: one of more than 15
 * digits, a negative exponent of three digits, or -0.
 */
function mayBeInexact(text: string): boolean {
  // A run of more than SAFE_DIGITS characters includes one of these positions.
  for (let i = SAFE_DIGITS; i < text.length; i += SAFE_DIGITS + 1) {
    const c = text.charCodeAt(i)
    if (((c >= 48 && c <= 57) || c === 46) && hasLongRun(text, i)) return true
  }
  if ((text.includes('e-') || text.includes('E-')) && /\de-\d{3}/i.test(text)) return true
  return text.startsWith('-0') || text.includes(':-0') || text.includes(',-0') || text.includes('[-0')
}

/** Whether the digits around a position, with a decimal point among them, are more than SAFE_DIGITS characters. */
function hasLongRun(text: string, at: number): boolean {
  const isPart = (i: number) => {
    const c = text.charCodeAt(i)
    return (c >= 48 && c <= 57) || c === 46
  }
  let start = at
  let end = at + 1
  while (end - start <= SAFE_DIGITS && isPart(start - 1)) start--
  while (end - start <= SAFE_DIGITS && isPart(end)) end++
  return end - start > SAFE_DIGITS
}

/**
 * Rounds the exact numbers in a value to doubles, in place, except below members with one of these names, which are
 * opaque.
 */
export function roundNumbers(value: unknown, opaque: ReadonlySet<string> = NOTHING): unknown {
  if (isExactNumber(value)) return Number(value.rawJSON)
  return changeMembers(value, (member, name) => (opaque.has(name) ? member : roundNumbers(member, opaque)))
}

const NOTHING: ReadonlySet<string> = new Set()
