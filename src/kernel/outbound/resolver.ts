import { Resolver } from 'node:dns/promises'
import { isLoopbackHost } from '../config.ts'
import { service } from '../environment.ts'

/** Returns all addresses of a host name, IPv4 first. Throws if there are none. */
export type ResolveName = (name: string) => Promise<readonly string[]>

const TRY_MS = 2000
const TRIES = 2

/**
 * Creates a resolver that uses DNS only, and not the hosts file. `dns.lookup` would occupy a thread of the pool that
 * also hashes passwords, for as long as a foreign name server takes to respond.
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

/** Resolves `localhost` to this machine, whatever DNS says (RFC 6761 §6.3). */
export const withLocalNames =
  (resolve: ResolveName): ResolveName =>
  async (name) =>
    isLoopbackHost(name) ? ['127.0.0.1', '::1'] : resolve(name)
