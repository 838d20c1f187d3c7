import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startExample } from '../../../examples/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { TestBrowser } from '../testing/browser.ts'
import { installUsedServer } from '../testing/machine.ts'
import { findFreePort } from '../testing/ports.ts'
import { isLong, size } from '../testing/sizes.ts'
import {
  commandsOf,
  type Document,
  fillOutputs,
  findMissing,
  ROOT,
  readDocument,
  readDocuments,
  writeOutputs,
} from './testing-documents.ts'

const documents = readDocuments()

/** docs/import.md imports 5,000 people; a short test run imports fewer. */
const PEOPLE = size(5000)

/** The expected output of a document's commands: the number of JSON responses, and patterns. */
const SHOWN: Record<string, { answers?: number; output: RegExp[] }> = {
  'README.md': {
    answers: 11,
    output: [
      /"result":"PASS","score":90/,
      /"statements":\[\{/,
      /"requestId":"[^"]+"/,
      /^client ID {6}gs-logbook$/m,
      /^The password of @jo was changed/m,
    ],
  },
  'docs/backups.md': {
    output: [
      /^backups\/groundschool-\S+\.backup: \d+ rows .* verified$/m,
      /^\d+ rows of \d+ tables were restored\.$/m,
      /^@avery\t/m,
    ],
  },
  'docs/buckets.md': { answers: 12, output: [/^event: ready$/m, /^(\{.*"minutes":54.*\})\n\1$/m] },
  'docs/contract.md': { output: [/^key {5}gs_key_/m] },
  'docs/events.md': {
    answers: 4,
    output: [/^event: ready\n.*(\n.*)*^event: change\n.*"fuel"/m, /^event: reset$|"value":75|"fuel":75/m],
  },
  'docs/how-to-sign-in.md': {
    output: [
      /^\{"access_token":"[^"]+","refresh_token":"[^"]+","expires_in":"1d","token_type":"\w+"\}$/m,
      /"valid":true/,
      /^\{"success":true\}$/m,
      /"verification_uri":"http:\/\/localhost:\d+\/device"/,
      /^\{"error":"authorization_pending"/m,
    ],
  },
  'docs/import.md': {
    output: [
      /people +\d created, 1 updated/,
      /^This was a dry run: 1 added/m,
      /^1 added/m,
      new RegExp(`people +${PEOPLE} created`),
      /^\d+ seconds$/m,
    ],
  },
  'docs/learning.md': { answers: 32, output: [/^event: ready$/m, /"uri":"[^"]+&studentId=student-avery&code=gs_ac_/] },
  'docs/notes.md': { answers: 6, output: [/"text":"Found the bent pitot cover/] },
  'docs/people.md': { output: [/"handle":"@casey"/, /"received":\[\{/, /"handle":"@kim\.lindqvist"/] },
  'docs/planner.md': {
    output: [/"clientId":"gs-demo-ai"/, /"candidates":\[\{"handle":"@/, /"name":"Preflight helpers, S/],
  },
  'docs/plugins.md': {
    answers: 30,
    output: [
      /^started Demo app for schools \[/m,
      /^ships 3 \[/m,
      /"status":"completed"/,
      /"candidates":\[\{"handle":"@/,
    ],
  },
  'docs/upgrade.md': { output: [/^before-upgrade\.backup: \d+ rows/m, /^\d+ rows of \d+ tables were restored\.$/m] },
  'docs/xapi.md': { answers: 10, output: [/^event: ready$/m, /^\{"count":\d+,"through"/m, /^\{"page": ?7\}$/m] },
}

/** Only the long run follows these: they take a minute, and tests of the commands themselves do the same. */
const LONG_DOCUMENTS = ['docs/backups.md', 'docs/import.md', 'docs/upgrade.md']

test('every command of every document works as it stands, from the first line to the last', async (t) => {
  const desk = await openDesk(t)
  const isWhole = isLong || process.env.GROUNDSCHOOL_RECORD !== undefined
  const followed = documents.filter(({ file }) => isWhole || !LONG_DOCUMENTS.includes(file))
  for (const document of followed.filter((one) => commandsOf(one).length > 0))
    await t.test(document.file, async () => {
      const { output, outputs, problem } = await desk.follow(document)
      assert.equal(problem, undefined, output)
      if (process.env.GROUNDSCHOOL_RECORD) return writeOutputs(document, outputs)
      for (const { place, shown } of commandsOf(document))
        if (shown !== undefined)
          assert.deepEqual(findMissing(shown, outputs.join('')), [], `${place}: npm run examples records what is shown`)
      const answers = output.split('\n').flatMap(readAnswer)
      const codes = answers.flatMap(({ error_code: code }) => (code === undefined ? [] : String(code)))
      assert.deepEqual(
        codes,
        commandsOf(document).flatMap(({ refusals }) => refusals),
        output,
      )
      const shown = SHOWN[document.file]
      for (const text of shown?.output ?? []) assert.match(output, text)
      if (shown?.answers) assert.equal(answers.length, shown.answers, output)
    })

  await t.test('the examples were called as docs/plugins.md says', async () => {
    await desk.helper.wrote(/request started: Demo app for schools of Demo app, distributions: 1; open/)
    await desk.helper.wrote(/distributions changed: request \S+ has Windows installer 2\.4\.0, Headset build 2\.4\.1/)
    await desk.engine.wrote(/search \S+: \d+ capabilities for "somebody who knows the preflight"/)
    await desk.engine.wrote(/search \S+: 3 candidates/)
  })

  await t.test('the program of docs/how-to-sign-in.md signs a person in, who uses a browser', async (t) => {
    const { base, translate } = desk
    const { blocks } = documents.find(({ file }) => file === 'docs/how-to-sign-in.md')!
    const program = blocks.find(({ fileName }) => fileName === 'signing-in.mjs')!
    const file = join(ROOT, `node_modules/.cache/signing-in-${process.pid}.mjs`)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, translate(program.code))
    t.after(() => rmSync(file))
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => child.kill())
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
    await until('it says what to open', () => /^Open (\S+)\n/.test(output), 30_000)
    const browser = new TestBrowser(base)
    const page = await browser.send(/^Open (\S+)\n/.exec(output)![1]!)
    let seen = await browser.submit(page, { handle: '@blake', password: 'groundschool' })
    if (seen.location === undefined) seen = await browser.submit(seen, { decision: 'allow' })
    assert.equal(await (await fetch(seen.location!)).text(), 'Signed in. You can close this page.')
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
    assert.match(output, /access_token: 'gs_at_/)
  })
})

test('commands that no test runs are marked, with the reason', () => {
  const marked = documents.flatMap(({ file, blocks }) =>
    blocks.flatMap(({ whyNot, code }) => (whyNot ? `${file}: ${code.split('\n')[0]} (${whyNot})` : [])),
  )
  assert.deepEqual(marked, [
    'README.md: npm ci && npm start (it runs until it is stopped; tests of the command line start the platform)',
    'README.md: npm ci && npm test (this very test would run inside itself; CI runs both commands)',
    'deploy/README.md: npx groundschool backup move.backup --encrypt (there is no second PostgreSQL where the documents are tested)',
    'deploy/fleet/kubernetes/README.md: kubectl create namespace groundschool (there is no Kubernetes where the documents are tested)',
    'docs/backups.md: rsync -a data/files/ backup.example.org:/var/backups/groundschool-files/ (there is no other machine where the documents are tested)',
    'docs/backups.md: pg_basebackup -D /var/backups/base/2026-11-17 -X stream -c fast (there is no other PostgreSQL where the documents are tested)',
    'docs/backups.md: touch /var/lib/postgresql/15/main/recovery.signal (there is no other PostgreSQL where the documents are tested)',
    "docs/fleet.md: cat >> /etc/hosts <<'END' (it changes the machine)",
    'docs/fleet.md: for word in API_PASSWORD REPLICATION_PASSWORD SUPERUSER_PASSWORD REWIND_PASSWORD PLATFORM_PASSWORD BACKUP_PASSPHRASE; do (it creates passwords)',
    'docs/fleet.md: fill() { (it belongs to the shell of an operator)',
    "docs/fleet.md: mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf (it needs three machines)",
    'docs/fleet.md: systemctl enable --now etcd (it needs three machines)',
    'docs/fleet.md: systemctl enable --now patroni (it needs three machines)',
    `docs/fleet.md: runuser -u postgres -- psql -c "create role groundschool login password 'PLATFORM_PASSWORD'" -c 'grant pg_monitor to groundschool' -c 'create database groundschool owner groundschool' (it needs three machines)`,
    'docs/fleet.md: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=fleet -keyout ca.key -out ca.crt (it creates keys)',
    'docs/fleet.md: install -d /etc/pgbackrest-tls && install -m 644 ca.crt /etc/pgbackrest-tls/ca.crt (it needs four machines)',
    'docs/fleet.md: install -m 755 /root/fleet/pgbackrest-metrics.sh /usr/local/sbin/pgbackrest-metrics (it needs four machines)',
    'docs/fleet.md: apt-get install -y haproxy keepalived curl postgresql-client (it needs two machines)',
    'docs/fleet.md: apt-get install -y --no-install-recommends git nodejs npm (it needs three machines)',
    'docs/fleet.md: git clone YOUR_REPOSITORY /opt/groundschool && cd /opt/groundschool (it needs three machines)',
    'docs/fleet.md: systemctl enable --now groundschool (it needs three machines)',
    'docs/fleet.md: export CONFIG_FILE=/etc/groundschool.env (it needs a fleet)',
    'docs/fleet.md: promtool check config /etc/prometheus/prometheus.yml (it needs a fleet)',
    "docs/fleet.md: runuser -u postgres -- pgbackrest --stanza=groundschool --type=time --target='2026-11-17 10:30:00+00' --target-action=promote restore (it needs the repository)",
    'docs/fleet.md: apt-get install -y postgresql-15 patroni etcd-server etcd-client haproxy keepalived pgbackrest curl openssl iproute2 libfaketime (it needs root, Debian packages and half an hour)',
    'docs/how-to-sign-in.md: node signing-in.mjs (a person has to sign in; the test of this document does that in a browser)',
    'docs/how-to-sign-in.md: node openid-sign-in.mjs (a person has to sign in)',
    'docs/planner.md: npm run ai-plugin (it runs until it is stopped; the test of this document starts the same plugin)',
    'docs/plugins.md: npm ci && npm start (each runs until it is stopped; the test of this document starts the same three)',
    'docs/plugins.md: PLATFORM_URL=http://localhost:4001 CLIENT_ID=gs-sbx-demo-ato npm run ato-plugin (it runs until it is stopped)',
    'docs/trouble.md: npx groundschool doctor --patroni http://10.0.0.1:8008,http://10.0.0.2:8008 --platform http://10.0.1.1:4000,http://10.0.1.2:4000 (it needs a fleet)',
    'docs/upgrade.md: git fetch && git checkout NEW_VERSION (there is no other version here)',
    'docs/upgrade.md: for machine in app1 app2 app3; do (it needs several machines)',
    'docs/upgrade.md: npx groundschool key add (it changes the key of the platform that runs the other examples)',
    'docs/upgrade.md: npx groundschool keys --withdraw=KID (KID stands for one of the keys in the list)',
    'docs/upgrade.md: git checkout OLD_VERSION && npm ci (there is no other version here)',
  ])
})

test('outputs are recorded only in blocks that are empty or no longer match', () => {
  const block = (code: string, shown?: string) =>
    `\`\`\`sh\n${code}\n\`\`\`\n\n${shown === undefined ? '' : `\`\`\`text output\n${shown}\`\`\`\n\n`}`
  const [shortened, none] = [block('echo "a long line"', 'a …\n'), block('echo hidden')]
  const text = shortened + none + block('echo new', '') + block('echo right', 'wrong\n')
  const outputs = ['a long line\n', 'hidden\n', 'new\n', 'right\n']
  assert.equal(
    fillOutputs(readDocument('some.md', text), text, outputs),
    shortened + none + block('echo new', 'new\n') + block('echo right', 'right\n'),
  )
})

test('commands are in blocks that a test finds', () => {
  const hidden = documents.flatMap(({ blocks }) =>
    blocks.flatMap(({ place, language, code }) =>
      ['bash', 'console', 'shell', 'zsh'].includes(language) ||
      (language === '' && /^(\$ |npm |npx |node |curl |git |docker |groundschool )/m.test(code))
        ? place
        : [],
    ),
  )
  assert.deepEqual(hidden, [], 'write ```sh')
  const names = documents.map(({ file }) => file)
  assert.deepEqual(
    Object.keys(SHOWN).filter((file) => !names.includes(file)),
    [],
  )
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
function readAnswer(line: string): any[] {
  try {
    return /^[{[]/.test(line) ? [JSON.parse(line)] : []
  } catch {
    return []
  }
}

/** Separates the outputs of a document's blocks. */
const MARK = '--- end of a block ---'

/** Prepares what a reader of the documents has: a platform with demo data, both example plugins, and a terminal. */
async function openDesk(t: TestContext) {
  const server = await installUsedServer(t)
  await server.start()
  const base = server.nobody.address.replace('127.0.0.1', 'localhost')
  const place = mkdtempSync(join(tmpdir(), 'gs-documents-'))
  // Under root, the database runs as another user, which must be able to enter this folder.
  chmodSync(place, 0o755)
  t.after(() => rmSync(place, { recursive: true, force: true, maxRetries: 10 }))

  // Two test suites may run on one machine, so all ports differ from those in the documents.
  const ports = Object.fromEntries(
    await Promise.all(['4101', '4102', '4103', '5055'].map(async (port) => [port, String(await findFreePort())])),
  )
  const translate = (code: string) =>
    code
      .replaceAll('http://localhost:4000', base)
      .replaceAll(/\b(4101|4102|4103|5055)\b/g, (port) => ports[port])
      .replaceAll('length: 5000', `length: ${PEOPLE}`)
  /** Puts the addresses of the documents into an output. */
  const untranslate = (output: string) =>
    Object.entries<string>({ ...ports, 4000: new URL(base).port })
      .reduce((text, [port, own]) => text.replaceAll(`localhost:${own}`, `localhost:${port}`), output)
      .replaceAll(/(?<=localhost:)\d{5}\b/g, '4001')
      .replaceAll(place, '')
      .replaceAll(server.dataDir, '/data')
  const [engine, helper] = await startExamples(t, base, ports, join(place, 'requests.json'))

  // Puts a script in place of `npx`, which itself takes a second. Text that a person would type is read from a file.
  const [typed, bin] = [join(place, 'typed'), join(place, 'bin')]
  writeFileSync(typed, 'correct horse battery\n')
  mkdirSync(bin)
  const command = `exec "${process.execPath}" "${join(ROOT, 'bin/groundschool.js')}" "$@"`
  writeFileSync(
    join(bin, 'npx'),
    `#!/bin/sh\n[ "$1" = groundschool ] || exit 127\nshift\n[ -c /dev/stdin ] && ${command} < "${typed}"\n${command}\n`,
    { mode: 0o755 },
  )
  const PATH = [bin, join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const { HOME, NODE_COMPILE_CACHE } = process.env

  const follow = async ({ file, blocks, ...rest }: Document) => {
    const cwd = join(place, file.replaceAll(/\W/g, '-'))
    mkdirSync(cwd)
    symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'))
    symlinkSync(server.dataDir, join(cwd, 'data'))
    for (const { fileName, code } of blocks) if (fileName) writeFileSync(join(cwd, fileName), translate(code))
    const script = commandsOf({ file, blocks, ...rest })
      .map(({ code }) => `${code}\necho ${MARK}\n`)
      .join('')
      // A stream does not end, and curl reports a failure when it is interrupted after a while.
      .replace(/^curl -sN .*$/gm, '$& || true')
    const shell = spawn('sh', ['-euc', `exec 2>&1\n${translate(script)}`], {
      cwd,
      env: { PATH, HOME, NODE_COMPILE_CACHE },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      timeout: 180_000,
    })
    let output = ''
    for (const stream of [shell.stdout, shell.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    const [code, signal] = await once(shell, 'exit')
    // Kills the processes that the script has left running.
    try {
      process.kill(-shell.pid!, 'SIGKILL')
    } catch (problem) {
      if ((problem as NodeJS.ErrnoException).code !== 'ESRCH') throw problem
    }
    const outputs = output.split(`${MARK}\n`).map((one) => untranslate(one).replaceAll(cwd.replace(place, ''), ''))
    return {
      output: output.replaceAll(`${MARK}\n`, ''),
      outputs,
      problem: code === 0 ? undefined : `it ended with ${code ?? signal}`,
    }
  }
  return { base, translate, engine, helper, follow }
}

/** Registers the example plugins on ports other than those in the demo data, and starts them. */
async function startExamples(t: TestContext, base: string, ports: Record<string, string>, DATA_FILE: string) {
  const [ai, ato] = [`http://localhost:${ports['4101']}`, `http://localhost:${ports['4102']}`]
  const drew = new TestBrowser(base)
  const call = (path: string, body: object) =>
    drew.send(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
  await call('/account/v1/signin', { handle: '@drew', password: 'groundschool' })
  for (const moved of [
    { clientId: 'gs-demo-ai', addresses: { capabilities: `${ai}/capabilities`, candidates: `${ai}/candidates` } },
    {
      clientId: 'gs-demo-ato',
      addresses: { request: `${ato}/request`, distributions: `${ato}/distributions` },
      redirectUris: [`${ato}/callback`],
    },
  ])
    assert.equal((await call('/plugin/v1/plugin', moved)).status, 200)
  return Promise.all([
    startExample(t, 'ai-plugin', { PLATFORM_URL: base, PORT: ports['4101']! }),
    startExample(t, 'ato-plugin', { PLATFORM_URL: base, PORT: ports['4102']!, DATA_FILE }),
  ])
}
