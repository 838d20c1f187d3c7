import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { countUnreadableSecrets } from '../../apps/apps/apps.ts'
import { secretSeal } from '../../apps/apps/secrets.ts'
import { countUnreadableKeys } from '../../apps/signing/keys.ts'
import { type Config, ENVIRONMENTS } from '../../kernel/config.ts'
import type { Connection } from '../../kernel/database/database.ts'
import { migrate } from '../../kernel/database/migrate.ts'
import { restore as readBackup } from '../../kernel/database/restore.ts'
import { schemaOf } from '../../kernel/environment.ts'
import { StartupError } from '../../kernel/errors.ts'
import { migrateAll } from '../platform/platform.ts'
import { command, print, tell } from './command.ts'
import { withDatabase, withEnvironments } from './database.ts'
import { startProgress } from './progress.ts'
import { readSecret } from './secret-input.ts'

export const restore = command({
  about: 'Load a backup into an empty database: that of a new DATA_DIR, or that of DATABASE_URL.',
  args: ['FILE'],
  options: {},
  notes: [
    'The file is checked first. Everything is written in one transaction, and nothing is ever overwritten. A backup of an older',
    'version is updated to this one. If it is encrypted, the command asks for the passphrase, or reads it from standard input.',
    'The platform needs the secret key of the installation that the backup is from: copy its secret.key into the new DATA_DIR, or set',
    'SECRET_KEY.',
  ].join('\n'),
  examples: [
    'restore groundschool-monday.backup   # with DATA_DIR=./restored in the environment',
    'restore groundschool-monday.backup < passphrase.txt',
  ],
  run: ([file]) =>
    withDatabase(
      async (connection, config, log) => {
        const progress = startProgress()
        const { rows, tables } = await readBackup({
          connection,
          schemas: ENVIRONMENTS.map(schemaOf),
          file: file!,
          askPassphrase: () => readSecret(`Passphrase of ${file}`, { isNew: false }),
          prepare: async (schema, migration) => void (await migrate(connection, schema, undefined, migration)),
          progress: progress.update,
        }).finally(progress.finish)
        await migrateAll(connection)
        print(`${rows} rows of ${tables} tables were restored.`)
        const advice = await findKeyProblem(config, connection, log)
        if (advice) tell(advice)
      },
      { mayMake: true },
    ),
})

/**
 * Returns what the operator still has to do about the secret key; undefined if nothing. The data itself is restored
 * already.
 */
async function findKeyProblem(config: Config, connection: Connection, log: Logger): Promise<string | undefined> {
  const file = join(config.DATA_DIR, 'secret.key')
  if (!config.SECRET_KEY && !existsSync(file))
    return `One step is left: copy the secret key of the original platform to ${file}, or set SECRET_KEY.`
  try {
    let count = 0
    await withEnvironments(config, connection, log, async (environments) => {
      for (const { db, get } of environments) {
        const seal = get(secretSeal)
        count += (await countUnreadableSecrets(db, seal)) + (await countUnreadableKeys(db, seal))
      }
    })
    return count === 0
      ? undefined
      : `One step is left: set SEAL_KEYS as on the original platform. ${count} secrets of plugins and keys of ID tokens cannot be decrypted without it.`
  } catch (problem) {
    if (!(problem instanceof StartupError)) throw problem
    return `One step is left. ${problem.message}.`
  }
}
