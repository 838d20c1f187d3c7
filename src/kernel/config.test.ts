import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { listSettings, readConfig } from './config.ts'
import { StartupError } from './errors.ts'
import { addKeyToFile, findSecretKeys, readSecretKeys } from './secret-keys.ts'

const folder = mkdtempSync(join(tmpdir(), 'groundschool-config-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const mistakes = (environment: Record<string, string>): string[] => {
  try {
    readConfig(environment)
  } catch (error) {
    assert.ok(error instanceof StartupError, `threw ${error}`)
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/^ {2}- /, ''))
  }
  return []
}

const fileOf = (name: string, text: string): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

test('no setting is required', () => {
  const config = readConfig({})
  assert.deepEqual(
    [config.PORT, config.SANDBOX_PORT, config.HOST, config.BASE_URL, config.SANDBOX_URL, config.NOTES_URL],
    [4000, 4001, '127.0.0.1', 'http://localhost:4000', 'http://localhost:4001', 'http://localhost:4000'],
  )
  assert.equal(config.DATA_DIR, join(process.cwd(), 'data'))
  assert.deepEqual(
    [config.DATABASE_URL, config.SECRET_KEY, config.DEMO, config.isLocal],
    [undefined, undefined, 'auto', true],
  )
  assert.deepEqual([config.RATE_TOKEN_PER_SECOND, config.RATE_TOKEN_BURST], [300, 3000])
  assert.deepEqual([config.RATE_ADDRESS_PER_SECOND, config.RATE_ADDRESS_BURST], [200, 1000])
  assert.deepEqual(config.TRUST_PROXY, [])
  assert.deepEqual(readConfig({ PORT: ' ', HOST: '' }), config, 'an empty value is none')
})

test('values are parsed into their types', () => {
  const config = readConfig({
    PORT: ' 8080 ',
    BASE_URL: 'https://api.example.org/',
    TRUST_PROXY: '10.0.0.0/8, ::1,loopback, fd00::/8',
    LOG_LEVEL: 'WARN',
    LOG_SAMPLE: '.25',
    DATABASE_URL: 'postgresql://user:pw@host:5432/db?sslmode=require',
    HOST: '0.0.0.0',
    DEMO: 'off',
    UNRELATED: 'x',
  })
  assert.equal(config.PORT, 8080)
  assert.deepEqual([config.BASE_URL, config.NOTES_URL], ['https://api.example.org', 'https://api.example.org'])
  assert.deepEqual(config.TRUST_PROXY, ['10.0.0.0/8', '::1', 'loopback', 'fd00::/8'])
  assert.deepEqual([config.LOG_LEVEL, config.LOG_SAMPLE, config.isLocal], ['warn', 0.25, false])
})

test('all mistakes are reported at once, each with the correct form', () => {
  const wrong = {
    PORT: '65536',
    SANDBOX_PORT: '4001x',
    BASE_URL: 'api.example.org',
    SANDBOX_URL: 'https://user:pw@example.org',
    DATABASE_URL: 'mysql://localhost/x',
    DEMO: 'maybe',
    SECRET_KEY: 'c2hvcnQ',
    LOG_LEVEL: 'loud',
    LOG_SAMPLE: '1.5',
    POOL_SIZE: '0',
    STATEMENT_TIMEOUT_MS: '-5',
    RATE_TOKEN_BURST: '1e9',
    TRUST_PROXY: '10.0.0.0/8,proxy.example.org',
    ACCESS_TOKEN_HOURS: '1.5',
    MESSAGES: 'pigeon',
    SMTP_URL: 'https://user:pw@mail.example.org',
    MESSAGES_FROM: 'Groundschool',
  }
  const found = mistakes(wrong)
  assert.deepEqual(found.map((mistake) => mistake.split(' ')[0]).sort(), Object.keys(wrong).sort(), found.join('\n'))
  assert.ok(found.includes('PORT must be a whole number from 0 to 65535'))
  assert.ok(found.includes('LOG_LEVEL must be one of trace, debug, info, warn, error, silent'))
  // Error messages must not repeat secrets, because they may be shown or logged.
  assert.doesNotMatch(found.join('\n'), /c2hvcnQ|user:pw/)
  for (const network of ['1.2.3', '1.2.3.4/33', '::/129', '10.0.0.0/x', 'a/8'])
    assert.equal(mistakes({ TRUST_PROXY: network }).length, 1, network)
})

