import { isIPv6 } from 'node:net'

/**
 * Returns the network under which limits count an address. IPv6 addresses are counted by /64, because a single
 * household or server usually has a whole /64.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [start = '', end] = address.split('%')[0]!.toLowerCase().split('::')
  const head = start === '' ? [] : start.split(':')
  const tail = end === undefined || end === '' ? [] : end.split(':')
  const missing = end === undefined ? 0 : 8 - head.length - tail.length
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
