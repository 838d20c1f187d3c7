/**
 * A second, deliberately simple implementation of the documented key rules, for tests. It shares no code with
 * `rules.ts`. Objects are Maps here, so that names such as `__proto__` have no special meaning.
 */
export type Tree = null | boolean | number | string | Tree[] | Map<string, Tree>

export type Refusal = { status: 400; code: number }
export const isRefusal = (outcome: Tree | Refusal): outcome is Refusal =>
  typeof outcome === 'object' && outcome !== null && 'status' in outcome

const INVALID: Refusal = { status: 400, code: 4003 }

export function toTree(value: unknown): Tree {
  if (Array.isArray(value)) return value.map(toTree)
  if (typeof value === 'object' && value !== null)
    return new Map(Object.entries(value).map(([name, member]) => [name, toTree(member)]))
  return value as Tree
}

/** Returns canonical JSON text: equal data gives equal text, whatever the order of its keys. */
export function toText(tree: Tree): string {
  if (Array.isArray(tree)) return `[${tree.map(toText).join()}]`
  if (!(tree instanceof Map)) return JSON.stringify(tree)
  const members = [...tree].map(([name, member]) => `${JSON.stringify(name)}:${toText(member)}`)
  return `{${members.sort().join()}}`
}

const copy = (tree: Tree): Tree => {
  if (Array.isArray(tree)) return tree.map(copy)
  return tree instanceof Map ? new Map([...tree].map(([name, member]) => [name, copy(member)])) : tree
}

export function depth(tree: Tree): number {
  if (Array.isArray(tree)) return 1 + Math.max(0, ...tree.map(depth))
  return tree instanceof Map ? 1 + Math.max(0, ...[...tree.values()].map(depth)) : 0
}

/** Splits a key into steps. Returns undefined if the key is not allowed. */
function split(key: string): string[] | undefined {
  if ([...key].length > 4096) return undefined
  if (key === '') return []
  const steps = key.split('.')
  return steps.length > 64 || steps.some((step) => step === '') ? undefined : steps
}

const isIndex = (step: string): boolean => /^[0-9]+$/.test(step) && String(Number(step)) === step

function look(tree: Tree, step: string): Tree | undefined {
  if (Array.isArray(tree)) return isIndex(step) ? tree[Number(step)] : undefined
  return tree instanceof Map ? tree.get(step) : undefined
}

/**
 * Returns the expected result of a read: the part at the key, inside one object per step, or an empty object if there
 * is no such part.
 */
export function getAt(data: Tree, key: string): Tree | Refusal {
  const steps = split(key)
  if (!steps) return INVALID
  let part: Tree | undefined = data
  for (const step of steps) {
    part = look(part, step)
    if (part === undefined) return new Map()
  }
  return steps.reverse().reduce((inner: Tree, step) => new Map([[step, inner]]), part)
}

/** Returns the data after a write at the key. */
export function putAt(data: Tree, key: string, value: Tree): Tree | Refusal {
  const steps = split(key)
  if (!steps) return INVALID
  const after = write(copy(data), steps, value)
  return after === undefined || depth(after) > 64 ? INVALID : after
}

/** Writes the value. Returns undefined if the steps lead through a plain value or beyond the end of an array. */
function write(tree: Tree, [step, ...rest]: string[], value: Tree): Tree | undefined {
  if (step === undefined) return value
  const container = tree ?? new Map<string, Tree>()
  if (typeof container !== 'object') return undefined
  if (Array.isArray(container) && !(isIndex(step) && Number(step) <= container.length)) return undefined
  const inner = write(look(container, step) ?? null, rest, value)
  if (inner === undefined) return undefined
  if (Array.isArray(container)) container[Number(step)] = inner
  else container.set(step, inner)
  return container
}
