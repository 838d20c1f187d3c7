import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused, run } from '../../kernel/imports/testing.ts'
import { sharedApp } from '../../operations/testing/testing.ts'
import { registerApp } from '../oauth/testing.ts'

const app = await sharedApp()

const RULES: readonly [sentence: RegExp, uris: readonly string[]][] = [
  [
    /must be https, or http on a loopback address, or a scheme of the app itself/,
    [
      'intent:x',
      'intent://host/#Intent;scheme=demo;end',
      'view-source:https://app.example.org/cb',
      'javascript:alert(1)',
      'JavaScript://app.example.org/%0aalert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'blob:https://app.example.org/0',
      'about:blank',
      'vbscript:x',
      'filesystem:https://app.example.org/temporary/x',
      'content://com.example/x',
      'android-app://com.example/demo/callback',
      'ftp://app.example.org/cb',
      'wss://app.example.org/cb',
      'mailto:somebody@example.org',
      'urn:ietf:wg:oauth:2.0:oob',
      ...(
        'microsoft-edge microsoft-edge-extension googlechrome googlechromes firefox ms-word ms-appinstaller ms-settings shell ' +
        'itms itms-apps itms-services brave opera edge chrome chrome-extension chrome-search moz-extension ' +
        'safari-web-extension feed mhtml res x-apple-systempreferences market search-ms MS-Excel'
      )
        .split(' ')
        .map((scheme) => `${scheme}://app.example.org/cb`),
    ],
  ],
  [
    /must begin with https:\/\/ and a host, or with a scheme of the app itself and a slash/,
    ['https:evil/cb', 'https:/evil/cb', 'https:///evil/cb', 'http:127.0.0.1/cb', 'HTTPS:evil/cb', 'demo:callback'],
  ],
  [
    /must be an absolute URL in plain characters/,
    [
      'https:\\\\evil/cb',
      'https://app.example.org\\@evil/cb',
      'demo://call\\back',
      'https://app.example.org/c b',
      ' https://app.example.org/cb',
      'https://app.example.org/cb\t',
      'https://app.example.org/\u007fcb',
      'https://äpp.example.org/cb',
      '//app.example.org/cb',
      '/cb',
      'demo',
      `https://app.example.org/${'x'.repeat(1980)}`,
    ],
  ],
  [/must have no fragment/, ['https://app.example.org/cb#', 'https://app.example.org/cb#x', 'demo://callback#x']],
  [
    /must have no user name or password/,
    ['https://u@app.example.org/cb', 'https://u:p@app.example.org/cb', 'https://@app.example.org/cb', 'demo://u@cb'],
  ],
  [/must be complete/, ['https://*.example.org/cb', 'demo://*']],
  [/must be https unless its host is localhost/, ['http://app.example.org/cb', 'http://127.0.0.1.evil.example/cb']],
  [
    /must not have code in its query/,
    ['https://app.example.org/cb?code=1', 'demo://cb?x=1&CODE', 'demo:/cb?c%6fde[]=1'],
  ],
  ...[
    'state',
    'error',
    'error_description',
    'error_uri',
    'iss',
    'access_token',
    'refresh_token',
    'expires_in',
    'token_type',
    'id_token',
  ].map((name): [RegExp, string[]] => [
    new RegExp(`must not have ${name} in its query: the sign-in sets it`),
    [`https://app.example.org/cb?x=1&${name}=2`, `http://127.0.0.1/cb?${name}`, `demo://callback?x=1;${name}=2`],
  ]),
]

/** Whether the URI can appear in an import file, which must not contain control characters. */
const isWritable = (uri: string): boolean => uri.length <= 2000 && !/\p{Cc}/u.test(uri)

test('an unsafe redirect URI is refused at registration, with the reason', async () => {
  for (const [sentence, uris] of RULES)
    for (const uri of uris)
      await assert.rejects(registerApp(app, { key: 'astray', redirectUris: [uri] }), (error: Error) => {
        assert.match(error.message, sentence, uri)
        assert.ok(error.message.startsWith(`The redirect URI ${uri} must `), error.message)
        return true
      })
  for (const character of ['\0', '\r\n', '\n', '\u001b', '\u2028'])
    await assert.rejects(
      registerApp(app, { key: 'astray', redirectUris: [`https://app.example.org/${character}cb`] }),
      /must be an absolute URL in plain characters/,
    )
  assert.deepEqual(await app.sql(`select 1 from apps where client_id = 'gs-astray'`), [])
})

test('an unsafe one in an import file is refused, with its place', async () => {
  const cases = RULES.flatMap(([sentence, uris]) => uris.filter(isWritable).map((uri) => ({ sentence, uri })))
  const entries = cases.map(({ uri }, i) => ({ key: `astray-${i}`, name: 'Astray', redirectUris: [uri] }))
  const mistakes = await refused(run(app, { apps: entries }))
  assert.equal(mistakes.length, cases.length)
  for (const [i, { sentence, uri }] of cases.entries()) {
    assert.ok(mistakes[i]!.startsWith(`apps[${i}].redirectUris[0]: must `), mistakes[i])
    assert.match(mistakes[i]!, sentence, uri)
  }
})

test('custom schemes, with a dot and without one, and queries are accepted', async () => {
  const good = [
    'demo://callback',
    'demo://',
    'org.example.app:/callback',
    'org.example.app:///callback',
    'fb1234567://authorize',
    'my-app+x://cb?level=1',
    'ms-app://s-1-15-2-1/',
    'https://app.example.org/cb?barcode=1&statement=2&x=code',
    'http://localhost:4000/cb',
    'http://127.0.0.1/cb',
    'http://[::1]/cb',
  ]
  await registerApp(app, { key: 'native', redirectUris: good })
  await run(app, { apps: [{ key: 'imported', name: 'Imported', redirectUris: good }] })
  for (const key of ['native', 'imported'])
    for (const redirect_uri of good) {
      const query = { response_type: 'code', client_id: `gs-${key}`, redirect_uri }
      const answer = await app.visitor().get('/oauth/signin', query)
      // The redirect to the app, with the error that PKCE is required, shows that the redirect URI was accepted.
      assert.ok(answer.location?.startsWith(redirect_uri), `${redirect_uri}: ${answer.text}`)
    }
})
