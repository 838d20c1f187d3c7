import { join } from 'node:path'
import { service } from '../../kernel/environment.ts'
import { Bucket } from './bucket.ts'
import type { FileStore } from './contents.ts'
import { Folder } from './folder.ts'

/** The store that the settings choose. */
export const fileStore = service<FileStore>(({ config, name, clock }) => {
  const { S3_URL, S3_REGION, S3_ACCESS_KEY, S3_SECRET_KEY } = config
  if (S3_URL === undefined) return new Folder(join(config.DATA_DIR, 'files', name))
  const keys = { region: S3_REGION, accessKey: S3_ACCESS_KEY!, secretKey: S3_SECRET_KEY! }
  return new Bucket({ url: `${S3_URL}/${name}`, keys, clock })
})
