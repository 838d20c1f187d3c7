import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { PlatformError, StartupError } from '../../kernel/errors.ts'
import { addLocalPackage } from '../../learning/packages/local-upload.ts'
import { refuseLowDisk } from './checks.ts'
import { type CommandGroup, command, IN_PRODUCTION, print } from './command.ts'
import { withEnvironment } from './database.ts'
import { operator } from './operator.ts'
import { startProgress } from './progress.ts'

/** Opens a file to be read in parts. */
async function openFile(path: string, mostBytes: number) {
  const found = await stat(path).catch(({ code }) => {
    throw new StartupError(`${path} cannot be read (${code}); check its name and permissions`)
  })
  if (!found.isFile()) throw new StartupError(`${path} is not a file`)
  if (found.size > mostBytes) throw new StartupError(`${path} is larger than PACKAGE_BYTES, ${mostBytes} bytes`)
  const open = (start: number, end: number) => createReadStream(path, { start, end: Math.max(start, end) })
  return { bytes: found.size, open }
}

/** Pauses before the command goes on after the database or the file store did not respond. */
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 20_000]

/** Repeats work that goes on where it stopped, until it succeeds or fails for another reason than a lost connection. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS)
    try {
      return await work()
    } catch (problem) {
      const isLost = problem instanceof PlatformError && problem.kind === 'notReady' && problem.cause !== undefined
      if (!isLost) throw problem
      await setTimeout(pauseMs)
    }
  return work()
}

const add = command({
  about: 'Check a package of cmi5 or SCORM and store it for an organisation.',
  args: ['FILE'],
  options: {
    environment: IN_PRODUCTION,
    organisation: { type: 'string', value: 'KEY', about: 'The organisation that owns the package' },
  },
  notes: [
    'FILE is a zip archive with cmi5.xml or imsmanifest.xml at its root, or cmi5.xml alone. The command prints the packageId and what',
    'was tolerated, or each fault of the package; the exit code is then 1. Running it again with the same file stores nothing more.',
    'A file over 32 MiB is stored in parts: an interrupted command goes on where it stopped if it runs again within 24 hours.',
  ].join('\n'),
  examples: ['package add fuel-planning.zip --organisation sandhills'],
  run: async ([path], { environment: name, organisation }) => {
    if (organisation === undefined) throw new StartupError('--organisation is missing: name the owner of the package')
    await withEnvironment(name, async (environment) => {
      const { db, config } = environment
      refuseLowDisk([environment])
      const file = await openFile(path!, config.PACKAGE_BYTES)
      const what = { organisation, name: path!.split(/[/\\]/).at(-1)!, ...file }
      const progress = startProgress()
      const onProgress = (bytes: number) => progress.update(bytes, file.bytes, bytes < file.bytes ? 'file' : 'contents')
      const { key, title, units, files, notes } = await insist(() =>
        addLocalPackage(db, operator(), what, environment, onProgress),
      )
        .finally(progress.finish)
        .catch(explain)
      for (const { message } of notes) print(`Tolerated: ${message}`)
      print(`Stored ${title} as ${key}: ${units} ${units === 1 ? 'unit' : 'units'}, ${files} files`)
    })
  },
})

/** Shows every fault of a refused package. */
function explain(problem: Error & { faults?: readonly object[] }): never {
  const faults = (problem.faults ?? []) as readonly { readonly message: string; readonly rule?: string }[]
  if (faults.length > 1)
    for (const { message, rule } of faults) print(rule === undefined ? message : `${message} (cmi5 ${rule})`)
  throw problem
}

export const packageCommands: CommandGroup = { about: 'Store content packages.', verbs: { add } }
