import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseArgs, parseEnv } from 'node:util'
import { listSettings, readConfig } from '../../kernel/config.ts'
import { isGroup } from '../commands/command.ts'
import { commands } from '../commands/commands.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const manifest = JSON.parse(read('package.json'))
const settings = new Set([...listSettings().map(({ name }) => name), 'CONFIG_FILE'])

/** Files with text for readers: documents, and sources that contain messages of the platform. */
const READ = globSync(
  [
    '*.md',
    'docs/*.md',
    'deploy/{Dockerfile,*.*}',
    'deploy/fleet/**/*.*',
    'sdk/README.md',
    'examples/**/*.md',
    'src/**/*.ts',
    'bin/*.js',
    'web/**/*.{ts,tsx}',
  ],
  { cwd: ROOT, exclude: ['**/*.test.ts', '**/node_modules/**', 'web/dist*/**', 'sdk/dist/**', 'CHANGELOG.md'] },
)

const known = (path: string): boolean => {
  const [name = '', verb] = path.split(' ')
  if (['help', '--version', '--help'].includes(name)) return true
  if (!Object.hasOwn(commands, name)) return false
  const entry = commands[name as keyof typeof commands]
  return !isGroup(entry) || verb === undefined || Object.hasOwn(entry.verbs, verb)
}

