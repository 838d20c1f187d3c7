import type { Version } from './statement.ts'
import { isIri, isLanguageTag } from './syntax.ts'

/** What is wrong with a statement: where (RFC 6901), by which requirement, and the end of a sentence "… must …". */
export type Fault = { pointer: string; rule: string; must: string }

export type Json = Record<string, unknown>
export type Check = (value: unknown, faults: Faults) => void
/** The properties of a kind of object, and how each is checked. */
export type Shape = ReadonlyMap<string, Check>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The faults found so far, and the place that is being looked at. Pointers are written only for faults. */
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

  /** `below` names a property of the place that is being looked at. */
  add(rule: string, must: string, ...below: (string | number)[]): void {
    if (this.full) return
    const pointer = [...this.#path, ...below].map((part) => `/${escapePart(part)}`).join('')
    this.list.push({ pointer, rule, must })
  }

  /** Checks a value one level below. Null is refused wherever it stands: only extensions may hold it, and they are not looked into. */
  check(at: string | number, value: unknown, check: Check): void {
    this.#path.push(at)
    if (value === null) this.add('XAPI-00001', 'not be null: leave the property out')
    else check(value, this)
    this.#path.pop()
  }
}

/** Keys are the sender's, of any length: what an answer repeats of them is bounded. */
const escapePart = (part: string | number): string =>
  String(part).slice(0, 200).replaceAll('~', '~0').replaceAll('/', '~1')

/** An object with these properties and no others. `what` names it in a sentence. */
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

/** An array, each element checked. */
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

/** Text of a form. */
export const text =
  (rule: string, must = 'be text', is?: (text: string) => boolean): Check =>
  (value, faults) => {
    if (typeof value !== 'string' || (is && !is(value))) faults.add(rule, must)
  }

export const iri = (rule: string): Check =>
  text(rule, 'be an IRI with its scheme, such as "https://example.com/x"', isIri)

/** One of a few words, in their exact case. */
export const word = (rule: string, ...words: string[]): Check =>
  text(rule, `be ${words.map((one) => `"${one}"`).join(' or ')}`, (value) => words.includes(value))

export const boolean =
  (rule: string): Check =>
  (value, faults) => {
    if (typeof value !== 'boolean') faults.add(rule, 'be true or false')
  }

const languageText = text('XAPI-00006', 'be text')

/** Keys are language tags, values text. */
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

/** Keys are IRIs; values are anything, null as well, and nobody looks at them (xAPI-Data 4.1). */
export const extensions =
  (rule: string): Check =>
  (value, faults) => {
    if (!isObject(value)) return faults.add(rule, 'be an object whose keys are IRIs')
    for (const key in value) {
      if (faults.full) return
      if (!isIri(key)) faults.add('XAPI-00118', 'be under an IRI with its scheme, such as "https://example.com/x"', key)
    }
  }

/** Properties that have to be there; null was reported already. */
export function checkPresent(value: Json, faults: Faults, present: Readonly<Record<string, string>>): void {
  for (const key in present) if (value[key] === undefined) faults.add(present[key]!, 'be given', key)
}
