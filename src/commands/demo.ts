import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { hasApp, makeClientId } from '../apps/apps.ts'
import type { Config } from '../config.ts'
import type { Connection, Db } from '../database/database.ts'
import { importContent, isUntouched } from '../imports/imports.ts'
import { withEnvironments } from './database.ts'
import { readImportFile } from './import-file.ts'
import { operator } from './operator.ts'

const DEMO_FILE = fileURLToPath(new URL('../../demo/demo.json', import.meta.url))

/**
 * Imports the demo data where it is due: always with DEMO=on, and with `auto` into an embedded database in which nothing ever
 * happened, as long as only this machine can reach the platform. "Nothing ever happened" rather than "just made", so that a first
 * start that was interrupted still ends with demo data.
 */
export async function importDemoWhereDue(config: Config, connection: Connection, log: Logger): Promise<void> {
  if (config.DEMO === 'off' || !config.isLocal) return
  if (config.DEMO === 'auto' && config.DATABASE_URL) return
  await withEnvironments(config, connection, log, async (environments) => {
    const untouched = await Promise.all(environments.map(({ db }) => isUntouched(db)))
    if (config.DEMO === 'auto' && untouched.includes(false)) return
    await importContent(environments, operator(), { content: await readImportFile(DEMO_FILE) })
    log.info('the demo data was imported')
  })
}

export const hasDemo = (db: Db): Promise<boolean> => hasApp(db, makeClientId('production', 'demo-app'))
