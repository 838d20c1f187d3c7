import { ENVIRONMENTS } from '../../kernel/config.ts'
import { type Counts, type ImportReport, importContent } from '../../kernel/imports/imports.ts'
import { migrateAll } from '../platform/platform.ts'
import { command, print, tell } from './command.ts'
import { readEnvironmentName, refuseEarlier, withDatabase, withEnvironments } from './database.ts'
import { refuseOpenImport } from './demo.ts'
import { readImportFile } from './import-file.ts'
import { operator } from './operator.ts'
import { startProgress } from './progress.ts'

export const importCommand = command({
  about: 'Imports organisations, people, apps, courses, classes and badges from a JSON file: all of it, or nothing.',
  args: ['FILE'],
  options: {
    environment: { type: 'string', value: 'NAME', default: 'production', about: 'production, sandbox or both' },
    'dry-run': {
      type: 'boolean',
      default: false,
      about: 'Checks the file and shows what would change; writes nothing',
    },
  },
  notes: [
    'docs/import.md describes the file; demo/demo.json is an example. You can import a file again: only differences are written.',
    'Entries are matched by key or handle. Anything that the file does not mention stays as it is.',
    'The platform may be running. If you stop this command after the file was accepted, the platform writes the rest.',
  ].join('\n'),
  examples: ['import school.json --dry-run', 'import school.json', 'import school.json --environment both'],
  run: async ([path], values) => {
    const only = values.environment === 'both' ? undefined : readEnvironmentName(values.environment, ', or both')
    const content = await readImportFile(path!)
    const isDryRun = values['dry-run']
    await withDatabase(
      async (connection, config, log) => {
        await (isDryRun ? refuseEarlier(connection) : migrateAll(connection))
        await withEnvironments(
          config,
          connection,
          log,
          async (environments) => {
            const targets = environments.filter(({ name }) => only === undefined || name === only)
            await refuseOpenImport(config, targets, content)
            const progress = startProgress({ isCounted: true })
            let isAccepted = false
            const notes: string[] = []
            const interrupt = () => {
              progress.finish()
              tell(isAccepted ? 'The file was accepted; the platform writes the rest.' : 'Nothing was imported.')
              process.exit(130)
            }
            process.once('SIGINT', interrupt)
            const reports = await importContent(targets, operator(), {
              content,
              isDryRun,
              onProgress: progress.update,
              onAccepted: () => {
                isAccepted = true
              },
              onNote: (sentence) => notes.push(sentence),
            }).finally(() => {
              process.removeListener('SIGINT', interrupt)
              progress.finish()
            })
            for (const name of ENVIRONMENTS) if (reports[name]) print(describe(name, reports[name]))
            for (const note of notes) print(note)
            if (isDryRun) print('This was a dry run: nothing was written.')
          },
          { mayMake: !isDryRun },
        )
      },
      { mayMake: !isDryRun },
    )
  },
})

const describe = (environment: string, report: ImportReport): string =>
  [
    `${environment}:`,
    ...Object.entries<Counts>(report).map(
      ([section, { created, updated, unchanged }]) =>
        `  ${section.padEnd(14)}${created} created, ${updated} updated, ${unchanged} unchanged`,
    ),
  ].join('\n')
