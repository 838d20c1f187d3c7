import { fail } from '../../kernel/errors.ts'

/** Bytes in words, such as `4.9 GB`. */
function sayBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  let power = 0
  for (let rest = bytes; rest >= 1000 && power < units.length - 1; rest /= 1000) power++
  return `${Number((bytes / 1000 ** power).toFixed(1))} ${units[power]}`
}

export const storageFull = (usage: { readonly usedBytes: number; readonly limitBytes: number }) =>
  fail(
    'storageFull',
    `This file does not fit: the organisation uses ${sayBytes(usage.usedBytes)} of ${sayBytes(usage.limitBytes)}. Delete files, or ask an administrator for more storage`,
  )
