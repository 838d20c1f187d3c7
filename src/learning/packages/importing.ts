import { type FileHandle, open } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { PlatformError } from '../../kernel/errors.ts'
import { type AssignableUnit, type Block, type Cmi5Structure, readCmi5 } from './cmi5-structure.ts'
import { inEnglish } from './languages.ts'
import { Notes, type PackageNote, refuseArchive, refusePackage } from './refusals.ts'
import { readScorm, type ScormBlock, type ScormStructure, type ScormUnit } from './scorm-structure.ts'
import { Files, resolveHref } from './scorm-urls.ts'
import { isXmlTooLarge, parseXml, type XmlElement, xmlTooLarge } from './xml.ts'
import { readContents, readZip, type ZipEntry } from './zip.ts'

const CMI5_FILE = 'cmi5.xml'
const SCORM_FILE = 'imsmanifest.xml'
/** Requirements by their ids in `@cmi5/requirements`. */
const RULES = { format: '14.0.0.0-1', file: '14.1.0.0-2', schema: '13.2.0.0-1' } as const

const MOST_TITLE_LETTERS = 300
/** Limits of what is stored of a package: of an item, of all items, and of the course as a whole. */
const MOST_ITEM_BYTES = 20_000
const MOST_ITEMS_BYTES = 32 * 2 ** 20
/** The player of SCORM reads all items at once. */
const MOST_SCORM_BYTES = 7 * 2 ** 20
const MOST_STRUCTURE_BYTES = 2 ** 20
const MOST_METADATA_BYTES = 2 ** 20

type AnyUnit = AssignableUnit | ScormUnit
type AnyBlock = Block | ScormBlock
type AnyStructure = (Cmi5Structure & { readonly notes: readonly PackageNote[] }) | ScormStructure
/** Omits keys of each type of a union. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** A part of a package, in the order of the document. */
export interface ReadItem {
  readonly position: number
  readonly parent: number | null
  readonly kind: 'unit' | 'block'
  readonly item: Without<AnyUnit, 'type'> | Without<AnyBlock, 'type' | 'children'>
}

/** What a package holds, after all checks. */
export interface ReadPackage {
  readonly kind: AnyStructure['kind']
  readonly title: string
  readonly structure: Without<AnyStructure, 'kind' | 'children' | 'units' | 'blocks'>
  readonly items: readonly ReadItem[]
  readonly units: number
  readonly blocks: number
  /** Files of the archive. A course structure that came alone has none. */
  readonly entries: readonly ZipEntry[]
  /** Size of these files. */
  readonly bytes: number
}

/** Runs the checks of a package when it is their turn. */
export type Check = <T>(work: () => Promise<T>) => Promise<T>

