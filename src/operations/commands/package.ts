import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { StartupError } from '../../kernel/errors.ts'
import { BodyStream } from '../../kernel/http/input/fields.ts'
import { addPackageUnchecked } from '../../learning/packages/upload.ts'
import { refuseLowDisk } from './checks.ts'
import { type CommandGroup, command, IN_PRODUCTION, print } from './command.ts'
import { withEnvironment } from './database.ts'
import { operator } from './operator.ts'

/** Reads a file in chunks. */
async function openUpload(path: string, mostBytes: number) {
  const found = await stat(path).catch(({ code }) => {
    throw new StartupError(`${path} cannot be read (${code}); check its name and permissions`)
  })
  if (!found.isFile()) throw new StartupError(`${path} is not a file`)
  if (found.size > mostBytes) throw new StartupError(`${path} is larger than PACKAGE_BYTES, ${mostBytes} bytes`)
  return new BodyStream(found.size, () => createReadStream(path))
}

const add = command({
  about: 'Check a cmi5 package and store it for an organisation.',
  args: ['FILE'],
  options: {
    environment: IN_PRODUCTION,
    organisation: { type: 'string', value: 'KEY', about: 'The organisation that owns the package' },
  },
  notes: [
    'FILE is a zip archive with cmi5.xml at its root, or cmi5.xml alone. The command prints the packageId, or each requirement that the',
    'package violates; the exit code is then 1. Running it again with the same file stores nothing more.',
  ].join('\n'),
  examples: ['package add fuel-planning.zip --organisation sandhills'],
  run: async ([path], { environment: name, organisation }) => {
    if (organisation === undefined) throw new StartupError('--organisation is missing: name the owner of the package')
    await withEnvironment(name, async (environment) => {
      const { db, config } = environment
      refuseLowDisk([environment])
      const file = await openUpload(path!, config.PACKAGE_BYTES)
      const given = path!.split(/[/\\]/).at(-1)!
      const what = { organisation, name: given, file }
      const { key, title, units, files } = await addPackageUnchecked(db, operator(), what, environment).catch(explain)
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
