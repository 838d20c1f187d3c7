import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from './networks.ts'

const NETWORKS: readonly [address: string, network: string][] = [
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
]

for (const [address, network] of NETWORKS) {
  test(`${address} counts as ${network}`, () => assert.equal(networkOf(address), network))
}
