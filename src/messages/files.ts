import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config, EnvironmentName } from '../config.ts'
import type { Environment } from '../environment.ts'
import type { Message } from './delivery.ts'
import * as store from './store.ts'

export const folderOf = (config: Pick<Config, 'DATA_DIR'>, name: EnvironmentName): string =>
  join(config.DATA_DIR, 'messages', name)

/** What a file is known by again: no two messages of an environment were made at the same moment and have the same number. */
const stemOf = (id: number, createdAt: Date): string => `${createdAt.toISOString().replace(/\D/g, '')}-${id}`
const STEM = /^\d{17}-(\d{1,15})(?=-)/

export const fileNameOf = ({ id, kind, createdAt }: Message): string => `${stemOf(id, createdAt)}-${kind}.eml`

const LOOKED_UP_AT_ONCE = 1000

/** Files stay for as long as the database knows their message: until it is old, or its reader is gone. Files that are not ours stay anyway. */
export async function forgetFiles({ name, config, db, stopping }: Environment): Promise<void> {
  const folder = folderOf(config, name)
  const files = (await listFolder(folder)).flatMap((file) => {
    const [stem, id] = STEM.exec(file) ?? []
    return stem === undefined ? [] : [{ file, stem, id: Number(id) }]
  })
  for (let from = 0; from < files.length && !stopping.aborted; from += LOOKED_UP_AT_ONCE) {
    const some = files.slice(from, from + LOOKED_UP_AT_ONCE)
    const rows = await db.all(store.findKept, { ids: some.map(({ id }) => id) })
    const kept = new Set(rows.map(({ id, created_at: createdAt }) => stemOf(id, createdAt)))
    for (const { file, stem } of some) if (!kept.has(stem)) await rm(join(folder, file), { force: true })
  }
}

/** Nothing where no message was ever written to a file. */
async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
