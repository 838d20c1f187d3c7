import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Article, Section } from './reference/article-types.ts'
import { SITE_PAGES } from './reference/guides.ts'

const WEB = fileURLToPath(new URL('.', import.meta.url))
export const DIST = join(WEB, 'dist')
/** A file with the hash of the sources. It is written last, so an interrupted build does not have it. */
export const STAMP = 'built-from.txt'

/** A file with the paths of all pages. The server answers 404 to any other path. */
export const PATHS = 'paths.json'

/** The module that renders pages on the server. */
export const RENDER = 'render.mjs'

/** A file with the documentation. */
export const SITE = 'site.json'

/** The folder with the player of SCORM packages. */
export const PLAYER = 'player'

/** A page of the documentation. */
export interface BuiltDocument {
  readonly path: string
  /** The content for the pages. */
  readonly article: Article
  /** The content for programs. */
  readonly markdown: string
}

/** The content of `SITE`. */
export interface BuiltSite {
  readonly documents: readonly BuiltDocument[]
  readonly sections: readonly Section[]
}

/** Returns a hash of everything that the build depends on: sources, documents, and the versions of the tools. */
export function hashInputs(): string {
  // Each start does this, and globSync takes three times as long.
  const files = readdirSync(WEB, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|css|html|json)$/.test(file) && !/^dist[-/]|\.test\.ts$|^testing|^screenshots/.test(file))
    .sort()
  const hash = createHash('sha256')
  const documents = SITE_PAGES.map(({ file }) => `../${file}`)
  for (const file of [...files, ...documents, '../docs/openapi.json', '../package-lock.json'])
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

/** The result of `buildWhereStale`. If the build failed, an older build is served if there is one. */
export type Built =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'built'; readonly ms: number }
  | { readonly kind: 'failed'; readonly why: string; readonly hasOlder: boolean }

/** Tells whether the build matches the sources. */
export const isBuilt = (): boolean => findStamp() === hashInputs()

/**
 * Builds the pages if the sources have changed. A separate process does so, because the build tools need more memory
 * than the platform.
 */
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
