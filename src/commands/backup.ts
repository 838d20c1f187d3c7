import { join } from 'node:path'
import { type Config, ENVIRONMENTS } from '../config.ts'
import { backup as writeBackup } from '../database/backup.ts'
import { schemaOf } from '../environment.ts'
import { fail } from '../errors.ts'
import { command, print, tell } from './command.ts'
import { withDatabase } from './database.ts'
import { startProgress } from './progress.ts'
import { readSecret } from './secret-input.ts'

const MIN_PASSPHRASE_LENGTH = 12

export const backup = command({
  about: 'Writes everything that both environments hold, as of one moment, into one new file.',
  args: ['FILE'],
  options: {
    encrypt: {
      type: 'boolean',
      default: false,
      about: 'Encrypts the file with a passphrase, which `restore` asks for',
    },
  },
  notes: [
    'The platform keeps working meanwhile. An existing file is never overwritten, and a backup that fails leaves no file.',
    'The file holds everything that is stored about people: names, addresses, dates of birth, friends, pictures, what apps store',
    'about them, the log of security events; hashes of passwords, tokens and client secrets; waiting messages, encrypted. Anybody',
    'who gets the file can read that and guess weak passwords. Keep it as safe as the database, or use --encrypt. The command asks',
    'for the passphrase, or reads it from the standard input; it is never an argument. If it is lost, so is the backup.',
    'Keep the secret key in another safe place: DATA_DIR/secret.key, or the value of SECRET_KEY. It is not in the file, and a',
    'restored platform does not start without it.',
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
