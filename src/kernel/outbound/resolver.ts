import { Resolver } from 'node:dns/promises'
import { isLoopbackHost } from '../config.ts'
import { type Environment, service } from '../environment.ts'

/** Returns all addresses of a host name, IPv4 first. Throws if there are none. */
export type ResolveName = (name: string) => Promise<readonly string[]>

const TRY_MS = 2000
const TRIES = 2

/** Returns the values of the TXT records of a name. Throws if there are none. */
export type ResolveTexts = (name: string) => Promise<readonly string[]>

/**
 * The resolver for names of other servers. It uses DNS only, and not the hosts file. `dns.lookup` would occupy a thread
 * of the pool that also hashes passwords, for as long as a foreign name server takes to respond.
 */
const dns = service(({ config }) => {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES })
  if (config.DNS_SERVERS.length > 0) resolver.setServers(config.DNS_SERVERS)
  return resolver
})

export const nameResolver = service<ResolveName>(({ get }) => async (name) => {
  const [v4, v6] = await Promise.allSettled([get(dns).resolve4(name), get(dns).resolve6(name)])
  const found = [v4, v6].flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  if (found.length === 0) throw v4.status === 'rejected' ? v4.reason : new Error('It has no address')
  return found
})

export const textResolver = service<ResolveTexts>(
  ({ get }) =>
    async (name) =>
      (await get(dns).resolveTxt(name)).map((parts) => parts.join('')),
)

const NO_RECORD = ['ENOTFOUND', 'ENODATA']
const PROBLEMS: Readonly<Record<string, string>> = {
  ESERVFAIL: 'its name servers failed',
  EREFUSED: 'its name servers refused to answer',
  ETIMEOUT: 'its name servers did not respond in time',
  ECONNREFUSED: 'the name server of this platform cannot be reached',
}

/** Returns the TXT records of a name, or the end of a sentence that says why they cannot be looked up. */
export async function findTexts(
  environment: Pick<Environment, 'get'>,
  name: string,
): Promise<{ readonly texts: readonly string[]; readonly problem?: undefined } | { readonly problem: string }> {
  try {
    return { texts: await environment.get(textResolver)(name) }
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException
    return NO_RECORD.includes(code) ? { texts: [] } : { problem: PROBLEMS[code] ?? `DNS failed (${code})` }
  }
}

/** Resolves `localhost` to this machine, whatever DNS says (RFC 6761 §6.3). */
export const withLocalNames =
  (resolve: ResolveName): ResolveName =>
  async (name) =>
    isLoopbackHost(name) ? ['127.0.0.1', '::1'] : resolve(name)
