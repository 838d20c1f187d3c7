import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'

const NAMED_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Returns a function that tells whether an address belongs to a trusted proxy. */
export function proxyFinder(trusted: readonly string[]): (address: string) => boolean {
  if (trusted.length === 0) return () => false
  const list = new BlockList()
  for (const network of trusted.flatMap((name) => NAMED_NETWORKS[name] ?? [name])) {
    const [address = '', bits] = network.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/**
 * Returns a function that finds the client's address. Starting at the peer of the connection and going backwards
 * through X-Forwarded-For, it is the first address that is not a trusted proxy.
 */
export function addressFinder(trusted: readonly string[]): (request: IncomingMessage) => string {
  const peerOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? ''
  if (trusted.length === 0) return peerOf
  const isTrusted = proxyFinder(trusted)
  return (request) => {
    let address = peerOf(request)
    const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',')
    while (isTrusted(address)) {
      const before = forwarded.pop()?.trim()
      if (before === undefined || isIP(before) === 0) break
      address = before
    }
    return address
  }
}
