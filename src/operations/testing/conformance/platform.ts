import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { readConfig } from '../../../kernel/config.ts'
import type { Environment } from '../../../kernel/environment.ts'
import { addCredential } from '../../../records/credentials/managing.ts'
import { openLog } from '../../platform/log.ts'
import { migrateAll, openServer, startPlatform } from '../../platform/platform.ts'
import { findFreePort } from '../ports.ts'

export const print = (text: string) => process.stdout.write(`${text}\n`)
export const caller = () => ({ at: new Date(), requestId: 'conformance', address: '127.0.0.1' })

const UNLIMITED = '1000000'

/** A new platform for one suite, and a key that may read and write everything in its record store. */
export interface SuitePlatform {
  readonly environment: Environment
  readonly address: string
  readonly key: string
  readonly secret: string
  stop(): Promise<void>
}

/** Starts a platform on a new database. Every request is logged in `requestLog`, if it is given. */
export async function openSuitePlatform(requestLog?: string): Promise<SuitePlatform> {
  const dataDir = mkdtempSync(join(tmpdir(), 'groundschool-conformance-'))
  const config = readConfig({
    DATA_DIR: dataDir,
    // The address of the content origin contains the port, so it is chosen before the platform listens.
    PORT: String(await findFreePort()),
    SANDBOX_PORT: String(await findFreePort()),
    LOG_LEVEL: requestLog ? 'info' : 'warn',
    LOG_SAMPLE: '1',
    SECRET_KEY: Buffer.alloc(32, 1).toString('base64url'),
    RATE_TOKEN_PER_SECOND: UNLIMITED,
    RATE_TOKEN_BURST: UNLIMITED,
    RATE_ADDRESS_PER_SECOND: UNLIMITED,
    RATE_ADDRESS_BURST: UNLIMITED,
  })
  const stream = requestLog ? createWriteStream(requestLog) : undefined
  const log = openLog(config, stream)
  const database = await openServer(config, log)
  await migrateAll(database.connection)
  const platform = await startPlatform(config, database.connection, log, () => new Date())
  const environment = platform.environments[0]!
  const { key, secret } = await addCredential(
    environment.db,
    caller(),
    { name: 'Conformance', scopes: ['all'] },
    environment,
  )
  return {
    environment,
    address: platform.addresses.production,
    key,
    secret,
    stop: async () => {
      await platform.stop()
      await database.stop()
      if (stream) await finished(stream.end())
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
