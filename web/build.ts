import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { DIST, FRONT, hashInputs, PATHS, STAMP } from './built.ts'
import { listPaths } from './page-paths.ts'

/** Builds the pages: `node web/build.ts`. `npm start` runs this if the sources have changed. */
const stamp = process.argv[2] ?? hashInputs()
const target = `${DIST}-${process.pid}`

const common = {
  configFile: false as const,
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/web/',
  plugins: [react()],
  logLevel: 'warn' as const,
}

const built = build({
  ...common,
  build: {
    outDir: target,
    emptyOutDir: true,
    // All of these browsers support light-dark(). For older ones, it would be compiled to a media query, which ignores
    // the colour scheme that the person has chosen on the page.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // Nothing is inlined, because the content security policy allows no data: URLs for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Combine small shared modules. Separate files would mean forty requests per page, with headers larger than the
    // modules.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'common', minShareCount: 12, maxModuleSize: 6_000 }] } },
    },
  },
})

const paths = (await listPaths()).map(({ path }) => path)
await built

// The front page is also rendered on the server. The module contains everything it needs, because an installation
// without development dependencies has no React.
await build({
  ...common,
  // Vite leaves NODE_ENV to be read at run time on servers; the development build of React would be slow and large.
  define: { 'process.env.NODE_ENV': '"production"' },
  ssr: { noExternal: true },
  build: {
    ssr: 'app/front/render.tsx',
    outDir: target,
    emptyOutDir: false,
    minify: true,
    copyPublicDir: false,
    rolldownOptions: { output: { entryFileNames: FRONT, codeSplitting: false } },
  },
})

/** Files to compress now, because the platform does not compress when it serves them. Fonts are already compressed. */
const SMALL = /\.(?:js|css|svg)$/
for (const file of globSync('assets/*', { cwd: target }).filter((name) => SMALL.test(name))) {
  const bytes = readFileSync(join(target, file))
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
  writeFileSync(join(target, `${file}.br`), await promisify(brotliCompress)(bytes, quality))
  writeFileSync(join(target, `${file}.gz`), await promisify(gzip)(bytes, { level: 9 }))
}

writeFileSync(join(target, PATHS), JSON.stringify(paths))
writeFileSync(join(target, STAMP), stamp)
// If two processes build at the same time, the later one wins. Both builds are complete.
const old = `${target}-old`
mkdirSync(DIST, { recursive: true })
renameSync(DIST, old)
renameSync(target, DIST)
rmSync(old, { recursive: true })