test('the database password may contain any character if it has its own setting', () => {
  const password = 'a/b@c#d%41%e ?&+:"\'$'
  for (const DATABASE_URL of [
    'postgres://jo@db.example.org/school',
    'postgres://jo@localhost/school?host=%2Fvar%2Frun%2Fpostgresql&sslmode=disable',
  ]) {
    const given = readConfig({ DATABASE_URL, DATABASE_PASSWORD: password })
    const [client, other] = [given.DATABASE_URL, DATABASE_URL].map((address) => new pg.Client(address))
    assert.equal(client!.password, password)
    assert.deepEqual([client!.user, client!.host, client!.database], [other!.user, other!.host, other!.database])
  }
  assert.equal(readConfig({ DATABASE_URL: 'postgres://jo@host/db' }).DATABASE_URL, 'postgres://jo@host/db')

  const broken = ['a/b', 'a#b', 'a?b', '12/b', '12#b', '12?b'].map((part) => `postgres://jo:${part}@host/db`)
  for (const DATABASE_URL of broken)
    assert.match(mistakes({ DATABASE_URL }).join(), /set the password in DATABASE_PASS/)
  assert.match(
    mistakes({ DATABASE_PASSWORD: 'x' }).join(),
    /^DATABASE_PASSWORD can only be set together with DATABASE_URL$/,
  )
  const twice = mistakes({ DATABASE_PASSWORD: 'x', DATABASE_URL: 'postgres://jo:y@host/db' })
  assert.match(twice.join(), /^DATABASE_PASSWORD must not be set if DATABASE_URL has a password/)
})

test('sharing one port between environments requires two host names', () => {
  assert.match(mistakes({ PORT: '4000', SANDBOX_PORT: '4000' })[0] ?? '', /^SANDBOX_PORT must differ from PORT/)
  const hosts = { BASE_URL: 'https://api.example.org', SANDBOX_URL: 'https://sandbox.example.org' }
  assert.deepEqual(mistakes({ PORT: '4000', SANDBOX_PORT: '4000', ...hosts }), [])
  assert.deepEqual(mistakes({ PORT: '0', SANDBOX_PORT: '0' }), [])
})

/** Settings each of which, alone, makes the platform public. */
const PUBLIC: readonly Record<string, string>[] = [
  { HOST: '0.0.0.0' },
  { HOST: '::' },
  { HOST: '192.0.2.1' },
  { BASE_URL: 'https://api.example.org' },
  { BASE_URL: 'http://127.0.0.1.example.org' },
  { BASE_URL: 'http://localhost.example.org' },
  { SANDBOX_URL: 'https://sandbox.example.org' },
  { SANDBOX_URL: 'http://192.0.2.1:4001' },
  { NOTES_URL: 'https://notes.example.org' },
]
const CLOSED: readonly Record<string, string>[] = [
  {},
  { HOST: '127.1.2.3' },
  { HOST: 'localhost' },
  { HOST: '::1' },
  { BASE_URL: 'http://127.0.0.1:4000', SANDBOX_URL: 'http://[::1]:4001' },
  { BASE_URL: 'http://[::ffff:127.0.0.1]:4000', SANDBOX_URL: 'http://localhost.:4001', NOTES_URL: 'http://127.0.0.1' },
  { BASE_URL: 'http://app.localhost:4000', SANDBOX_URL: 'http://sandbox.localhost:4001' },
]

