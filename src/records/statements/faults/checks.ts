import { isIri, isLanguageTag } from '../model/forms.ts'
import type { Fault, Version } from '../model/statement.ts'

export type Json = Record<string, unknown>
export type Check = (value: unknown, faults: Faults) => void
/** The properties that an object may have, each with its check. */
export type Shape = ReadonlyMap<string, Check>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Collects faults, and tracks the path of the value being checked. Pointers are built only for faults, so valid input
 * costs little.
 */
export class Faults {
  readonly list: Fault[] = []
  readonly version: Version
  readonly #most: number
  readonly #path: (string | number)[] = []

  constructor(version: Version, most: number) {
    this.version = version
    this.#most = most
  }

  get full(): boolean {
    return this.list.length >= this.#most
  }

  /** Adds a fault of the current value, or of the value at the path `below` it. */
  add(rule: string, must: string, ...below: (string | number)[]): void {
    if (this.full) return
    const pointer = [...this.#path, ...below].map((part) => `/${escapePart(part)}`).join('')
    this.list.push({ pointer, rule, must })
  }

  /**
   * Checks a property. Null is always a fault here: only extensions may contain null, and their values are not checked.
   */
  check(at: string | number, value: unknown, check: Check): void {
    this.#path.push(at)
    if (value === null) this.add('XAPI-00001', 'not be null: leave out the property')
    else check(value, this)
    this.#path.pop()
  }
}

/**
 * Escapes a part of a JSON pointer. A key is truncated to 200 characters, because senders choose keys and could make
 * them huge.
 */
const escapePart = (part: string | number): string =>
  String(part).slice(0, 200).replaceAll('~', '~0').replaceAll('/', '~1')

/**
 * Checks that a value is an object with no properties other than these, and checks each property. `what` names the
 * object in messages.
 */
export function checkShape(
  value: unknown,
  faults: Faults,
  rule: string,
  what: string,
  shape: Shape,
  unknown = 'XAPI-00010',
): value is Json {
  if (!isObject(value)) {
    faults.add(rule, `be an object: ${what}`)
    return false
  }
  for (const key in value) {
    const check = shape.get(key)
    if (check) faults.check(key, value[key], check)
    else if (faults.full) break
    else faults.add(unknown, `be left out: ${what} has no such property (case matters)`, key)
  }
  return true
}

/** Checks that a value is an array, and checks each element. */
export function checkArray(
  value: unknown,
  faults: Faults,
  rule: string,
  what: string,
  check: Check,
): value is unknown[] {
  if (!Array.isArray(value)) {
    faults.add(rule, `be an array of ${what}`)
    return false
  }
  for (let i = 0; i < value.length && !faults.full; i++) faults.check(i, value[i], check)
  return true
}

export const array =
  (rule: string, what: string, check: Check): Check =>
  (value, faults) =>
    void checkArray(value, faults, rule, what, check)

/** Makes a check for text, optionally of a certain form. */
export const text =
  (rule: string, must = 'be a string', is?: (text: string) => boolean): Check =>
  (value, faults) => {
    if (typeof value !== 'string' || (is && !is(value))) faults.add(rule, must)
  }

export const iri = (rule: string): Check =>
  text(rule, 'be an IRI with its scheme, such as "https://example.com/x"', isIri)

/** Makes a check for one of a few words, which are case-sensitive. */
export const word = (rule: string, ...words: string[]): Check =>
  text(rule, `be ${words.map((one) => `"${one}"`).join(' or ')}`, (value) => words.includes(value))

export const boolean =
  (rule: string): Check =>
  (value, faults) => {
    if (typeof value !== 'boolean') faults.add(rule, 'be true or false')
  }

const languageText = text('XAPI-00006', 'be a string')

/** Makes a check for a language map: keys are language tags, values are text. */
export const languageMap =
  (rule: string): Check =>
  (value, faults) => {
    if (!isObject(value)) return faults.add(rule, 'be a language map, such as {"en-US": "text"}')
    for (const tag in value) {
      if (faults.full) return
      if (!isLanguageTag(tag)) faults.add('XAPI-00121', 'be under a language tag by RFC 5646, such as "en-US"', tag)
      faults.check(tag, value[tag], languageText)
    }
  }

/**
 * Makes a check for extensions: keys must be IRIs; values may be any JSON, even null, and are not checked (xAPI-Data
 * 4.1).
 */
export const extensions =
  (rule: string): Check =>
  (value, faults) => {
    if (!isObject(value)) return faults.add(rule, 'be an object whose keys are IRIs')
    for (const key in value) {
      if (faults.full) return
      if (!isIri(key)) faults.add('XAPI-00118', 'be under an IRI with its scheme, such as "https://example.com/x"', key)
    }
  }

/**
 * Checks that required properties are present. Null counts as present, because it has already been reported as a fault.
 */
export function checkPresent(value: Json, faults: Faults, present: Readonly<Record<string, string>>): void {
  for (const key in present) if (value[key] === undefined) faults.add(present[key]!, 'be present', key)
}
