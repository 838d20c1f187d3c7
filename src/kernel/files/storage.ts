import { join } from 'node:path'
import { type Environment, service } from '../environment.ts'
import { Bucket } from './bucket.ts'
import type { FileStore } from './contents.ts'
import { Folder } from './folder.ts'

/** Counts the requests that the S3-compatible store has failed. A request that succeeds on a later try is not one. */
export const storeFailures = service(() => ({ count: 0 }))

/** Opens the bucket of the settings, with the names of its objects in `folder`; undefined if there is no bucket. */
export function openBucket({ config, name, clock, get }: Environment, folder = ''): Bucket | undefined {
  const { S3_URL, S3_REGION, S3_ACCESS_KEY, S3_SECRET_KEY } = config
  if (S3_URL === undefined) return undefined
  const keys = { region: S3_REGION, accessKey: S3_ACCESS_KEY!, secretKey: S3_SECRET_KEY! }
  return new Bucket({ url: `${S3_URL}/${name}${folder}`, keys, clock, onFailure: () => get(storeFailures).count++ })
}

/** The store of uploaded files that the settings choose. */
export const fileStore = service<FileStore>(
  (environment) => openBucket(environment) ?? new Folder(join(environment.config.DATA_DIR, 'files', environment.name)),
)
