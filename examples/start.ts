import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'

export interface Settings {
  readonly platform: string
  readonly clientId: string
  /** The first is sent; while secrets are exchanged, what carries the second is taken too. */
  readonly secrets: readonly [string, ...string[]]
  readonly port: number
}

/** Settings from the environment. `--help` prints them with what they are, and ends. */
export function readSettings(
  about: string,
  defaults: { clientId: string; port: number },
  more: Record<string, string> = {},
): Settings {
  const { env, argv } = process
  if (argv.includes('--help')) {
    const rows = {
      PLATFORM_URL: 'where the platform is (http://localhost:4000)',
      CLIENT_ID: `the plugin's client ID (${defaults.clientId})`,
      CLIENT_SECRET: 'its secret; two, separated by a comma, while they are exchanged (gs-demo-secret)',
      PORT: `where the plugin listens, on this machine alone (${defaults.port})`,
      ...more,
    }
    console.log(`${about}\n\nSettings, from the environment:`)
    for (const [name, meaning] of Object.entries(rows)) console.log(`  ${name.padEnd(15)}${meaning}`)
    process.exit(0)
  }
  const [secret = '', ...others] = (env.CLIENT_SECRET ?? 'gs-demo-secret').split(',')
  return {
    platform: env.PLATFORM_URL ?? 'http://localhost:4000',
    clientId: env.CLIENT_ID ?? defaults.clientId,
    secrets: [secret, ...others],
    port: Number(env.PORT ?? defaults.port),
  }
}

/** Listens until it is told to stop. */
export async function serve(listener: RequestListener, { port, clientId, platform }: Settings): Promise<void> {
  const server = createServer(listener).listen(port, '127.0.0.1')
  await once(server, 'listening')
  log(`${clientId} listens on http://localhost:${port}, for the platform at ${platform}`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      server.close()
      server.closeIdleConnections()
    })
}

export function log(line: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)
}
