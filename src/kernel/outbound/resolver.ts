import { Resolver } from 'node:dns/promises'
import { isLoopbackHost } from '../config.ts'
import { service } from '../environment.ts'

/** All addresses of a name, IPv4 first; throws where it has none. */
export type ResolveName = (name: string) => Promise<readonly string[]>

const TRY_MS = 2000
const TRIES = 2

/** By DNS alone, without the hosts file. `dns.lookup` would take a thread of those that hash passwords for as long as a name server of somebody else likes. */
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

/** `localhost` is this machine, whatever a name server says (RFC 6761 §6.3). */
export const withLocalNames =
  (resolve: ResolveName): ResolveName =>
  async (name) =>
    isLoopbackHost(name) ? ['127.0.0.1', '::1'] : resolve(name)