test('M7: demo data is refused on a public platform', () => {
  for (const opening of [...PUBLIC, { TRUST_PROXY: 'loopback' }]) {
    const [name] = Object.keys(opening)
    assert.match(mistakes({ DEMO: 'on', ...opening })[0] ?? '', new RegExp(`^DEMO cannot be on while ${name} .*off$`))
    assert.equal(readConfig(opening).isLocal, false, name)
  }
  for (const closed of CLOSED) assert.equal(readConfig({ DEMO: 'on', ...closed }).isLocal, true)
})

test('plugins may run on this machine only if the platform is not public', () => {
  for (const opening of [...PUBLIC, { TRUST_PROXY: 'loopback' }]) {
    const [name] = Object.keys(opening)
    assert.match(
      mistakes({ PLUGIN_ADDRESSES: 'loopback', ...opening })[0] ?? '',
      new RegExp(`^PLUGIN_ADDRESSES cannot be loopback while ${name} .* set it to public$`),
    )
    assert.equal(readConfig(opening).PLUGIN_ADDRESSES, 'public', name)
  }
  for (const closed of CLOSED) assert.equal(readConfig(closed).PLUGIN_ADDRESSES, 'loopback')
  assert.equal(readConfig({ PLUGIN_ADDRESSES: 'public' }).PLUGIN_ADDRESSES, 'public')
})

test('messages are written to files or to a terminal only on loopback addresses', () => {
  for (const opening of PUBLIC) {
    const [name] = Object.keys(opening)
    for (const MESSAGES of ['file', 'log'])
      assert.match(
        mistakes({ MESSAGES, ...opening })[0] ?? '',
        new RegExp(
          `^MESSAGES cannot be ${MESSAGES} while ${name} .* set SMTP_URL and MESSAGES_FROM, or MESSAGES to off$`,
        ),
      )
    assert.equal(readConfig(opening).MESSAGES, 'off', name)
  }
  for (const closed of CLOSED)
    for (const MESSAGES of ['file', 'log']) assert.equal(readConfig({ MESSAGES, ...closed }).MESSAGES, MESSAGES)
})

test('messages go by mail if a server is set, into files in development, and nowhere otherwise', () => {
  const SMTP_URL = 'smtps://user:pw@mail.example.org'
  const MESSAGES_FROM = 'Groundschool <no-reply@example.org>'
  const ways: [environment: Record<string, string>, way: string][] = [
    [{}, 'file'],
    [{ HOST: '0.0.0.0' }, 'off'],
    [{ SMTP_URL, MESSAGES_FROM }, 'smtp'],
    [{ SMTP_URL, MESSAGES_FROM: 'no-reply@example.org', HOST: '0.0.0.0' }, 'smtp'],
    [{ SMTP_URL, MESSAGES: 'off' }, 'off'],
    [{ SMTP_URL, MESSAGES: 'log' }, 'log'],
    [{ MESSAGES: 'File' }, 'file'],
  ]
  for (const [environment, way] of ways)
    assert.equal(readConfig(environment).MESSAGES, way, JSON.stringify(environment))

  assert.deepEqual(mistakes({ MESSAGES: 'smtp' }), [
    'SMTP_URL must be set if MESSAGES is smtp',
    'MESSAGES_FROM must be set if e-mail is sent by SMTP',
  ])
  assert.deepEqual(mistakes({ SMTP_URL }), ['MESSAGES_FROM must be set if e-mail is sent by SMTP'])
  for (const wrong of ['mail.example.org', 'smtp:', 'smtp://', 'http://user:pw@mail.example.org'])
    assert.deepEqual(mistakes({ SMTP_URL: wrong, MESSAGES: 'smtp', MESSAGES_FROM }), [
      'SMTP_URL must be a URL such as smtps://user:password@mail.example.org',
    ])
  for (const wrong of ['x', '@', 'a@b, c@d', 'A <a@b> <c@d>', 'A <a b>', '<>'])
    assert.match(mistakes({ MESSAGES_FROM: wrong })[0] ?? '', /^MESSAGES_FROM must be an e-mail address/, wrong)
})

