import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Folder for compiled code and the bundle. It belongs to the installation: in a shared folder, other users could
 * replace the code. `npm ci`, which may change packages, deletes it.
 */
export const CACHE = fileURLToPath(new URL('../node_modules/.cache/groundschool', import.meta.url))

/** The whole server in one file, which loads in a third of the time that its 1,700 modules take (decision 79). */
export const BUNDLE = `${CACHE}/server.mjs`

/**
 * Hashes the contents of files of the clone.
 * @param {readonly string[]} files
 */
export function hashFiles(files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(new URL(`../${file}`, import.meta.url))).update('\0')
  return hash.digest('hex')
}

/** Tells whether there is a bundle of the present sources. Its first line names its files, and the hash of them. */
export function isBundled() {
  try {
    const { files, hash } = JSON.parse(readFirstLine().slice('//'.length))
    return hash === hashFiles(files)
  } catch {
    return false
  }
}

function readFirstLine() {
  const bundle = openSync(BUNDLE, 'r')
  try {
    const start = Buffer.alloc(64 * 1024)
    readSync(bundle, start)
    return start.toString('utf8', 0, start.indexOf('\n'))
  } finally {
    closeSync(bundle)
  }
}
