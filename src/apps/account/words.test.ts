import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameDevice } from '../../../web/account/security/device-name.ts'
import { readNext } from '../../kernel/http/pages/next.ts'
import { sayAgo, sayWait } from '../../kernel/pages/account/moments.ts'

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const IOS = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'

const NAMES: [device: string, name: string][] = [
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/126.0.0.0 Safari/537.36`, 'Chrome on Windows'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0`,
    'Edge on Windows',
  ],
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/126.0.0.0 Safari/537.36 OPR/112.0.0.0`, 'Opera on Linux'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/126.0.0.0 Safari/537.36`, 'Chrome on ChromeOS'],
  [`Mozilla/5.0 (Linux; Android 14; Pixel 8) ${WEBKIT} Chrome/126.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  [
    `Mozilla/5.0 (Linux; Android 14; SM-S921B) ${WEBKIT} SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet on Android',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${IOS} Version/17.5 Mobile/15E148 Safari/604.1`,
    'Safari on iPhone',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${IOS} CriOS/126.0 Mobile/15E148 Safari/604.1`,
    'Chrome on iPhone',
  ],
  [`Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) ${IOS} FxiOS/127.0 Mobile/15E148 Safari/605.1.15`, 'Firefox on iPad'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${IOS} Version/17.5 Safari/605.1.15`, 'Safari on Mac'],
  ['Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox on Linux'],
  ['Mozilla/5.0 (compatible) Firefox/127.0', 'Firefox'],
  ['FlightApp/3.2 CFNetwork/1490 Darwin/23.5.0', 'FlightApp/3.2 CFNetwork/1490 Darwin/23.5.0'],
  ['curl/8.7.1', 'curl/8.7.1'],
  ['', 'Unknown device'],
  [' \t\u202e ', 'Unknown device'],
  ['x'.repeat(200), `${'x'.repeat(60)}…`],
  ['😀'.repeat(61), `${'😀'.repeat(60)}…`],
]

test('devices have the names that people call them by', () => {
  for (const [device, name] of NAMES) assert.equal(nameDevice(device), name)
})

test('moments and waits are said in words', () => {
  const now = new Date('2026-05-01T12:00:00.000Z')
  const ago = (seconds: number) => sayAgo(new Date(now.getTime() - seconds * 1000), now)
  assert.deepEqual([-5, 0, 59, 60, 3599, 7200, 86_399, 86_400, 30 * 86_400, 40 * 86_400].map(ago), [
    ...['just now', 'just now', 'just now', '1 minute ago', '59 minutes ago', '2 hours ago', '23 hours ago'],
    ...['1 day ago', '30 days ago', 'on 22 Mar 2026'],
  ])
  assert.deepEqual([1, 2, 119, 120, 121, 900].map(sayWait), [
    ...['1 second', '2 seconds', '119 seconds', '2 minutes', '3 minutes', '15 minutes'],
  ])
})

test('only a plain path of this platform is accepted as a place to continue', () => {
  for (const good of ['/', '/account', '/device?user_code=ABCD-EFGH', '/oauth/signin?a=%2F%2Fx&b=1#c'])
    assert.equal(readNext(good), good)
  for (const bad of [
    ...[
      undefined,
      null,
      7,
      ['/account', '/x'],
      '',
      'account',
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
    ],
    ...[
      '\\\\evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      '/ /x',
      '/a\\b',
      '/é',
      '/\0',
      'javascript:alert(1)',
    ],
    `/${'x'.repeat(4000)}`,
  ])
    assert.equal(readNext(bad), undefined, String(bad))
})
