import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { DIST, hashInputs, PATHS, STAMP } from './built.ts'
import { listPaths } from './page-paths.ts'

/** Builds the pages: `node web/build.ts`. The start does so by itself where they are stale. */
const stamp = process.argv[2] ?? hashInputs()
const target = `${DIST}-${process.pid}`

const built = build({
  configFile: false,
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/web/',
  plugins: [react()],
  logLevel: 'warn',
  build: {
    outDir: target,
    emptyOutDir: true,
    // All of them know light-dark(), which older ones would get in a form that goes by the system's scheme alone.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // Nothing inline: the pages' own policy lets no address of data in.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A file for each small part would be forty requests for a page, whose headers weigh more than the parts.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'common', minShareCount: 12, maxModuleSize: 6_000 }] } },
    },
  },
})

const paths = (await listPaths()).map(({ path }) => path)
await built

/** The platform does not compress while it serves. Fonts are as small as they get. */
const SMALL = /\.(?:js|css|svg)$/
for (const file of globSync('assets/*', { cwd: target }).filter((name) => SMALL.test(name))) {
  const bytes = readFileSync(join(target, file))
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }
  writeFileSync(join(target, `${file}.br`), await promisify(brotliCompress)(bytes, quality))
  writeFileSync(join(target, `${file}.gz`), await promisify(gzip)(bytes, { level: 9 }))
}

writeFileSync(join(target, PATHS), JSON.stringify(paths))
writeFileSync(join(target, STAMP), stamp)
// Two who build at once: the later one wins, and either is whole.
const old = `${target}-old`
mkdirSync(DIST, { recursive: true })
renameSync(DIST, old)
renameSync(target, DIST)
rmSync(old, { recursive: true })
