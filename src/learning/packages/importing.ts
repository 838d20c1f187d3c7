import { type FileHandle, open } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { type AssignableUnit, type Block, type Cmi5Structure, readCmi5 } from './cmi5-structure.ts'
import { inEnglish } from './languages.ts'
import { refuseArchive, refusePackage } from './refusals.ts'
import { isXmlTooLarge, parseXml, xmlTooLarge } from './xml.ts'
import { readContents, readZip, type ZipEntry } from './zip.ts'

const CMI5_FILE = 'cmi5.xml'
const SCORM_FILE = 'imsmanifest.xml'
/** Requirements by their ids in `@cmi5/requirements`. */
const RULES = { format: '14.0.0.0-1', file: '14.1.0.0-2', schema: '13.2.0.0-1' } as const

const MOST_TITLE_LETTERS = 300
/** Limits of what is stored of a course structure: of an item, and of the course as a whole. */
const MOST_ITEM_BYTES = 20_000
const MOST_STRUCTURE_BYTES = 2 ** 20

/** A part of a package, in the order of the document. */
export interface ReadItem {
  readonly position: number
  readonly parent: number | null
  readonly kind: 'unit' | 'block'
  readonly item: Omit<AssignableUnit, 'type'> | Omit<Block, 'type' | 'children'>
}

/** What a package holds, after all checks. */
export interface ReadPackage {
  readonly kind: 'cmi5'
  readonly title: string
  readonly structure: Omit<Cmi5Structure, 'kind' | 'children' | 'units' | 'blocks'>
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
  return summarise(
    await readStructure(await buffer(file.createReadStream({ start: 0, autoClose: false })), undefined),
    [],
  )
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
  if (!document) throw noStructure(entries)
  if (isXmlTooLarge(document.bytes)) throw xmlTooLarge(CMI5_FILE)
  const bytes = await buffer(readContents(file, document))
  return summarise(await readStructure(bytes, new Set(entries.map(({ path }) => path))), entries)
}

function noStructure(entries: readonly ZipEntry[]) {
  const refuse = (message: string) =>
    refusePackage([{ pointer: '', rule: RULES.file, must: `have ${CMI5_FILE} at its root`, message }])
  if (entries.some(({ path }) => path === SCORM_FILE))
    return refuseArchive('be a cmi5 package', 'This is a SCORM package. Only cmi5 packages are accepted')
  const inFolder = entries.find(({ path }) => path.toLowerCase().endsWith(`/${CMI5_FILE}`))
  if (inFolder)
    return refuse(
      `${CMI5_FILE} is at ${inFolder.path}, not at the root. Zip the contents of the folder, not the folder`,
    )
  return refuse(`The archive has no ${CMI5_FILE} at its root`)
}

const readStructure = async (bytes: Buffer, files: ReadonlySet<string> | undefined): Promise<Cmi5Structure> =>
  readCmi5(await parseXml(bytes, { name: CMI5_FILE, rule: RULES.schema }), files)

function summarise(
  { kind, children, units, blocks, ...structure }: Cmi5Structure,
  entries: readonly ZipEntry[],
): ReadPackage {
  if (JSON.stringify(structure).length > MOST_STRUCTURE_BYTES)
    throw refuseArchive(
      'have at most 1 MiB of objectives',
      'The objectives and extensions of the course are larger than 1 MiB',
    )
  const items = [...flatten(children, null, { next: 0 })]
  for (const { item } of items)
    if (Buffer.byteLength(JSON.stringify(item)) > MOST_ITEM_BYTES)
      throw refuseArchive(
        `have at most ${MOST_ITEM_BYTES} bytes in an AU or block`,
        `The texts of ${item.id.slice(0, 100)} are larger than ${MOST_ITEM_BYTES} bytes`,
      )
  const title = inEnglish(structure.title) || structure.id
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
  return { kind, title: title.slice(0, MOST_TITLE_LETTERS), structure, items, units, blocks, entries, bytes }
}

/** Lists blocks and AUs in the order of the document. */
function* flatten(
  items: readonly (AssignableUnit | Block)[],
  parent: number | null,
  counter: { next: number },
): Generator<ReadItem> {
  for (const item of items) {
    const position = counter.next++
    if (item.type === 'au') {
      const { type: _, ...unit } = item
      yield { position, parent, kind: 'unit', item: unit }
    } else {
      const { type: _, children, ...block } = item
      yield { position, parent, kind: 'block', item: block }
      yield* flatten(children, position, counter)
    }
  }
}
