import { Disk } from '../../bounds/disk.ts'
import { service } from '../../environment.ts'
import { fail, type PlatformError } from '../../errors.ts'

/** Request bodies over this size are refused while the disk is low (bytes). */
export const LARGE_WRITE_BYTES = 8 * 1024
const RETRY_AFTER_SECONDS = 60

/** The disk of the database. The sandbox has a larger reserve, so it is refused first. */
export const disk = service(
  ({ config, name }) =>
    new Disk(
      config.DISK_PATH ?? (config.DATABASE_URL ? undefined : config.DATA_DIR),
      name === 'sandbox' ? config.SANDBOX_DISK_RESERVE_BYTES : config.DISK_RESERVE_BYTES,
    ),
  (one) => one.close(),
)

export const lowDisk = (): PlatformError =>
  fail('notReady', 'The disk is almost full, so only small writes are accepted; try again later', RETRY_AFTER_SECONDS)
