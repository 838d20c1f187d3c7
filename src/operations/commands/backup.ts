import { join } from 'node:path'
import { type Config, ENVIRONMENTS } from '../../kernel/config.ts'
import { backup as writeBackup } from '../../kernel/database/backup.ts'
import { schemaOf } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { command, print, tell } from './command.ts'
import { withDatabase } from './database.ts'
import { startProgress } from './progress.ts'
import { readSecret } from './secret-input.ts'

const MIN_PASSPHRASE_LENGTH = 12

export const backup = command({
  about: 'Writes a snapshot of both environments to a new file.',
  args: ['FILE'],
  options: {
    encrypt: {
      type: 'boolean',
      default: false,
      about: 'Encrypts the file with a passphrase',
    },
  },
  notes: [
    'The platform keeps running meanwhile. An existing file is never overwritten, and a failed backup leaves no file.',
    '',
    'The file holds everything that is stored about people: names, addresses, dates of birth, friends, pictures, app data, the audit',
    'log; hashes of passwords, tokens and client secrets; unsent messages, encrypted. Anybody who has the file can read it and guess',
    'weak passwords. Keep it as safe as the database, or use --encrypt.',
    '',
    'With --encrypt the command asks for a passphrase, or reads it from standard input. Without it the backup cannot be read.',
    '',
    'The secret key is not in the file, and a restored platform does not start without it. Keep a copy in another safe place:',
    'DATA_DIR/secret.key, or the value of SECRET_KEY.',
  ].join('\n'),
  examples: ['backup groundschool-monday.backup', 'backup groundschool-monday.backup --encrypt < passphrase.txt'],
  run: async ([file], values) => {
    const passphrase = values.encrypt ? await readPassphrase() : undefined
    await withDatabase(async (connection, config) => {
      const progress = startProgress()
      const { rows, tables, bytes } = await writeBackup({
        connection,
        schemas: ENVIRONMENTS.map(schemaOf),
        file: file!,
        passphrase,
        progress: progress.update,
      }).finally(progress.finish)
      print(`${file}: ${rows} rows of ${tables} tables, ${bytes} bytes`)
      tell(`Keep ${nameKey(config)} too: a restored platform needs the same key, and it is not in the file.`)
    })
  },
})

async function readPassphrase(): Promise<string> {
  const passphrase = await readSecret('Passphrase of the backup')
  if ([...passphrase].length < MIN_PASSPHRASE_LENGTH)
    throw fail('validationFailed', `A passphrase has at least ${MIN_PASSPHRASE_LENGTH} characters; nothing was written`)
  return passphrase
}

const nameKey = (config: Config): string =>
  config.SECRET_KEY ? 'the value of SECRET_KEY' : join(config.DATA_DIR, 'secret.key')