test('HOST must be an address, so that a misspelt one is found before the start', () => {
  for (const HOST of ['example.org', '127.0.0.1.example.org', '999.1.1.1', 'not a host'])
    assert.deepEqual(mistakes({ HOST }), ['HOST must be an IP address, such as 127.0.0.1, 0.0.0.0 or ::'])
})

test('a file provides settings, the environment overrides it, and a misspelt name is a mistake', () => {
  const file = fileOf('good.env', '# ports\nPORT=5000\nSANDBOX_PORT="5001"\n\nHOST=localhost\n')
  const config = readConfig({ CONFIG_FILE: file, PORT: '6000' })
  assert.deepEqual([config.PORT, config.SANDBOX_PORT, config.HOST], [6000, 5001, 'localhost'])
  const misspelt = fileOf('bad.env', 'PROT=5000\ntoString=1\nPORT=x\n')
  assert.deepEqual(mistakes({ CONFIG_FILE: misspelt }), [
    `PROT in ${misspelt} is not a known setting`,
    `toString in ${misspelt} is not a known setting`,
    'PORT must be a whole number from 0 to 65535',
  ])
  const absent = mistakes({ CONFIG_FILE: join(folder, 'absent.env'), DEMO: 'x' })
  assert.match(absent[0] ?? '', /^CONFIG_FILE must be a file that can be read \(ENOENT\)/)
  assert.equal(absent.length, 2)
})

const onlyKey = (config: Parameters<typeof readSecretKeys>[0]): Buffer => {
  const keys = readSecretKeys(config)
  assert.equal(keys.length, 1)
  return keys[0]!
}

test('the secret key is created once, readable by its owner only, and kept', () => {
  const dataDir = join(folder, 'new', 'data')
  const key = onlyKey({ DATA_DIR: dataDir, SECRET_KEY: undefined })
  assert.equal(key.length, 32)
  const file = join(dataDir, 'secret.key')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(dataDir), ['secret.key'])
  assert.deepEqual(onlyKey({ DATA_DIR: dataDir, SECRET_KEY: undefined }), key)
  assert.deepEqual(onlyKey({ DATA_DIR: join(folder, 'other'), SECRET_KEY: undefined }).equals(key), false)
  assert.equal(readFileSync(file, 'utf8').trim(), key.toString('base64url'))
  const given = Buffer.alloc(32, 7)
  assert.deepEqual(onlyKey({ DATA_DIR: dataDir, SECRET_KEY: [given.toString('base64')] }), given)
})

test('processes that start together agree on one key', async () => {
  const dataDir = join(folder, 'together')
  const script = `import { readSecretKeys } from '${new URL('./secret-keys.ts', import.meta.url)}'
    process.stdout.write(readSecretKeys({ DATA_DIR: process.argv[1], SECRET_KEY: undefined })[0].toString('hex'))`
  const run = promisify(execFile)
  const keys = await Promise.all(
    Array.from({ length: 4 }, () => run(process.execPath, ['--input-type=module', '-e', script, dataDir])),
  )
  assert.equal(new Set(keys.map(({ stdout }) => stdout)).size, 1)
  assert.match(keys[0]!.stdout, /^[0-9a-f]{64}$/)
})

test('a new key is put before the present one, in the key file and in SECRET_KEY', () => {
  const settings = { DATA_DIR: join(folder, 'two-keys'), SECRET_KEY: undefined }
  const old = onlyKey(settings)
  addKeyToFile(settings)
  const keys = findSecretKeys(settings)!
  assert.equal(keys.length, 2)
  assert.deepEqual(keys[1], old)
  assert.notDeepEqual(keys[0], old)
  assert.equal(statSync(join(settings.DATA_DIR, 'secret.key')).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(settings.DATA_DIR), ['secret.key'])
  const texts = keys.map((key) => key.toString('base64'))
  assert.deepEqual(findSecretKeys(readConfig({ SECRET_KEY: texts.join(', ') })), keys)
  assert.match(mistakes({ SECRET_KEY: `${texts[0]},c2hvcnQ` })[0] ?? '', /^SECRET_KEY must be at least 32 random bytes/)
  assert.match(mistakes({ SECRET_KEY: ',' })[0] ?? '', /^SECRET_KEY must be one key, or two keys separated by a comma/)
})

