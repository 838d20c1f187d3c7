import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ENVIRONMENTS } from '../../kernel/config.ts'
import { backup as writeBackup } from '../../kernel/database/backup.ts'
import { verifyBackup } from '../../kernel/database/restore.ts'
import { schemaOf } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { command, print, tell, UsageError } from './command.ts'
import { withDatabase } from './database.ts'
import { startProgress } from './progress.ts'
import { readSecret } from './secret-input.ts'

const MIN_PASSPHRASE_LENGTH = 12

export const backup = command({
  about: 'Write a snapshot of both environments to a new file, and read it back to verify it.',
  args: ['FILE'],
  options: {
    encrypt: {
      type: 'boolean',
      default: false,
      about: 'Encrypt the file with a passphrase',
    },
    keep: {
      type: 'string',
      value: 'NUMBER',
      about: 'Use FILE as a folder: name the file after the time, and keep only the newest backups',
    },
  },
  notes: [
    'The platform can keep running. An existing file is never overwritten, and a failed backup leaves no file.',
    '',
    'The file has all data about users: names, addresses, dates of birth, friends, pictures, app data, the audit',
    'log; hashes of passwords, tokens and client secrets; unsent messages, encrypted. Anybody who has the file can read it and guess',
    'weak passwords. Keep it as safe as the database, or use --encrypt.',
    '',
    'With --encrypt the command asks for a passphrase, or reads it from standard input. Without it the backup cannot be read.',
    '',
    'The secret key is not in the file, and a restored platform does not start without it. Keep a copy in another safe place:',
    'DATA_DIR/secret.key, or the value of SECRET_KEY.',
    '',
    'With --keep, older backups are deleted only after the new one was verified, and only files that --keep has named.',
  ].join('\n'),
  examples: [
    'backup groundschool-monday.backup',
    'backup groundschool-monday.backup --encrypt < passphrase.txt',
    'backup /var/backups/groundschool --keep 14',
  ],
  run: async ([given], values) => {
    const keep = readKeep(values.keep)
    const file = keep === undefined ? given! : join(readFolder(given!), nameAt(new Date()))
    const passphrase = values.encrypt ? await readPassphrase() : undefined
    await withDatabase(async (connection, config) => {
      const progress = startProgress()
      const { rows, tables, bytes } = await writeBackup({
        connection,
        schemas: ENVIRONMENTS.map(schemaOf),
        file,
        passphrase,
        progress: progress.update,
      }).finally(progress.finish)
      await verifyBackup({ file, passphrase })
      print(`${file}: ${rows} rows of ${tables} tables, ${bytes} bytes, verified`)
      if (keep !== undefined) deleteOldBackups(given!, keep)
      tell(`Keep ${nameKey(config)} too: a restored platform needs the same key, and it is not in the file.`)
    })
  },
})

async function readPassphrase(): Promise<string> {
  const passphrase = await readSecret('Passphrase of the backup')
  if ([...passphrase].length < MIN_PASSPHRASE_LENGTH)
    throw fail(
      'validationFailed',
      `A passphrase must have at least ${MIN_PASSPHRASE_LENGTH} characters; nothing was written`,
    )
  return passphrase
}

function readKeep(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new UsageError(`--keep must be a whole number from 1 to 9999, not '${text}'`)
  return Number(text)
}

function readFolder(folder: string): string {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--keep needs an existing folder, and ${folder} is not one`)
  return folder
}

const NAME = /^groundschool-\d{8}T\d{6}Z\.backup$/
const nameAt = (at: Date): string => `groundschool-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.backup`

/** Deletes all backups in a folder that `--keep` has named, except the newest. */
function deleteOldBackups(folder: string, keep: number): void {
  const older = readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .slice(0, -keep)
  for (const name of older) rmSync(join(folder, name))
  if (older.length > 0) print(`deleted: ${older.join(', ')}`)
}

const nameKey = (config: Config): string =>
  config.SECRET_KEY ? 'the value of SECRET_KEY' : join(config.DATA_DIR, 'secret.key')
