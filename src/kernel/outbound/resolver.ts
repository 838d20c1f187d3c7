import { Resolver } from 'node:dns/promises'
import { isLoopbackHost } from '../config.ts'
import { service } from '../environment.ts'

/** Returns all addresses of a name, IPv4 first; throws if it has none. */
export type ResolveName = (name: string) => Promise<readonly string[]>

const TRY_MS = 2000
const TRIES = 2

/**
 * Uses DNS only, without the hosts file. `dns.lookup` would occupy a thread of the pool that hashes passwords, for as
 * long as a foreign name server takes.
 */
function openResolver(): ResolveName {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES })
  return async (name) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = [v4, v6].flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    if (found.length === 0) throw v4.status === 'rejected' ? v4.reason : new Error('It has no address')
    return found
  }
}

export const nameResolver = service<ResolveName>(openResolver)

/** `localhost` is this machine, whatever DNS says (RFC 6761 §6.3). */
export const withLocalNames =
  (resolve: ResolveName): ResolveName =>
  async (name) =>
    isLoopbackHost(name) ? ['127.0.0.1', '::1'] : resolve(name)