test('an unusable key gives a clear error', () => {
  const broken = join(folder, 'broken')
  mkdirSync(broken)
  writeFileSync(join(broken, 'secret.key'), 'too short')
  assert.throws(() => onlyKey({ DATA_DIR: broken, SECRET_KEY: undefined }), {
    name: 'StartupError',
    message: /does not have a key of 32 bytes; restore it from your backup/,
  })
  const occupied = fileOf('a-file', '')
  assert.throws(() => onlyKey({ DATA_DIR: occupied, SECRET_KEY: undefined }), {
    name: 'StartupError',
    message: /cannot be written to .*make that folder writable, or set SECRET_KEY/,
  })
})

test('every setting has a description and a default to show', () => {
  const settings = listSettings()
  assert.ok(settings.length > 20)
  for (const { name, about, shownDefault } of settings) {
    assert.match(about, /^[A-Z].*\.$/, name)
    assert.notEqual(shownDefault, '', name)
  }
})

test('uploaded files have a host name of their own', () => {
  const urls = (given: Record<string, string>) => {
    const { CONTENT_URL, SANDBOX_CONTENT_URL } = readConfig({ DEMO: 'off', MESSAGES: 'off', ...given })
    return [CONTENT_URL, SANDBOX_CONTENT_URL]
  }
  assert.deepEqual(urls({}), ['http://*.content.localhost:4000', 'http://*.content.localhost:4001'])
  assert.deepEqual(urls({ BASE_URL: 'http://127.0.0.1:5000', SANDBOX_URL: 'http://sandbox.localhost:5001' }), [
    'http://*.content.localhost:5000',
    'http://*.content.sandbox.localhost:5001',
  ])
  const published = { BASE_URL: 'https://school.example', SANDBOX_URL: 'https://sandbox.example' }
  assert.deepEqual(urls(published), [undefined, undefined])
  for (const [CONTENT_URL, mistake] of [
    ['https://school.example:8443', /CONTENT_URL must have another host name than BASE_URL/],
    ['https://sandbox.example', /CONTENT_URL must have another host name than SANDBOX_URL/],
    ['https://*.example', /CONTENT_URL must have another host name than BASE_URL/],
    ['https://content.example/files', /CONTENT_URL must have no path/],
    ['https://*.content.example/files', /CONTENT_URL must have no path/],
    ...[
      'https://*',
      'https://*.',
      'https://*.127.0.0.1',
      'https://a.*.example',
      'https://*.*.example',
      '*.example',
    ].map(
      (one) =>
        [one, /CONTENT_URL must be an http or https URL .* such as https:\/\/\*\.content\.example\.org/] as const,
    ),
    ['https://*.content.example', /SANDBOX_CONTENT_URL must differ from CONTENT_URL/],
  ] as const)
    assert.throws(
      () => urls({ ...published, CONTENT_URL, SANDBOX_CONTENT_URL: 'https://*.content.example' }),
      mistake,
      CONTENT_URL,
    )
  for (const CONTENT_URL of ['https://content.example', 'https://*.content.example/', 'https://*.school.example'])
    assert.deepEqual(urls({ ...published, CONTENT_URL }), [CONTENT_URL.replace(/\/$/, ''), undefined])
  assert.throws(() => urls({ BASE_URL: 'https://*.school.example' }), /BASE_URL must be an http or https URL/)
  assert.throws(() => urls({ S3_URL: 'https://s3.example/bucket' }), /S3_ACCESS_KEY and S3_SECRET_KEY must be set/)
})
