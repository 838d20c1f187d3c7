import type { Notes } from './refusals.ts'
import type { Placed, XmlElement } from './xml.ts'

/** Namespaces by what their names contain: each edition has its own, and authors misspell them. */
const FAMILIES = {
  content: /imscp|^$/i,
  adlcp: /adlcp/i,
  adlseq: /adlseq/i,
  adlnav: /adlnav/i,
  imsss: /imsss/i,
} as const
export type Family = keyof typeof FAMILIES

/** Finds elements of a manifest by their names. */
export class Elements {
  /** Elements in the namespace of the document are those that the author means, whatever it is. */
  readonly #own: string

  constructor(root: XmlElement) {
    this.#own = root.namespace
  }

  /** Returns the children of an element that have this name, in any case. */
  all({ element, pointer }: Placed, name: string, family: Family = 'content'): Placed[] {
    const found = element.children.filter((child) => this.isNamed(child, name, family))
    return found.map((child, i) => ({ element: child, pointer: `${pointer}/${child.name}${i > 0 ? `/${i + 1}` : ''}` }))
  }

  first(parent: Placed, name: string, family: Family = 'content'): Placed | undefined {
    const element = parent.element.children.find((child) => this.isNamed(child, name, family))
    return element && { element, pointer: `${parent.pointer}/${element.name}` }
  }

  isNamed({ name: own, namespace }: XmlElement, name: string, family: Family): boolean {
    const isSame = own === name || (own.length === name.length && own.toLowerCase() === name.toLowerCase())
    return isSame && (namespace === this.#own || namespace === '' || FAMILIES[family].test(namespace))
  }
}

/** Returns the text of an element, with single spaces; undefined if there is none. */
export const textOf = (placed: Placed | undefined): string | undefined =>
  placed && (placed.element.text.trim().replace(/\s+/g, ' ') || undefined)

/** Returns the value of an attribute, in any namespace and any case, without space around it. */
export function attributeOf({ attributes }: XmlElement, name: string): string | undefined {
  const own = attributes.get(name)
  if (own !== undefined) return own.trim()
  const folded = name.toLowerCase()
  for (const [key, value] of attributes)
    if (key.slice(key.lastIndexOf('}') + 1).toLowerCase() === folded) return value.trim()
  return undefined
}

/** Returns an attribute that is an id. White space in it is collapsed, as in XML Schema. */
export const idOf = (element: XmlElement, name: string): string | undefined =>
  attributeOf(element, name)?.replace(/\s+/g, ' ') || undefined

/**
 * Returns an attribute that is a URI. ADL's test suite demands that percent signs are decoded before white space is
 * collapsed (CTS, OB-12a).
 */
export function uriOf(element: XmlElement, name: string): string | undefined {
  const text = attributeOf(element, name) ?? ''
  try {
    return decodeURIComponent(text).trim().replace(/\s+/g, ' ') || undefined
  } catch {
    return text.replace(/\s+/g, ' ')
  }
}

/** Shortens a text of a package for a message. */
export const quote = (text: string): string => JSON.stringify(text.slice(0, 100))

/** Reads typed values of attributes. A value that does not fit is left out, with a note. */
export class Values {
  readonly #notes: Notes

  constructor(notes: Notes) {
    this.#notes = notes
  }

  boolean(placed: Placed, name: string): boolean | undefined {
    return this.#read(placed, name, 'true or false', (text) =>
      /^(?:true|1)$/i.test(text) ? true : /^(?:false|0)$/i.test(text) ? false : undefined,
    )
  }

  number(placed: Placed, name: string, [least, most]: readonly [number, number]): number | undefined {
    return this.#read(placed, name, `a number from ${least} to ${most}`, (text) => decimalIn(text, least, most))
  }

  count(placed: Placed, name: string): number | undefined {
    return this.#read(placed, name, 'a whole number', (text) => (/^\+?\d{1,9}$/.test(text) ? Number(text) : undefined))
  }

  choice<T extends string>(placed: Placed, name: string, values: readonly T[]): T | undefined {
    return this.#read(placed, name, `one of ${values.join(', ')}`, (text) => oneOf(text, values))
  }

  matching(placed: Placed, name: string, pattern: RegExp, what: string): string | undefined {
    return this.#read(placed, name, what, (text) => (pattern.test(text) ? text : undefined))
  }

  #read<T>(placed: Placed, name: string, must: string, parse: (text: string) => T | undefined): T | undefined {
    const text = attributeOf(placed.element, name)
    if (text === undefined || text === '') return undefined
    const value = parse(text)
    if (value === undefined)
      this.#notes.add(
        `${placed.pointer}/${name}`,
        `The ${name} of <${placed.element.name}> in line ${placed.element.line} is not ${must}, and was ignored: ${quote(text)}`,
      )
    return value
  }
}

/** Returns the number that a text is, if it is a decimal number in this range. */
export function decimalIn(text: string, least: number, most: number): number | undefined {
  const value = Number(text)
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) && value >= least && value <= most ? value : undefined
}

/** Returns the value that a text is, in any case. */
export const oneOf = <T extends string>(text: string, values: readonly T[]): T | undefined =>
  values.find((value) => value.toLowerCase() === text.toLowerCase())

/** Leaves out what is undefined. */
export const defined = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