test('no message and no document points to a command, a script or a document that does not exist', () => {
  const wrong: string[] = []
  for (const file of READ) {
    const text = read(file)
    // Finds commands as people would type them: in code, after `npx`, or at the end of a sentence.
    for (const [, path] of text.matchAll(/(?:`|npx |: |, |main\.ts )groundschool ((?:--)?[a-z-]+(?: [a-z-]+)?)/g)) {
      const [name, verb] = path!.split(' ')
      const entry = Object.hasOwn(commands, name!) ? commands[name as keyof typeof commands] : undefined
      if (!known(entry && isGroup(entry) && verb ? path! : name!)) wrong.push(`${file}: groundschool ${path}`)
    }
    for (const [, script] of text.matchAll(/\bnpm run (?:-s )?([a-z][\w-]*(?::\w+)*)/g))
      if (!Object.hasOwn(manifest.scripts, script!)) wrong.push(`${file}: npm run ${script}`)
    for (const [document] of text.matchAll(/\b(?:docs|deploy)\/[\w/-]+\.(?:md|json|conf|yaml|service)\b/g))
      if (!existsSync(join(ROOT, document))) wrong.push(`${file}: ${document}`)
  }
  assert.deepEqual(wrong, [])
})

test('messages and documents show every command as it works in a clone: npx groundschool', () => {
  const wrong = READ.flatMap((file) =>
    [...read(file).matchAll(/(?<!npx )\bgroundschool ([a-z]+)/g)]
      .filter(([, name]) => Object.hasOwn(commands, name!))
      .map(([line]) => `${file}: ${line}`),
  )
  assert.deepEqual(wrong, [])
})

/** Finds a mistake in a command line. `typed` is the part after `groundschool`. */
function findMistake(typed: string): string | undefined {
  const [line = ''] = typed.split(/ *(?:[<>|;#]|&&| {3})/)
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, three]) => one ?? two ?? three!)
  const [name = '', ...rest] = words
  if (!Object.hasOwn(commands, name)) return known(name) ? undefined : `no command ${name}`
  const found = commands[name as keyof typeof commands]
  const entry = isGroup(found) ? found.verbs[rest.shift() ?? ''] : found
  // The name of a command group without a verb is only a mention of the group, not a command line.
  if (!entry) return undefined
  try {
    const options = { ...entry.options, help: { type: 'boolean' } } as const
    const { positionals } = parseArgs({ args: rest, options, allowPositionals: true })
    return positionals.length > entry.args.length ? 'too many arguments' : undefined
  } catch (problem) {
    return (problem as Error).message
  }
}

test('every option of a command that a document or a help text shows exists', () => {
  const shown = READ.filter((file) => file.endsWith('.md')).flatMap((file) =>
    [...read(file).matchAll(/(?:`|npx )groundschool ([^`\n]+)/g)].map(([, line]) => ({ file, line: line! })),
  )
  const examples = Object.entries(commands).flatMap(([name, entry]) =>
    (isGroup(entry) ? Object.values(entry.verbs) : [entry]).flatMap((one) =>
      one.examples.map((line) => ({ file: `help of ${name}`, line })),
    ),
  )
  assert.ok(shown.length > 40 && examples.length > 40)
  const wrong = [...shown, ...examples].flatMap(({ file, line }) => {
    const mistake = findMistake(line)
    return mistake ? `${file}: groundschool ${line}: ${mistake}` : []
  })
  assert.deepEqual(wrong, [])
})

test('every message that docs/trouble.md explains is one that the platform prints', () => {
  const source = READ.filter((file) => /^(src|bin)\//.test(file))
    .map(read)
    .join('\n')
  const [, section = ''] = /## Startup errors\n(.*?)\n## /s.exec(read('docs/trouble.md')) ?? []
  const quoted = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, message]) => message!)
  assert.ok(quoted.length > 8)
  const parts = quoted.flatMap((message) => message.split(/…|\d+/).map((part) => part.trim()))
  assert.deepEqual(
    parts.filter((part) => !source.includes(part)),
    [],
  )
})

test('every link in a document has a target', () => {
  const wrong = READ.filter((file) => file.endsWith('.md')).flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map(([, target]) => join(file, '..', target!))
      .filter((target) => !existsSync(join(ROOT, target)))
      .map((target) => `${file}: ${target}`),
  )
  assert.deepEqual(wrong, [])
})

test('deployment files name files and settings that exist', () => {
  const env = parseEnv(read('deploy/groundschool.env')) as Record<string, string>
  const key = Buffer.alloc(32).toString('base64')
  const config = readConfig({ ...env, SECRET_KEY: key })
  assert.deepEqual([config.isLocal, config.MESSAGES], [false, 'smtp'])

  const compose = read('deploy/compose.yaml')
    .replaceAll(/\$\{\w+:\?\}/g, 'given')
    .replaceAll(/\$\{\w+:-\}/g, '')
  const [, ours = ''] = /environment:\n((?: {6}.*\n)+)/.exec(compose) ?? []
  const given = Object.fromEntries(
    [...ours.matchAll(/^ {6}(\w+): '?([^'\n]*)/gm)].map(([, name, value]) => [name, value]),
  )
  assert.deepEqual(
    Object.keys(given).filter((name) => !settings.has(name)),
    [],
  )
  readConfig({ ...given, HOST: '0.0.0.0', SECRET_KEY: key })
  for (const [, file] of compose.matchAll(/(?:dockerfile: |- \.\/)([\w./]+)/g))
    assert.ok(existsSync(join(ROOT, file!.startsWith('deploy/') ? file! : `deploy/${file}`)), file)

  const settingsIn = (file: string, kind: string, after: string) => {
    const part = read(`deploy/fleet/kubernetes/${file}`)
      .split(/^---$/m)
      .find((one) => one.includes(`\nkind: ${kind}\n`))!
    const [, lines = ''] = new RegExp(`^${after}:\n((?: {2}.*\n?)+)`, 'm').exec(part) ?? []
    return Object.fromEntries(
      [...lines.matchAll(/^ {2}(\w+): '?([^'\n]*)/gm)].map(([, name, value]) => [name!, value!]),
    )
  }
  const secrets = settingsIn('secrets.example.yaml', 'Secret', 'stringData')
  assert.deepEqual(new Set(Object.values(secrets)), new Set(['']))
  const pod = { ...settingsIn('platform.yaml', 'ConfigMap', 'data'), DATABASE_PASSWORD: 'given' }
  assert.deepEqual(
    Object.keys({ ...pod, ...secrets }).filter((name) => !settings.has(name)),
    [],
  )
  const smtp = { SMTP_URL: 'smtps://mail.example.org', S3_ACCESS_KEY: 'given', S3_SECRET_KEY: 'given' }
  const { DRAIN_SECONDS, STOP_SECONDS } = readConfig({ ...pod, ...smtp, SECRET_KEY: key })
  const grace = /terminationGracePeriodSeconds: (\d+)/.exec(read('deploy/fleet/kubernetes/platform.yaml'))?.[1]
  assert.ok(Number(grace) > DRAIN_SECONDS + STOP_SECONDS)

  const dockerfile = read('deploy/Dockerfile')
  for (const [, files] of dockerfile.matchAll(/^COPY (?!--)(.*) \S+$/gm))
    for (const file of files!.split(' ')) assert.ok(existsSync(join(ROOT, file)), file)
  for (const [, script] of dockerfile.matchAll(/npm run ([\w:-]+)/g)) assert.ok(manifest.scripts[script!], script)

  // There is only one way to start the platform, and it passes the required flags to Node.
  assert.equal(manifest.scripts.start, 'node bin/groundschool.js start')
  const unit = read('deploy/groundschool.service')
  assert.match(unit, /^ExecStart=.*\/node_modules\/\.bin\/node bin\/groundschool\.js start$/m)
  assert.match(dockerfile, /^CMD \["node", "bin\/groundschool\.js", "start"\]$/m)
  // The systemd unit lets the platform write only to its own folder.
  assert.match(unit, /^StateDirectory=groundschool$/m)
  assert.equal(config.DATA_DIR, '/var/lib/groundschool/data')

  assert.match(read('deploy/nginx.conf'), /^underscores_in_headers on;$/m)
  const same = read('deploy/Caddyfile')
    .replaceAll('127.0.0.1:', 'groundschool:')
    .replace('deploy/Caddyfile', 'deploy/Caddyfile.compose')
  assert.equal(read('deploy/Caddyfile.compose'), same)
})

/** Documents that people read as prose. */
const PROSE = READ.filter((file) => /^(README|CONTRIBUTING|docs\/[\w-]+|deploy\/README|sdk\/README)\.md$/.test(file))
const HISTORY = ['CHANGELOG.md', ...globSync('docs/decisions/*.md', { cwd: ROOT })]
const withoutCode = (text: string): string =>
  text.replaceAll(/^( *)```.*?^\1```$/gms, (code) => code.replace(/.+/g, ''))

test('no line of a document is longer than 400 characters', () => {
  assert.ok(PROSE.length > 20, PROSE.join(', '))
  const wrong = [...PROSE, ...HISTORY].flatMap((file) =>
    withoutCode(read(file))
      .split('\n')
      .flatMap((line, i) => (line.length > 400 && !line.startsWith('|') ? `${file}:${i + 1}: ${line.length}` : [])),
  )
  assert.deepEqual(wrong, [])
})

test('documents, errors, descriptions and pages name people without riddles', () => {
  const files = [
    ...PROSE,
    ...HISTORY,
    'src/kernel/errors.ts',
    'docs/openapi.json',
    ...READ.filter((file) => /^web\/\w+\/words\.ts$/.test(file)),
  ]
  assert.ok(files.length > PROSE.length + 5)
  const wrong = files.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, i) => (/\bwhoever\b/i.test(line) ? `${file}:${i + 1}` : [])),
  )
  assert.deepEqual(wrong, [])
})

/** Returns the anchor that GitHub gives to a heading. */
const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

test('every link to a section of a document has that section', () => {
  const files = [...READ, ...HISTORY].filter((file) => file.endsWith('.md'))
  const sections = new Map(
    files.map((file) => [
      file,
      [...withoutCode(read(file)).matchAll(/^#+ (.+)$/gm)].map(([, title]) => slugOf(title!)),
    ]),
  )
  const links = files.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)].map(([, path, section]) => ({
      file,
      target: path ? join(file, '..', path) : file,
      section: section!,
    })),
  )
  assert.ok(links.length > 20)
  const wrong = links.flatMap(({ file, target, section }) =>
    sections.get(target)?.includes(section) ? [] : `${file}: ${target}#${section}`,
  )
  assert.deepEqual(wrong, [])
})
