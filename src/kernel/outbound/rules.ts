import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { isLoopbackHost } from '../config.ts'

const MAX_URI_LENGTH = 2000

/** Decides which addresses the platform may send requests to. */
export interface AddressPolicy {
  /** If true, addresses of this machine are allowed too, for development. */
  readonly allowsLoopback: boolean
}

/**
 * IPv4 networks that are not public (IANA special-purpose registry, RFC 6890), and addresses of cloud metadata services
 * that look public.
 */
const NOT_PUBLIC = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
]
/**
 * IPv6 networks within 2000::/3 that are not public: protocol assignments and tunnels (which may embed an IPv4
 * address), and documentation. IPv6 addresses outside 2000::/3 are never public.
 */
const NOT_PUBLIC_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3ffe::/16', '3fff::/20']

function listOf(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address, bits] = network.split('/')
    list.addSubnet(address!, Number(bits), family)
  }
  return list
}
const notPublic = listOf('ipv4', NOT_PUBLIC)
const globalUnicast = listOf('ipv6', ['2000::/3'])
const notPublic6 = listOf('ipv6', NOT_PUBLIC_6)
const loopback = listOf('ipv4', ['127.0.0.0/8'])

/** Tells whether the platform may connect to this IP address, in any notation. */
export function mayConnect(address: string, { allowsLoopback }: AddressPolicy): boolean {
  if (isIPv4(address)) return !notPublic.check(address) || (allowsLoopback && loopback.check(address))
  if (!isIPv6(address)) return false
  const plain = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1)
  // An address with a zone, such as `fe80::1%eth0`, is only valid on the local network.
  if (plain === undefined) return false
  if (plain === '::1') return allowsLoopback
  const inside = findTranslated(plain)
  if (inside !== undefined) return !notPublic.check(inside)
  return globalUnicast.check(plain, 'ipv6') && !notPublic6.check(plain, 'ipv6')
}

/**
 * Returns the IPv4 address that a NAT64 address stands for (RFC 6052); undefined for other addresses. In a NAT64
 * network, all public IPv4 addresses look like this.
 */
function findTranslated(address: string): string | undefined {
  const [, high = '0', low] = /^64:ff9b::(?:([\da-f]{1,4}):)?([\da-f]{1,4})$/.exec(address) ?? []
  if (low === undefined) return undefined
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((number) => [number >> 8, number & 255])
    .join('.')
}

/** Host names that are only valid within a local network. */
const LOCAL_NAMES = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|arpa|onion)$/

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/**
 * Returns the URL's host if it is an IP address. `URL` has already normalized decimal, octal and hexadecimal notation.
 */
export function findLiteral(url: URL): string | undefined {
  const host = hostOf(url)
  return isIPv4(host) || isIPv6(host) ? host : undefined
}

/**
 * Checks the form of a URL, without resolving its name. Returns the end of a sentence that begins with "must", or
 * undefined if the URL is acceptable.
 */
export function findUriMistake(uri: string, policy: AddressPolicy): string | undefined {
  const url = URL.parse(uri)
  // Backslashes are refused, because some parsers read them as slashes.
  if (!url || uri.length > MAX_URI_LENGTH || !/^https?:\/\/[^/?#]/i.test(uri) || !/^[\x21-\x5b\x5d-\x7e]+$/.test(uri))
    return `be an absolute URL in plain characters, such as https://plugin.example.org/events, of at most ${MAX_URI_LENGTH} characters`
  if (/^[^:]+:\/\/[^/?#]*@/.test(uri)) return 'have no user name or password'
  if (uri.includes('#')) return 'have no fragment'
  const name = url.hostname.replace(/\.+$/, '')
  const isLocal = policy.allowsLoopback && isLoopbackHost(name)
  if (url.protocol !== 'https:' && !isLocal)
    return `be https${policy.allowsLoopback ? ', unless its host is localhost or another loopback address' : ''}`
  const literal = findLiteral(url)
  if (literal !== undefined) return mayConnect(literal, policy) ? undefined : NOT_A_PUBLIC_HOST
  if (isLocal) return undefined
  return LOCAL_NAMES.test(name) || !name.includes('.') ? NOT_A_PUBLIC_HOST : undefined
}

export const NOT_A_PUBLIC_HOST = 'have a host on the public internet: this one is private, local or reserved'
