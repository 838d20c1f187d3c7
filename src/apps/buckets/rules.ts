import { fail } from '../../kernel/errors.ts'
import { type ExactNumber, isExactNumber, parseJson } from '../../kernel/json.ts'
import { BLOCK_BYTES } from '../apps/apps.ts'
import { MAX_USERS } from './schema.ts'

const MAX_DATA_BYTES = 1024 * 1024
const MAX_DEPTH = 64

type Json = null | boolean | number | ExactNumber | string | Json[] | { [key: string]: Json }
type Container = Json[] | { [key: string]: Json }

/**
 * Splits a key in dot notation into steps. Every step is a plain name, even `__proto__`; a dot cannot be escaped. The
 * empty key has no steps and stands for all of the data; an empty step (`a..b`, `.`) is refused.
 */
export function parseKey(key: string): string[] {
  if (key === '') return []
  const steps = key.split('.')
  if (steps.includes(''))
    throw fail('validationFailed', 'key has an empty step: names are separated by single dots, as in a.b')
  if (steps.length > MAX_DEPTH) throw fail('validationFailed', `key is more than ${MAX_DEPTH} levels deep`)
  return steps
}

/** Parses an array index, which consists of digits without leading zeros. */
const indexOf = (step: string): number | undefined => (/^(0|[1-9]\d{0,8})$/.test(step) ? Number(step) : undefined)

const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null && !isExactNumber(value)

function child(container: Container, step: string): Json | undefined {
  if (Array.isArray(container)) {
    const index = indexOf(step)
    return index === undefined ? undefined : container[index]
  }
  return Object.hasOwn(container, step) ? container[step] : undefined
}

/** Sets a property. It is defined and not assigned, because assigning to `__proto__` would set the prototype. */
const put = (container: { [key: string]: Json }, step: string, value: Json): void => {
  Object.defineProperty(container, step, { value, writable: true, enumerable: true, configurable: true })
}

/**
 * Returns the part at the steps, inside its nesting: `a.b` gives `{"a": {"b": …}}`. Undefined if there is no such part.
 */
export function narrow(data: Json, steps: readonly string[]): Json | undefined {
  let value: Json | undefined = data
  for (const step of steps) {
    if (!isContainer(value)) return undefined
    value = child(value, step)
    if (value === undefined) return undefined
  }
  return steps.reduceRight<Json>((inner, step) => {
    const outer = {}
    put(outer, step, inner)
    return outer
  }, value as Json)
}

/**
 * Sets the value at the steps and returns the new data; the given data may be modified. Missing or null containers on
 * the path become objects. A text, number or boolean on the path is refused, because writing below it would overwrite
 * it. In an array, an index may be at most the array's length.
 */
export function setAt(data: Json, steps: readonly string[], value: Json): Json {
  if (steps.length === 0) return value
  const root: Json = data === null ? {} : data
  let container: Json = root
  for (const [depth, step] of steps.entries()) {
    if (!isContainer(container))
      throw fail('validationFailed', `${nameOf(steps, depth)} is not an object or array; set its value instead`)
    const isLast = depth === steps.length - 1
    const existing: Json | undefined = child(container, step)
    const next: Json = isLast ? value : (existing ?? {})
    if (isLast || next !== existing) place(container, step, next, nameOf(steps, depth))
    container = next
  }
  return root
}

const nameOf = (steps: readonly string[], depth: number): string =>
  depth === 0 ? 'The data' : steps.slice(0, depth).join('.')

function place(container: Container, step: string, value: Json, name: string): void {
  if (!Array.isArray(container)) {
    put(container, step, value)
    return
  }
  const index = indexOf(step)
  if (index === undefined || index > container.length)
    throw fail(
      'validationFailed',
      `${name} is an array of ${container.length}; the next step must be an index from 0 to ${container.length}`,
    )
  container[index] = value
}

/** Counts the levels of nested objects and arrays; a plain value has none. */
function depthOf(value: Json): number {
  if (!isContainer(value)) return 0
  let deepest = 0
  for (const member of Object.values(value)) deepest = Math.max(deepest, depthOf(member))
  return deepest + 1
}

export interface SizedText {
  readonly text: string
  readonly blocks: number
}

/** Returns the text to store and the number of blocks to charge. Refuses data that is too deep or too large. */
export function sizeUp(data: Json): SizedText {
  if (depthOf(data) > MAX_DEPTH) throw fail('validationFailed', `The data would be more than ${MAX_DEPTH} levels deep`)
  const text = JSON.stringify(data)
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_DATA_BYTES)
    throw fail('storageFull', `The data would take ${bytes} bytes; a bucket can have at most ${MAX_DATA_BYTES}`)
  return { text, blocks: Math.max(1, Math.ceil(bytes / BLOCK_BYTES)) }
}

export const parseData = (text: string): Json => parseJson(text) as Json

/** Casts a value that comes from the strict JSON parser. */
export const asJson = (value: unknown): Json => value as Json

/**
 * Throws if the header `If-Match` does not match the version. The header is `*` or a list of versions as ETags. `*` and
 * a missing header match any version.
 */
export function checkVersion(ifMatch: string | undefined, version: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const versions = ifMatch.split(',').map((tag) => tag.trim().replace(/^(?:W\/)?"(.*)"$/, '$1'))
  if (!versions.includes(String(version)))
    throw fail('conflict', `The bucket has changed: it is at version ${version}; read it again before you write`)
}

export function checkUserCount(users: readonly string[]): void {
  if (users.length > MAX_USERS) throw fail('validationFailed', `A bucket can have at most ${MAX_USERS} members`)
}

/**
 * Returns the members without this user. Refuses to remove the last member, because nobody could access the bucket any
 * more.
 */
export function withoutUser(users: readonly string[], user: string): string[] {
  const others = users.filter((one) => one !== user)
  if (others.length === 0)
    throw fail('impossibleNow', 'The last member of a bucket cannot be removed; delete the bucket instead')
  return others
}
