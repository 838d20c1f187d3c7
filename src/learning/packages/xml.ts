import { setImmediate } from 'node:timers/promises'
import { SaxesParser } from 'saxes'
import { type Notes, refusePackage } from './refusals.ts'

const MOST_BYTES = 10 * 2 ** 20
const MOST_DEPTH = 100
/** Elements and attributes. A course of 10,000 items has about 200,000. */
const MOST_NODES = 500_000
const MOST_TEXT = 2 ** 20
/** Letters that are parsed at once, so that a large document keeps no other request waiting. */
const SLICE = 64 * 1024

export interface XmlElement {
  /** Name without its prefix. */
  readonly name: string
  /** Namespace; empty if there is none. */
  readonly namespace: string
  /** Values by name; the name of an attribute with a namespace is `{namespace}name`. */
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  /** The text between its children. */
  readonly text: string
  readonly line: number
}

/** An element with its place in the document. */
export interface Placed {
  readonly element: XmlElement
  readonly pointer: string
}

interface OpenElement extends XmlElement {
  readonly children: OpenElement[]
  text: string
}

/** A document of a package: its name, and the requirement that it violates if it is not well-formed. */
interface XmlDocument {
  readonly name: string
  readonly rule?: string
  /** Takes what was tolerated. Without it, nothing is tolerated. */
  readonly notes?: Notes
}

/** Prefixes of SCORM that authors forget to declare. Their namespaces begin with `UNDECLARED`. */
const PREFIXES = ['adlcp', 'adlseq', 'adlnav', 'imsss', 'imsmd', 'lom', 'xsi']
export const UNDECLARED = 'urn:undeclared:'
const LENIENT_NAMESPACES = Object.fromEntries(PREFIXES.map((prefix) => [prefix, `${UNDECLARED}${prefix}`]))

/**
 * Parses a document into its root element. Refuses a document type declaration, and with it all entities but the five
 * of XML; encodings other than UTF-8 and UTF-16, unless the document is read leniently; and documents beyond the
 * limits.
 */
export async function parseXml(bytes: Buffer, { name, rule, notes }: XmlDocument): Promise<XmlElement> {
  const refuse = (must: string, message: string) =>
    refusePackage([{ pointer: '', ...(rule !== undefined && { rule }), must, message: `${name} ${message}` }])
  if (bytes.length > MOST_BYTES) throw xmlTooLarge(name)
  const parser = new SaxesParser({ xmlns: true, ...(notes && { additionalNamespaces: LENIENT_NAMESPACES }) })
  const open: OpenElement[] = []
  let root: OpenElement | undefined
  let nodes = 0
  const count = () => {
    if (++nodes > MOST_NODES) throw xmlTooLarge(name)
  }
  const addText = (text: string) => {
    const element = open.at(-1)
    if (!element) return
    if (element.text.length + text.length > MOST_TEXT)
      throw refuse('have texts of at most 1 MiB', `has a text of more than 1 MiB in line ${parser.line}`)
    element.text += text
  }
  parser.on('error', ({ message }) => {
    throw refuse('be well-formed XML', `is not well-formed XML: ${message.slice(0, 200)}`)
  })
  parser.on('doctype', () => {
    throw refuse('have no DOCTYPE', 'has a document type declaration (DOCTYPE), which is not accepted')
  })
  parser.on('xmldecl', ({ encoding }) => {
    if (!notes && encoding !== undefined && !/^utf-?(?:8|16(?:[lb]e)?)$/i.test(encoding))
      throw refuse('be encoded in UTF-8 or UTF-16', `is encoded in ${encoding.slice(0, 40)}, not in UTF-8 or UTF-16`)
  })
  parser.on('attribute', ({ value }) => {
    count()
    if (value.length > MOST_TEXT)
      throw refuse('have texts of at most 1 MiB', `has a text of more than 1 MiB in line ${parser.line}`)
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('opentag', (tag) => {
    count()
    if (open.length >= MOST_DEPTH)
      throw refuse(`be at most ${MOST_DEPTH} elements deep`, `has elements more than ${MOST_DEPTH} levels deep`)
    const attributes = new Map<string, string>()
    for (const { local, uri, prefix, value } of Object.values(tag.attributes))
      if (prefix !== 'xmlns' && local !== 'xmlns') attributes.set(uri === '' ? local : `{${uri}}${local}`, value)
    const { local, uri } = tag
    const element = { name: local, namespace: uri, attributes, children: [], text: '', line: parser.line }
    open.at(-1)?.children.push(element)
    open.push(element)
    root ??= element
  })
  parser.on('closetag', () => void open.pop())

  const text = notes ? decodeLeniently(bytes, name, notes) : decode(bytes)
  if (text === undefined) throw refuse('be encoded in UTF-8 or UTF-16', 'is not encoded in UTF-8 or UTF-16')
  for (let at = 0; at < text.length; at += SLICE) {
    parser.write(text.slice(at, at + SLICE))
    await setImmediate()
  }
  parser.close()
  return root!
}

/** Creates the error for a document that is too large to be read. */
export const xmlTooLarge = (name: string) =>
  refusePackage([
    {
      pointer: '',
      must: 'be at most 10 MiB',
      message: `${name} is too large: the limit is 10 MiB and 500000 elements`,
    },
  ])

export const isXmlTooLarge = (bytes: number): boolean => bytes > MOST_BYTES

/** Decodes a document by its byte order mark or its first letter (XML 1.0, appendix F). */
function decode(bytes: Buffer): string | undefined {
  const [first, second] = bytes
  const isLittle = (first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)
  try {
    return new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Decodes a document by what it says about itself, or else as the encoding that old editors of Windows write. */
function decodeLeniently(bytes: Buffer, name: string, notes: Notes): string | undefined {
  const declared = /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(bytes.toString('latin1', 0, 200))?.[1]
  let text = decode(bytes)
  if (declared !== undefined && !/^utf-?(?:8|16)/i.test(declared)) {
    text = decodeAs(declared, bytes) ?? text
    if (text === undefined) return undefined
  }
  if (text === undefined) {
    text = decodeAs('windows-1252', bytes)
    notes.add('', `${name} is not encoded in ${declared ?? 'UTF-8'} as it says; it was read as windows-1252`)
  }
  if (text === undefined || !/^\s/.test(text)) return text
  notes.add('', `${name} begins with white space`)
  return text.trimStart()
}

/** Decodes bytes by the name of an encoding. Returns undefined if there is none with this name, or it does not fit. */
function decodeAs(encoding: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
