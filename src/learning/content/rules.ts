import { fail } from '../../kernel/errors.ts'

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** Bytes in words, such as `4.9 GiB`. */
function sayBytes(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${UNITS[power]}`
}

export const storageFull = (usage: { readonly usedBytes: number; readonly limitBytes: number }) =>
  fail(
    'storageFull',
    `This file does not fit: the organisation uses ${sayBytes(usage.usedBytes)} of ${sayBytes(usage.limitBytes)}. Delete files, or ask an administrator for more storage`,
  )
