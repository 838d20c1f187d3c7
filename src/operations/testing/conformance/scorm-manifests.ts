import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PlatformError } from '../../../kernel/errors.ts'
import { openPackage } from '../../../learning/packages/importing.ts'
import { Notes } from '../../../learning/packages/refusals.ts'
import { readScorm, type ScormStructure } from '../../../learning/packages/scorm-structure.ts'
import { parseXml } from '../../../learning/packages/xml.ts'

const print = (text: string) => process.stdout.write(`${text}\n`)
const MANIFEST = /(?:^|\/)imsmanifest\.xml$/i

/** A folder with packages, or the git directory of a repository with packages. */
interface Source {
  readonly paths: readonly string[]
  read(path: string): Buffer
}

function openSource(folder: string): Source {
  if (!existsSync(join(folder, 'HEAD')) || !existsSync(join(folder, 'objects'))) {
    const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name).slice(join(folder, '/').length))
    return { paths, read: (path) => readFileSync(join(folder, path)) }
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['--git-dir', folder, ...args], { maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'inherit'] })
  const paths = git('ls-tree', '-r', '-z', '--name-only', 'HEAD').toString().split('\0')
  return { paths, read: (path) => git('show', `HEAD:${path}`) }
}

type Outcome = 'read' | 'tolerated' | 'refused'

/** Reads all SCORM packages in these folders, and prints which were read, tolerated and refused. */
export async function readManifests(folders: readonly string[]): Promise<number> {
  const outcomes = new Map<string, number>()
  const count = (key: string) => outcomes.set(key, (outcomes.get(key) ?? 0) + 1)
  const show = (name: string, outcome: Outcome, details: readonly string[], structure?: { edition?: string }) => {
    count(outcome)
    if (structure) count(`SCORM ${structure.edition}`)
    print(
      [`${outcome.padEnd(9)} ${name}${structure ? ` (SCORM ${structure.edition})` : ''}`, ...details].join('\n    '),
    )
  }
  for (const folder of folders) {
    const source = openSource(folder)
    for (const path of source.paths.filter((one) => MANIFEST.test(one)).sort()) await readOne(source, path, show)
    for (const path of source.paths.filter((one) => one.endsWith('.zip')))
      if (existsSync(join(folder, path))) await readArchive(join(folder, path), show)
  }
  for (const [key, number] of outcomes) print(`${number} ${key}`)
  return outcomes.has('read') || outcomes.has('tolerated') ? 0 : 1
}

type Show = (name: string, outcome: Outcome, details: readonly string[], structure?: { edition?: string }) => void

/** Reads a manifest with the files beside it; without them, if the files of its units are elsewhere. */
async function readOne(source: Source, path: string, show: Show): Promise<void> {
  const folder = path.slice(0, path.length - 'imsmanifest.xml'.length)
  const files = new Set(source.paths.filter((one) => one.startsWith(folder)).map((one) => one.slice(folder.length)))
  const read = async (known: ReadonlySet<string> | undefined): Promise<ScormStructure> => {
    const notes = new Notes()
    const root = await parseXml(source.read(path), { name: 'imsmanifest.xml', notes })
    const readDocument = async (name: string) =>
      files.has(name) ? parseXml(source.read(`${folder}${name}`), { name, notes }) : undefined
    return readScorm(root, { files: known, notes, readDocument })
  }
  const messages = ({ notes }: ScormStructure) => notes.map(({ message }) => message)
  try {
    const structure = await read(files)
    show(path, structure.notes.length > 0 ? 'tolerated' : 'read', messages(structure), structure)
  } catch (problem) {
    if (!(problem instanceof PlatformError)) throw problem
    const alone = await read(undefined).catch(() => undefined)
    if (!alone || !/leads to no file/.test(problem.message)) return show(path, 'refused', [problem.message])
    const details = [...messages(alone), `Without its files, the package would be refused: ${problem.message}`]
    show(path, alone.notes.length > 0 ? 'tolerated' : 'read', details, alone)
  }
}

async function readArchive(path: string, show: Show): Promise<void> {
  try {
    await openPackage(
      path,
      (work) => work(),
      async ({ structure, kind }) => {
        const edition = 'edition' in structure ? structure.edition : kind
        const messages = structure.notes.map(({ message }) => message)
        show(path, structure.notes.length > 0 ? 'tolerated' : 'read', messages, { edition })
      },
    )
  } catch (problem) {
    if (!(problem instanceof PlatformError)) throw problem
    show(path, 'refused', [problem.message])
  }
}
