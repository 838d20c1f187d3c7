import { INVITATION_DAYS, refuseWithoutMessages, sendInvitations } from '../../identity/people/invitations.ts'
import { ENVIRONMENTS } from '../../kernel/config.ts'
import type { Environment } from '../../kernel/environment.ts'
import { type Counts, type ImportReport, importContent } from '../../kernel/imports/imports.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { migrateAll } from '../platform/platform.ts'
import { refuseLowDisk } from './checks.ts'
import { command, print, tell } from './command.ts'
import { readEnvironmentName, refuseEarlier, withDatabase, withEnvironments } from './database.ts'
import { refuseOpenImport } from './demo.ts'
import { readImportFile } from './import-file.ts'
import { operator } from './operator.ts'
import { startProgress } from './progress.ts'

export const importCommand = command({
  about: 'Import organisations, users, apps, courses, classes and badges from a JSON file: all of it, or nothing.',
  args: ['FILE'],
  options: {
    environment: { type: 'string', value: 'NAME', default: 'production', about: 'production, sandbox or both' },
    'dry-run': {
      type: 'boolean',
      default: false,
      about: 'Check the file and show what would change; write nothing',
    },
    'send-links': {
      type: 'boolean',
      default: false,
      about: 'Send a link to every user in the file who has an e-mail address and no password yet',
    },
  },
  notes: [
    'docs/import.md describes the file; demo/demo.json is an example. You can import a file again: only differences are written.',
    'Entries are matched by key or handle. Everything that is not in the file stays the same.',
    'The platform sends the links while it runs. Nobody gets a second one while the first still works.',
    'The platform can keep running. If you stop this command after the file was accepted, the platform writes the rest.',
  ].join('\n'),
  examples: [
    'import school.json --dry-run',
    'import school.json',
    'import school.json --environment both',
    'import school.json --send-links',
  ],
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
            if (!isDryRun) refuseLowDisk(targets)
            if (values['send-links']) for (const { get } of targets) refuseWithoutMessages(get(messagePolicy))
            const progress = startProgress({ isCounted: true })
            let isAccepted = false
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
            }).finally(() => {
              process.removeListener('SIGINT', interrupt)
              progress.finish()
            })
            for (const name of ENVIRONMENTS) if (reports[name]) print(describe(name, reports[name]))
            if (isDryRun) print('This was a dry run: nothing was written.')
            else if (values['send-links']) for (const target of targets) await sendLinks(target, content)
          },
          { mayMakeKey: !isDryRun },
        )
      },
      { mayMake: !isDryRun },
    )
  },
})

async function sendLinks({ db, name, get }: Environment, content: unknown): Promise<void> {
  const { people = [] } = content as { people?: readonly { handle: string }[] }
  const progress = startProgress({ isCounted: true })
  const sent = await sendInvitations(
    db,
    operator(),
    {
      handles: people.map(({ handle }) => handle),
      onProgress: (done, total) => progress.update(done, total, 'sending links'),
    },
    get(messagePolicy),
  ).finally(progress.finish)
  print(`${name}: password links sent: ${sent}; each works for ${INVITATION_DAYS} days`)
}

const describe = (environment: string, report: ImportReport): string =>
  [
    `${environment}:`,
    ...Object.entries<Counts>(report).map(
      ([section, { created, updated, unchanged }]) =>
        `  ${section.padEnd(14)}${created} created, ${updated} updated, ${unchanged} unchanged`,
    ),
  ].join('\n')
