import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runSql } from '../../kernel/database/test-database.ts'
import { ownDatabase, place, runAll } from './testing.ts'

test('apps are added, get a second secret, lose the first, and are suspended and approved', async () => {
  const { settings, drop } = await ownDatabase()
  const steps: [args: string[], said: RegExp][] = [
    [
      [
        'add',
        'log',
        '--name',
        'Log',
        '--redirect-uri',
        'https://log.example.org/cb',
        '--redirect-uri',
        'log://cb',
        '--owner',
        '@drew',
      ],
      /^client ID {6}gs-log\nclient secret {2}gs_cs_\S{40,}\n$/,
    ],
    [['add', 'log', '--name', 'Log'], /^An app with the client ID gs-log already exists\n$/],
    [['add', 'sbx-log', '--name', 'Log'], /does not start with sbx-/],
    [['add', 'lost', '--name', 'L', '--launch-uri', 'log://cb'], /^launchUri must be one of the redirect URIs/],
    [['add', 'evil', '--name', 'E', '--redirect-uri', 'http://evil.example.org'], /must be https unless/],
    [
      ['add', 'evil', '--name', 'E', '--redirect-uri', 'intent:x'],
      /^The redirect URI intent:x must be https, or http /,
    ],
    [['add', 'lost', '--name', 'L', '--owner', '@nobody'], /^There is no user with the handle @nobody\n$/],
    [
      ['add', 'phone', '--name', 'Phone', '--public', '--device', '--environment', 'sandbox'],
      /^client ID {6}gs-sbx-phone\nclient secret {2}none: a public client uses PKCE\n$/,
    ],
    [['secret', 'gs-sbx-phone'], /^A public client has no secrets\n$/],
    [['secret', 'log'], /^client secret {2}gs_cs_\S{40,}\n$/],
    [['secret', 'gs-log'], /^The app already has 2 secrets; /],
    [['secret', 'log', '--list'], /^(created \d{4}-\S+Z\tnever used\n){2}$/],
    [['secret', 'gs-sbx-phone', '--list'], /^There is no secret\.\n$/],
    [['secret', 'unknown', '--list'], /^There is no app with this client ID\n$/],
    [['secret', 'log', '--drop-old'], /^Only the newest secret is left\.\n$/],
    [['secret', 'log', '--drop-old'], /^There was no old secret\.\n$/],
    [
      [
        'update',
        'log',
        '--name',
        'Logs',
        '--origin',
        'https://log.example.org',
        '--basic',
        'on',
        '--redirect-uri',
        'log://cb',
      ],
      /^gs-log was updated\. /,
    ],
    [['update', 'log', '--origin', 'nowhere'], /^nowhere is not an origin; /],
    [['update', 'log', '--name', ''], /^The name of an app must be /],
    [['update', 'log', '--owner', '@nobody'], /^There is no user with the handle @nobody\n$/],
    [['update', 'gs-unknown', '--name', 'U'], /^There is no app with this client ID\n$/],
    [
      ['show', 'log'],
      /^ {2}clientId +gs-log\n {2}name +Logs\n.*\n {2}owner +@drew\n.*redirectUris +log:\/\/cb\n {2}launchUri +-\n {2}origins +https:\/\/log\.example\.org\n {2}scopes +-\n {2}basic +on\n/s,
    ],
    [['update', 'log', '--scope', 'notes', '--scope', 'profile'], /^gs-log was updated\. /],
    [['show', 'log'], /\n {2}scopes +profile notes\n/],
    [['update', 'log', '--scope', 'nonsense'], /^nonsense is not a scope; /],
    [['update', 'log', '--scope', ''], /^gs-log was updated\. /],
    [['update', 'log', '--launch-uri', 'log://elsewhere'], /^launchUri must be one of the redirect URIs/],
    [['update', 'log', '--launch-uri', 'log://cb?from=lesson'], /^gs-log was updated\. /],
    // The launch URI has to remain one of the redirect URIs.
    [['update', 'log', '--redirect-uri', 'log://other'], /^launchUri must be one of the redirect URIs/],
    [['show', 'gs-unknown'], /^There is no app with this client ID\n$/],
    [['suspend', 'gs-log'], /^gs-log is suspended\.\n$/],
    [['storage', 'gs-log', '5000'], /^gs-log can store 4096 bytes\.\n$/],
    [['list'], /^gs-log\tsuspended\t0 of 4096\t@drew\tLogs$/m],
    [
      ['set', 'log', '--anonymous', 'off'],
      /^gs-log: use without an account is off\.\nPublic buckets can be changed by their members only\.\n$/,
    ],
    [
      ['set', 'gs-log', '--shared-buckets', 'on'],
      /^gs-log: use without an account is off\.\nPublic buckets can be changed by all users of the app\.\n$/,
    ],
    [
      ['set', 'gs-log', '--anonymous', 'on', '--shared-buckets', 'off'],
      /^gs-log: use without an account is on\..*by their members only\.\n$/s,
    ],
    [['set', 'gs-log', '--anonymous', 'perhaps'], /--anonymous must be on or off, not 'perhaps'/],
    [['set', 'gs-log'], /Use at least one option/],
    [['set', 'gs-unknown', '--anonymous', 'on'], /^There is no app with this client ID\n$/],
    [['approve', 'log'], /^gs-log is approved\.\n$/],
    [['approve', 'gs-unknown'], /^There is no app with this client ID\n$/],
  ]
  try {
    const results = await runAll(steps.map(([args]) => ({ args: ['app', ...args], settings })))
    for (const [i, { out, err }] of results.entries()) assert.match(out || err, steps[i]![1])
    assert.notEqual(results[0]!.out.split('\n')[1], results[8]!.out.split('\n')[0])
    const connection = { connectionString: settings.DATABASE_URL! }
    await runSql(connection, `update gs_production.app_secrets set last_used_at = '2026-05-01T12:00:00Z'`)
    const devices = `select client_id from gs_sandbox.apps where device_enabled`
    assert.deepEqual(await runSql(connection, devices), [{ client_id: 'gs-sbx-phone' }])
    const [list] = await runAll([{ args: ['app', 'secret', 'log', '--list'], settings }])
    assert.match(list!.out, /^created \S+Z\tlast used 2026-05-01T12:00:00\.000Z\n$/)

    const reading = [['list'], ['show', 'gs-log'], ['secret', 'log', '--list']]
    const jsons = await runAll(reading.map((args) => ({ args: ['app', ...args, '--json'], settings })))
    const [listed, shown, secrets] = jsons.map(({ out }) => JSON.parse(out))
    const log = { clientId: 'gs-log', name: 'Logs', status: 'approved', owner: '@drew' }
    const own = listed.find(({ clientId }: { clientId: string }) => clientId === 'gs-log')
    assert.deepEqual(own, { ...log, storageUsed: 0, storageLimit: 4096 })
    assert.deepEqual(
      { ...log, basic: true, origins: ['https://log.example.org'], launchUri: 'log://cb?from=lesson' },
      pick(shown, [...Object.keys(log), 'basic', 'origins', 'launchUri']),
    )
    assert.equal(secrets[0].lastUsedDate, '2026-05-01T12:00:00.000Z')

    const ending = [
      ['remove', 'gs-log', '--yes'],
      ['show', 'gs-log'],
      ['remove', 'gs-log', '--yes'],
    ]
    const [removed, gone, again] = await runAll(ending.map((args) => ({ args: ['app', ...args], settings })))
    assert.equal(removed!.out, 'gs-log was deleted.\n')
    for (const { code, err } of [gone!, again!])
      assert.deepEqual({ code, err }, { code: 1, err: 'There is no app with this client ID\n' })
  } finally {
    await drop()
  }
})

