import type { Faults, Notes } from './refusals.ts'
import { attributeOf, type Elements, idOf, quote, type Values } from './scorm-elements.ts'
import { type Files, resolveHref } from './scorm-urls.ts'
import type { Placed, XmlElement } from './xml.ts'

interface Resource {
  readonly placed: Placed
  /** The `xml:base` of the elements around the address, the outermost first. */
  readonly bases: readonly string[]
}
interface Launch {
  readonly url: string
  readonly path?: string
  readonly scormType: 'sco' | 'asset'
}
/** Why a resource cannot be started. */
interface Problem {
  /** Place of the fault; undefined if the reference to the resource is wrong. */
  readonly pointer?: string
  readonly must: string
  readonly message: string
}
interface Context {
  readonly elements: Elements
  readonly values: Values
  readonly notes: Notes
  readonly faults: Faults
  readonly files: Files | undefined
}

const XML_BASE = '{http://www.w3.org/XML/1998/namespace}base'
const MOST_NAMES = 5

/** The resources of a manifest: what items start. */
export class Resources {
  readonly #context: Context
  readonly #byId = new Map<string, Resource>()
  readonly #ambiguous = new Set<string>()
  /** The launch of each resource, or the reason why it has none, by the id of the resource. */
  readonly #launches = new Map<string, Launch | Problem>()

  constructor(manifest: Placed, context: Context) {
    this.#context = context
    this.#add(manifest, [])
  }

  /** Adds the resources of a manifest, and of the manifests in it. */
  #add(manifest: Placed, outer: readonly string[]): void {
    const { elements, notes } = this.#context
    const bases = [...outer, ...baseOf(manifest.element)]
    for (const holder of elements.all(manifest, 'resources'))
      for (const placed of elements.all(holder, 'resource')) {
        const id = idOf(placed.element, 'identifier')
        const resource = { placed, bases: [...bases, ...baseOf(holder.element), ...baseOf(placed.element)] }
        const other = id === undefined ? undefined : this.#byId.get(id)
        if (id === undefined) notes.add(placed.pointer, `The resource in line ${placed.element.line} has no identifier`)
        else if (!other) this.#byId.set(id, resource)
        else {
          const href = (one: Resource) => [...one.bases, attributeOf(one.placed.element, 'href')].join()
          if (href(other) !== href(resource)) this.#ambiguous.add(id)
          notes.add(placed.pointer, `The identifier ${quote(id)} is used by several resources`)
        }
      }
    for (const inner of elements.all(manifest, 'manifest')) {
      notes.add(inner.pointer, 'A manifest in the manifest was read for its resources only')
      this.#add(inner, bases)
    }
  }

  /** Finds what an item starts. A resource that cannot be started is a fault, unless the item has others below it. */
  launch(id: string, item: { placed: Placed; id: string; hasItems: boolean }): Launch | undefined {
    const { notes, faults } = this.#context
    const resource = this.#byId.get(id)
    let found = this.#launches.get(id)
    if (!found) {
      found = this.#ambiguous.has(id)
        ? { must: 'be the identifier of one resource', message: `${quote(id)} is the identifier of several resources` }
        : resource
          ? this.#resolve(resource)
          : { must: 'be the identifier of a resource', message: `${quote(id)} is the identifier of no resource` }
      this.#launches.set(id, found)
    }
    if ('url' in found) return found
    const message = `The item ${quote(item.id)} cannot be started. ${found.message}`
    const pointer = found.pointer ?? `${item.placed.pointer}/identifierref`
    if (item.hasItems) notes.add(pointer, message)
    else faults.add(pointer, undefined, found.must, message)
    return undefined
  }

  #resolve({ placed, bases }: Resource): Launch | Problem {
    const { notes, values, files } = this.#context
    const { element } = placed
    const href = attributeOf(element, 'href') ?? ''
    const pointer = `${placed.pointer}/href`
    if (href === '')
      return { pointer, must: 'have an href', message: `Its resource in line ${element.line} has no href` }
    const found = resolveHref(href, bases, files)
    const say = (what: string) => `The href of the resource in line ${element.line} ${what}: ${quote(href)}`
    if ('fault' in found) return { pointer, must: found.must, message: say(found.fault) }
    if (found.tolerated !== undefined) notes.add(pointer, say(found.tolerated))
    const scormType = values.choice(placed, 'scormType', ['sco', 'asset'])
    if (scormType === undefined)
      notes.add(placed.pointer, `The resource in line ${element.line} has no scormType, and is taken for an asset`)
    return { url: found.url, ...(found.path !== undefined && { path: found.path }), scormType: scormType ?? 'asset' }
  }

  /** Notes files and resources that the manifest names, but the package does not have. */
  noteMissing(): void {
    const { elements, notes, files } = this.#context
    const missing: string[] = []
    const unknown: string[] = []
    for (const { placed, bases } of this.#byId.values()) {
      if (files)
        for (const { element } of elements.all(placed, 'file')) {
          const href = attributeOf(element, 'href') ?? ''
          if (href !== '' && 'fault' in resolveHref(href, bases, files)) missing.push(href)
        }
      for (const { element } of elements.all(placed, 'dependency')) {
        const id = idOf(element, 'identifierref')
        if (id !== undefined && !this.#byId.has(id)) unknown.push(id)
      }
    }
    const list = (names: readonly string[]) => {
      const different = [...new Set(names)]
      const more = different.length > MOST_NAMES ? ` and ${different.length - MOST_NAMES} more` : ''
      return `${different.slice(0, MOST_NAMES).map(quote).join(', ')}${more}`
    }
    if (missing.length > 0)
      notes.add('/manifest/resources', `The manifest lists files that the package does not have: ${list(missing)}`)
    if (unknown.length > 0)
      notes.add(
        '/manifest/resources',
        `The manifest has dependencies on resources that it does not have: ${list(unknown)}`,
      )
  }
}

function baseOf({ attributes }: XmlElement): string[] {
  const base = attributes.get(XML_BASE)?.trim()
  return base === undefined || base === '' ? [] : [base]
}
