import { join } from 'node:path'
import { type Config, ENVIRONMENTS } from '../config.ts'
import { backup as writeBackup } from '../database/backup.ts'
import { schemaOf } from '../environment.ts'
import { command, print, tell } from './command.ts'
import { withDatabase } from './database.ts'
import { startProgress } from './progress.ts'

export const backup = command({
  about: 'Writes everything that both environments hold, as of one moment, into one new file.',
  args: ['FILE'],
  options: {},
  notes: [
    'The platform goes on working meanwhile. A file that exists is never overwritten, and a backup that fails leaves none.',
    'Keep the secret key beside it, in another safe place: DATA_DIR/secret.key, or what SECRET_KEY says. It is not in the',
    'file, so that whoever gets hold of the file alone can use nothing in it, and without it a restored platform does not start.',
  ].join('\n'),
  examples: ['backup groundschool-monday.backup'],
  run: ([file]) =>
    withDatabase(
      async (connection, config) => {
        const progress = startProgress()
        const { rows, tables, bytes } = await writeBackup({
          connection,
          schemas: ENVIRONMENTS.map(schemaOf),
          file: file!,
          progress: progress.update,
        }).finally(progress.finish)
        print(`${file}: ${rows} rows of ${tables} tables, ${bytes} bytes`)
        tell(`Keep ${nameKey(config)} too: a restored platform needs the same key, and it is not in the file.`)
      },
      { mustExist: true },
    ),
})

const nameKey = (config: Config): string =>
  config.SECRET_KEY ? 'the value of SECRET_KEY' : join(config.DATA_DIR, 'secret.key')
