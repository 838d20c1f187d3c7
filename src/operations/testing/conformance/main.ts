import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runCmi5Suite } from './cmi5.ts'
import { playCmi5 } from './cmi5-play.ts'
import { runLrsSuite } from './lrs.ts'
import { print } from './platform.ts'
import { readManifests } from './scorm-manifests.ts'
import { playPackages } from './scorm-play.ts'

const HELP = `Runs ADL's conformance suites, each against a platform of its own.

  npm run conformance -- FOLDER [--version 1.0.3|2.0.0] [--grep TEXT]
  npm run conformance -- cmi5 FOLDER [--grep TEXT]
  npm run conformance -- cmi5-play FOLDER
  npm run conformance -- scorm-manifests FOLDER…
  npm run conformance -- scorm-play FOLDER

The first runs the LRS suite in both versions on one endpoint. FOLDER is a clone of adlnet/lrs-conformance-test-suite in
which npm install was run.

The second runs CATAPULT's LMS Test Suite. FOLDER is a clone of adlnet/CATAPULT in which its packages were built:

  cd FOLDER/lts && PUPPETEER_SKIP_DOWNLOAD=1 npm ci --ignore-scripts
  cd pkg && NODE_OPTIONS=--openssl-legacy-provider npx webpack

The third uploads the cmi5 courses in FOLDER, such as course_examples of CATAPULT, on the pages of the dashboard, and
completes them in Chromium as a student. A course is a zip file, or a folder with cmi5.xml.

The fourth reads the SCORM packages in folders or git directories, and lists what was tolerated and refused. The fifth
uploads every SCORM package in a folder, and plays it to its end as a student.

The second, third and fifth need Chromium, on the PATH or named by CHROMIUM_PATH. The second keeps its logs in a folder,
which is named at the end.
Nothing is fetched, and nothing of the suites is part of this project.`

if (process.argv[2] === 'cmi5-play') process.exit((await playCmi5(resolve(process.argv[3] ?? '.'))) ? 0 : 1)
if (process.argv[2] === 'scorm-manifests') process.exit(await readManifests(process.argv.slice(3)))
if (process.argv[2] === 'scorm-play' && process.argv[3]) process.exit(await playPackages(resolve(process.argv[3])))

const VERSIONS = ['1.0.3', '2.0.0']

const isCmi5 = process.argv[2] === 'cmi5'
const [folder, ...rest] = process.argv.slice(isCmi5 ? 3 : 2)
const option = (name: string): string | undefined => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : undefined)
const root = resolve(folder ?? '.', isCmi5 ? 'lts' : '.')
const needed = isCmi5 ? ['node_modules/jest/bin/jest.js', 'pkg/dist/102-zip64.zip'] : ['bin/console_runner.js']
const absent = needed.filter((path) => !existsSync(join(root, path)))
if (!folder || folder === '--help' || absent.length > 0) {
  print(
    folder && folder !== '--help'
      ? `There is no complete suite in ${folder}: no ${absent.join(', ')}.\n\n${HELP}`
      : HELP,
  )
  process.exit(folder === '--help' ? 0 : 2)
}

const grep = option('--grep')
const wanted = option('--version')
const isPassed = isCmi5
  ? await runCmi5Suite({ folder: root, runner: join(root, needed[0]!), grep })
  : await runLrsSuite(
      { folder: root, runner: join(root, needed[0]!), grep },
      VERSIONS.filter((version) => !wanted || wanted === version),
    )
process.exitCode = isPassed ? 0 : 1
