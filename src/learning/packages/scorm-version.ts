import type { Notes } from './refusals.ts'
import { type Elements, quote, textOf } from './scorm-elements.ts'
import { UNDECLARED, type XmlElement } from './xml.ts'

export type ScormKind = 'scorm12' | 'scorm2004'
export type Edition = '1.2' | '2004 2nd Edition' | '2004 3rd Edition' | '2004 4th Edition'

/** Values of `schemaversion` that authors write, in lower case and without the name of the standard. */
const VERSIONS: readonly (readonly [pattern: RegExp, edition: Edition | '2004'])[] = [
  [/^(?:v|version )?1\.2$/, '1.2'],
  [/^(?:cam )?(?:v|version )?1\.3$|^2004 (?:1st|2nd|first|second) ed/, '2004 2nd Edition'],
  [/^(?:2004 )?(?:3rd|third) ed|^cam 1\.3\.2$/, '2004 3rd Edition'],
  [/^(?:2004 )?(?:4th|fourth) ed/, '2004 4th Edition'],
  [/^2004$/, '2004'],
]

/** Schemas of packages that are no SCORM packages. */
const OTHERS = /common cartridge|thin common|lti|qti/i

interface Version {
  readonly kind: ScormKind
  readonly edition: Edition
}

/**
 * Finds the version of SCORM that a package follows: by `schemaversion`, or else by the namespaces of the manifest, the
 * spelling of its attributes and the schemas in the package. Returns a sentence if it is no SCORM package.
 */
export function findVersion(
  root: XmlElement,
  files: ReadonlySet<string> | undefined,
  elements: Elements,
  notes: Notes,
): Version | string {
  const traces = findTraces(root, files)
  const top = { element: root, pointer: '/manifest' }
  const metadata = elements.first(top, 'metadata')
  const schema = metadata && textOf(elements.first(metadata, 'schema'))
  const given = metadata && textOf(elements.first(metadata, 'schemaversion'))
  if (/imscc|\/cc\//i.test(root.namespace) || (schema !== undefined && OTHERS.test(schema)))
    return `The package follows ${schema ?? 'Common Cartridge'}, not SCORM`
  const plain = given
    ?.toLowerCase()
    .replace(/^(?:adl )?scorm /, '')
    .replace(/\s+/g, ' ')
  const named = plain === undefined ? undefined : VERSIONS.find(([pattern]) => pattern.test(plain))?.[1]
  const byTraces = traces.is2004 ? '2004' : traces.is12 ? '1.2' : undefined
  if (named === undefined && byTraces === undefined)
    return given === undefined
      ? 'The manifest names no version of SCORM in schemaversion, and nothing in it shows one'
      : `The manifest has the schemaversion ${quote(given)}, which is no version of SCORM`
  const edition = named === undefined || named === '2004' ? editionOf(byTraces ?? '2004', traces, plain) : named
  const kind = edition === '1.2' ? 'scorm12' : 'scorm2004'
  const pointer = '/manifest/metadata/schemaversion'
  if (named === undefined)
    notes.add(
      pointer,
      given === undefined
        ? `The manifest has no schemaversion. By its content, the package follows SCORM ${edition}`
        : `The schemaversion ${quote(given)} is no version of SCORM. By its content, the package follows SCORM ${edition}`,
    )
  else if (kind === 'scorm12' ? traces.is2004 && !traces.is12 : traces.is12 && !traces.is2004)
    notes.add(pointer, `The schemaversion is ${quote(given!)}, but the manifest is written like one of another version`)
  return { kind, edition }
}

interface Traces {
  readonly is12: boolean
  readonly is2004: boolean
  readonly is4th: boolean
}

/** Guesses the edition. The second one demands no schemaversion, and only the fourth one has data stores. */
function editionOf(version: '1.2' | '2004', { is4th }: Traces, plain: string | undefined): Edition {
  if (version === '1.2') return '1.2'
  if (is4th) return '2004 4th Edition'
  return plain === undefined ? '2004 2nd Edition' : '2004 3rd Edition'
}

/** Elements that only the fourth edition has. */
const FOURTH = new Set(['data', 'objectives'])

/** Looks for what only one version has, in the whole document. */
function findTraces(root: XmlElement, files: ReadonlySet<string> | undefined): Traces {
  let strong12 = false
  let strong2004 = false
  let is4th = false
  let weak12 = false
  let weak2004 = false
  const see = (namespace: string) => {
    if (/adlcp_rootv1p2/i.test(namespace)) strong12 = true
    if (/adlcp_v1p3|adlseq|adlnav|imsss/i.test(namespace)) strong2004 = true
  }
  const open: XmlElement[] = [root]
  for (let element = open.pop(); element; element = open.pop()) {
    see(element.namespace)
    if (/adlcp_v1p3/i.test(element.namespace) ? element.name === 'data' : /adlseq/i.test(element.namespace))
      is4th ||= FOURTH.has(element.name)
    for (const key of element.attributes.keys()) {
      if (key.startsWith('{')) see(key)
      if (key.endsWith('scormtype')) weak12 = true
      if (key.endsWith('scormType')) weak2004 = true
    }
    for (const child of element.children) open.push(child)
  }
  const isOld = /imscp_rootv1p1p2/i.test(root.namespace)
  const isNew = /imscp_v1p1/i.test(root.namespace) && (weak2004 || strong2004)
  if (strong12 || strong2004 || isOld || isNew) return { is12: strong12 || isOld, is2004: strong2004 || isNew, is4th }
  if (weak12 || weak2004) return { is12: weak12, is2004: weak2004, is4th }
  const has = (name: string) => files?.has(name) ?? false
  return { is12: has('adlcp_rootv1p2.xsd'), is2004: has('adlcp_v1p3.xsd'), is4th }
}

/** Notes prefixes that the author did not declare. */
export function noteUndeclared(root: XmlElement, notes: Notes): void {
  const found = new Set<string>()
  const see = (name: string) => {
    if (name.startsWith(UNDECLARED)) found.add(name.slice(UNDECLARED.length))
  }
  const open: XmlElement[] = [root]
  for (let element = open.pop(); element; element = open.pop()) {
    see(element.namespace)
    for (const key of element.attributes.keys())
      if (key.startsWith(`{${UNDECLARED}`)) see(key.slice(1, key.indexOf('}')))
    for (const child of element.children) open.push(child)
  }
  for (const prefix of found) notes.add('', `The manifest uses the prefix ${prefix}:, but does not declare it`)
}
