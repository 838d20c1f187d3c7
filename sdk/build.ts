import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Node does not strip types inside node_modules, so the published package is JavaScript with declarations: `node
// build.ts [FOLDER]`.
const here = dirname(fileURLToPath(import.meta.url))
const folder = process.argv[2] ?? join(here, 'dist')
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

rmSync(folder, { recursive: true, force: true })
execFileSync(process.execPath, [compiler, '-p', here, '--outDir', folder], { stdio: 'inherit' })
const { scripts: _, ...about } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
about.exports = { '.': { types: './index.d.ts', default: './index.js' } }
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(about, null, 2)}\n`)
copyFileSync(join(here, 'README.md'), join(folder, 'README.md'))