test('an app gets public keys from a file, and a private key in it is refused', async () => {
  const { settings, drop } = await ownDatabase()
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const [jwk, pem, bad] = ['key.json', 'key.pem', 'private.pem'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(jwk, JSON.stringify({ ...publicKey.export({ format: 'jwk' }), kid: 'server-1' }))
  writeFileSync(pem, publicKey.export({ format: 'pem', type: 'spki' }))
  writeFileSync(bad, privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const keyed = ['--auth-method', 'private_key_jwt']
  const steps: [args: string[], said: RegExp][] = [
    [
      ['add', 'keyed', '--name', 'Keyed', ...keyed, '--public-keys', jwk, '--id-token-algorithm', 'ES256'],
      /^client ID {6}gs-keyed\nclient secret {2}none: the app uses its key\n$/,
    ],
    [
      ['show', 'keyed'],
      /\n {2}tokenEndpointAuthMethod +private_key_jwt\n {2}publicKeys +server-1\n {2}idTokenAlgorithm +ES256\n/,
    ],
    [['update', 'keyed', '--public-keys', pem, '--id-token-algorithm', 'EdDSA'], /^gs-keyed was updated\. /],
    [['show', 'keyed'], /\n {2}publicKeys +EC\n {2}idTokenAlgorithm +EdDSA\n/],
    [['update', 'keyed', '--public-keys', bad], /^publicKeys must not contain a private key: /],
    [['update', 'keyed', '--public-keys', `${bad}.lost`], /cannot be read \(ENOENT\)/],
    [['update', 'keyed', '--public-keys', ''], /^The app uses private_key_jwt, so it needs a public key\n$/],
    [
      ['update', 'keyed', '--auth-method', 'none'],
      /^--auth-method must be client_secret or private_key_jwt, not 'none'/,
    ],
    [['update', 'keyed', '--auth-method', 'client_secret', '--public-keys', ''], /^gs-keyed was updated\. /],
    [['show', 'keyed'], /\n {2}tokenEndpointAuthMethod +client_secret\n {2}publicKeys +-\n/],
    [['add', 'open', '--name', 'Open', '--public', '--public-keys', jwk], /^A public client cannot keep a private key/],
    [['show', 'open'], /^There is no app with this client ID\n$/],
  ]
  try {
    const results = await runAll(steps.map(([args]) => ({ args: ['app', ...args], settings })))
    for (const [i, { out, err }] of results.entries()) assert.match(out || err, steps[i]![1])
  } finally {
    await drop()
  }
})

const pick = (from: Record<string, unknown>, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, from[name]]))
