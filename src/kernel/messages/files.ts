import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config, EnvironmentName } from '../config.ts'
import type { JobEnvironment } from '../jobs/jobs.ts'
import type { Message } from './delivery.ts'
import * as store from './store.ts'

export const folderOf = (config: Pick<Config, 'DATA_DIR'>, name: EnvironmentName): string =>
  join(config.DATA_DIR, 'messages', name)

/**
 * Returns the first part of a file name, which identifies the message. No two messages of an environment share both
 * time and id.
 */
const stemOf = (id: number, createdAt: Date): string => `${createdAt.toISOString().replace(/\D/g, '')}-${id}`
const NAME = /^(\d{17}-(\d{1,15}))-[a-z-]+\.eml(?:\.\d+)?$/

export const fileNameOf = ({ id, kind, createdAt }: Message): string => `${stemOf(id, createdAt)}-${kind}.eml`

interface FolderContext extends Pick<JobEnvironment, 'db' | 'stopping'> {
  readonly name: EnvironmentName
  readonly config: Config
}

const LOOKED_UP_AT_ONCE = 1000

/**
 * Deletes files whose message is no longer in the database, because the message expired or its recipient was deleted.
 * Other files in the folder are not touched.
 */
export async function forgetFiles({ name, config, db, stopping }: FolderContext): Promise<void> {
  const folder = folderOf(config, name)
  const files = (await listFolder(folder)).flatMap((file) => {
    const [, stem, id] = NAME.exec(file) ?? []
    return stem === undefined ? [] : [{ file, stem, id: Number(id) }]
  })
  const problems: unknown[] = []
  for (let from = 0; from < files.length && !stopping.aborted; from += LOOKED_UP_AT_ONCE) {
    const some = files.slice(from, from + LOOKED_UP_AT_ONCE)
    const rows = await db.all(store.findKept, { ids: some.map(({ id }) => id) })
    const kept = new Set(rows.map(({ id, created_at: createdAt }) => stemOf(id, createdAt)))
    const gone = some.filter(({ stem }) => !kept.has(stem)).map(({ file }) => rm(join(folder, file), { force: true }))
    // If one file cannot be removed, the others are still removed.
    for (const result of await Promise.allSettled(gone)) if (result.status === 'rejected') problems.push(result.reason)
  }
  if (problems.length > 0) throw problems[0]
}

/**
 * Lists the files in a folder. Returns an empty list if the folder does not exist, because no message was ever written.
 */
async function listFolder(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