/** Opens a package and checks it. `use` may read the files of the archive. */
export async function openPackage<T>(
  path: string,
  check: Check,
  use: (found: ReadPackage, file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await open(path)
  try {
    return await use(await check(() => readPackage(file)), file)
  } finally {
    await file.close()
  }
}

async function readPackage(file: FileHandle): Promise<ReadPackage> {
  const head = Buffer.alloc(64)
  await file.read(head, 0, head.length, 0)
  if (!isXml(head)) return readArchive(file, head)
  const { size } = await file.stat()
  if (isXmlTooLarge(size)) throw xmlTooLarge(CMI5_FILE)
  const bytes = await buffer(file.createReadStream({ start: 0, autoClose: false }))
  return summarise({ ...(await readStructure(bytes, undefined)), notes: [] }, [])
}

/** Whether a file begins like an XML document, in any encoding. */
const isXml = (head: Buffer): boolean => /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*</.test(head.toString('latin1'))
const isZip = (head: Buffer): boolean => head.readUInt16LE(0) === 0x4b50

async function readArchive(file: FileHandle, head: Buffer): Promise<ReadPackage> {
  if (!isZip(head))
    throw refusePackage([
      {
        ...{ pointer: '', rule: RULES.format, must: 'be a zip archive or an XML document' },
        message: 'This is no content package: it is neither a zip archive nor an XML document',
      },
    ])
  const entries = await readZip(file)
  const document = entries.find(({ path }) => path === CMI5_FILE)
  if (document) {
    const structure = await readStructure(await readDocument(file, document), pathsOf(entries))
    const notes = new Notes()
    if (entries.some(isManifest)) notes.add('', 'The package follows both cmi5 and SCORM. It was read as cmi5')
    return summarise({ ...structure, notes: notes.list }, entries)
  }
  const notes = new Notes()
  const own = entries.some(isManifest) ? entries : leaveFolder(entries, notes)
  const manifest = own?.find(isManifest)
  if (!own || !manifest) throw noStructure(entries)
  if (manifest.path !== SCORM_FILE) notes.add('', `The manifest is called ${manifest.path} instead of ${SCORM_FILE}`)
  const root = await parseXml(await readDocument(file, manifest), { name: SCORM_FILE, notes })
  const files = pathsOf(own)
  return summarise(await readScorm(root, { files, notes, readDocument: (path) => readMetadata(file, own, path) }), own)
}

const isManifest = ({ path }: ZipEntry): boolean => path.toLowerCase() === SCORM_FILE
const pathsOf = (entries: readonly ZipEntry[]): ReadonlySet<string> => new Set(entries.map(({ path }) => path))

function readDocument(file: FileHandle, entry: ZipEntry): Promise<Buffer> {
  if (isXmlTooLarge(entry.bytes)) throw xmlTooLarge(entry.path)
  return buffer(readContents(file, entry))
}

/** Reads metadata of their own file. They change nothing of a course, so those that cannot be read are left out. */
async function readMetadata(
  file: FileHandle,
  entries: readonly ZipEntry[],
  location: string,
): Promise<XmlElement | undefined> {
  const found = resolveHref(location, [], new Files(pathsOf(entries)))
  const entry = 'path' in found && entries.find(({ path }) => path === found.path)
  if (!entry || entry.bytes > MOST_METADATA_BYTES) return undefined
  try {
    return await parseXml(await readDocument(file, entry), { name: location, notes: new Notes() })
  } catch (problem) {
    if (problem instanceof PlatformError) return undefined
    throw problem
  }
}

/** Files that systems put into archives beside those of the author. */
const LITTER = /^__MACOSX\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/i

/** Returns the entries of an archive whose only folder has the manifest, as if they were at its root. */
function leaveFolder(entries: readonly ZipEntry[], notes: Notes): ZipEntry[] | undefined {
  const own = entries.filter(({ path }) => !LITTER.test(path))
  const [folder] = own[0]?.path.split('/', 1) ?? []
  if (!own.every(({ path }) => path.startsWith(`${folder}/`))) return undefined
  const inside = own.map((entry) => ({ ...entry, path: entry.path.slice(folder!.length + 1) }))
  if (!inside.some(isManifest)) return undefined
  notes.add('', `All files of the archive are in the folder ${folder}, which is left out`)
  return inside
}

function noStructure(entries: readonly ZipEntry[]) {
  const refuse = (message: string) =>
    refusePackage([{ pointer: '', rule: RULES.file, must: `have ${CMI5_FILE} at its root`, message }])
  const find = (name: string) => entries.find(({ path }) => path.toLowerCase().endsWith(`/${name}`))
  const say = (name: string, { path }: ZipEntry) =>
    `${name} is at ${path}, not at the root. Zip the contents of the folder, not the folder`
  const course = find(CMI5_FILE)
  if (course) return refuse(say(CMI5_FILE, course))
  const manifest = find(SCORM_FILE)
  if (manifest) return refuseArchive(`have ${SCORM_FILE} at its root`, say(SCORM_FILE, manifest))
  return refuse(`The archive has no ${CMI5_FILE} (cmi5) and no ${SCORM_FILE} (SCORM) at its root`)
}

async function readStructure(bytes: Buffer, files: ReadonlySet<string> | undefined): Promise<Cmi5Structure> {
  const root = await parseXml(bytes, { name: CMI5_FILE, rule: RULES.schema })
  if (root.name === 'manifest' && !files)
    throw refuseArchive('be a zip archive', `${SCORM_FILE} alone is no SCORM package. Upload the whole zip archive`)
  return readCmi5(root, files)
}

function summarise(
  { kind, children, units, blocks, ...structure }: AnyStructure,
  entries: readonly ZipEntry[],
): ReadPackage {
  if (JSON.stringify(structure).length > MOST_STRUCTURE_BYTES)
    throw refuseArchive(
      'have at most 1 MiB of objectives',
      'The objectives and extensions of the course are larger than 1 MiB',
    )
  const items = [...flatten(children, null, { next: 0 })]
  let itemsBytes = 0
  const mostBytes = kind === 'cmi5' ? MOST_ITEMS_BYTES : MOST_SCORM_BYTES
  for (const { item } of items) {
    const bytes = Buffer.byteLength(JSON.stringify(item))
    if (bytes > MOST_ITEM_BYTES)
      throw refuseArchive(
        `have at most ${MOST_ITEM_BYTES} bytes in an AU or block`,
        `The texts of ${item.id.slice(0, 100)} are larger than ${MOST_ITEM_BYTES} bytes`,
      )
    itemsBytes += bytes
    // Items may share the sequencing of a collection, so that a small manifest describes very much.
    if (itemsBytes > mostBytes)
      throw refuseArchive(
        `have at most ${mostBytes} bytes in all items`,
        `The items of the package are larger than ${mostBytes / 2 ** 20} MiB together, with the sequencing that they refer to`,
      )
  }
  const title = inEnglish(structure.title) || structure.id
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
  return { kind, title: title.slice(0, MOST_TITLE_LETTERS), structure, items, units, blocks, entries, bytes }
}

/** Lists blocks and units in the order of the document. */
function* flatten(
  items: readonly (AnyUnit | AnyBlock)[],
  parent: number | null,
  counter: { next: number },
): Generator<ReadItem> {
  for (const one of items) {
    const position = counter.next++
    if (one.type === 'block') {
      const { type: _, children, ...item } = one
      yield { position, parent, kind: 'block', item }
      yield* flatten(children, position, counter)
    } else {
      const { type: _, ...item } = one
      yield { position, parent, kind: 'unit', item }
    }
  }
}
