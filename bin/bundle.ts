import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { BUNDLE, CACHE, hashFiles, isBundled } from './bundled.js'

// Bundles the server, unless there is a bundle of the present sources. `npm run build` and `npm start` run this.
if (!isBundled()) await bundle()

async function bundle(): Promise<void> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const isOurs = (id: string): boolean => id.startsWith(root) && !id.includes('/node_modules/')
  const build = await rolldown({
    input: fileURLToPath(new URL('../src/main.ts', import.meta.url)),
    platform: 'node',
    // Packages that are loaded on demand stay where they are.
    external: ['sharp', 'nodemailer', '@simplewebauthn/server'],
    plugins: [
      {
        name: 'node:http without undici',
        // An ES import of node:http reads all its exports. One of them is WebSocket, for which Node then loads undici:
        // 13 MB of memory and 100 ms.
        resolveId: (id) => (id === 'node:http' ? '\0node:http' : undefined),
        load: (id) => (id === '\0node:http' ? "module.exports = process.getBuiltinModule('node:http')" : undefined),
      },
      {
        name: 'paths of sources',
        // Code that reads a file beside its own source must also find it from the bundle.
        transform: (code, id) =>
          isOurs(id)
            ? code.replaceAll(
                /\bimport\.meta\.url\b/g,
                `new URL(${JSON.stringify(relative(CACHE, id))}, import.meta.url).href`,
              )
            : undefined,
      },
    ],
  })
  const { output } = await build.generate({
    format: 'esm',
    codeSplitting: false,
    comments: { legal: false, annotation: false, jsdoc: false },
  })
  const [{ code, moduleIds }] = output
  // The lock file stands for the packages, this file for the options above.
  const files = [...moduleIds.filter(isOurs).map((id) => relative(root, id)), 'bin/bundle.ts', 'package-lock.json']
  mkdirSync(CACHE, { recursive: true })
  const unfinished = `${BUNDLE}.${process.pid}`
  writeFileSync(unfinished, `//${JSON.stringify({ files, hash: hashFiles(files) })}\n${code}`)
  renameSync(unfinished, BUNDLE)
}
