import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const WEB = fileURLToPath(new URL('.', import.meta.url))
/** Where the pages are built to. */
export const DIST = join(WEB, 'dist')
/** Says what they were built from; written last, so that half a build is none. */
export const STAMP = 'built-from.txt'

/** The paths of all pages. The server answers 404 for any other address. */
export const PATHS = 'paths.json'

/** What the build is made from: its sources, its tools, and how it is done. */
export function hashInputs(): string {
  const files = globSync(['**/*.{ts,tsx,css,html,json}'], { cwd: WEB, exclude: ['dist/**', 'dist-*/**'] })
    .filter((file) => !/\.test\.ts$|^testing|^screenshots/.test(file))
    .sort()
  const hash = createHash('sha256')
  for (const file of [...files, '../package-lock.json'])
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(WEB, file)))
      .update('\0')
  return hash.digest('hex')
}

const findStamp = (): string | undefined => {
  try {
    return readFileSync(join(DIST, STAMP), 'utf8')
  } catch {
    return undefined
  }
}

/** How it went: `built` says how long it took. Where there is nothing to build with, an older build is served, or none. */
export type Built =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'built'; readonly ms: number }
  | { readonly kind: 'failed'; readonly why: string; readonly hasOlder: boolean }

/** Whether there is a build of these very sources. */
export const isBuilt = (): boolean => findStamp() === hashInputs()

/** Builds the pages where they are not what their sources say, in a process of its own: the tools for it take more memory than the platform. */
export async function buildWhereStale(onStart: () => void = () => {}): Promise<Built> {
  const stamp = findStamp()
  const wanted = hashInputs()
  if (stamp === wanted) return { kind: 'fresh' }
  onStart()
  const startedAt = performance.now()
  const { status, output } = await run([join(WEB, 'build.ts'), wanted])
  if (status === 0) return { kind: 'built', ms: performance.now() - startedAt }
  return { kind: 'failed', why: output.trim().split('\n').slice(-12).join('\n'), hasOlder: stamp !== undefined }
}

const run = (args: readonly string[]): Promise<{ status: number | null; output: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const pieces: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => pieces.push(piece))
    child.once('error', reject).once('close', (status) => resolve({ status, output: Buffer.concat(pieces).toString() }))
  })
