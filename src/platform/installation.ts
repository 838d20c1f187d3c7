import { createHash } from 'node:crypto'
import type { EnvironmentName } from '../config.ts'
import type { Db } from '../database/database.ts'
import { text, write } from '../database/statement.ts'
import { StartupError } from '../errors.ts'

const keepFact = write('installation.keep', {
  params: { name: text, value: text },
  row: { value: text },
  text: `
    insert into installation as i (name, value) values (:name, :value)
    on conflict (name) do update set value = i.value
    returning value`,
})

/** All processes of one installation must share a key: with another one, refresh tokens and client secrets would be refused here and there. */
export async function checkSecretKey(db: Db, secretKey: Buffer, environment: EnvironmentName): Promise<void> {
  const value = createHash('sha256')
    .update(`groundschool/${environment}/fingerprint`)
    .update(secretKey)
    .digest('base64url')
  const kept = await db.first(keepFact, { name: 'secret-key-fingerprint', value })
  if (kept?.value !== value)
    throw new StartupError(
      'This database was first used with another secret key: set SECRET_KEY to that one, or bring its DATA_DIR/secret.key here',
    )
}
