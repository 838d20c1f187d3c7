const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Bytes in words, such as `4.9 GB`. */
export function sayBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${Number((bytes / 1000 ** power).toFixed(1))} ${UNITS[power]}`
}
