import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'

export interface Settings {
  readonly platform: string
  readonly clientId: string
  /**
   * The first secret is used for calls to the platform. While the secret is being rotated, calls from the platform may
   * use either.
   */
  readonly secrets: readonly [string, ...string[]]
  readonly port: number
}

/** Reads settings from environment variables. With `--help`, prints the variables with descriptions and exits. */
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

/** Starts a server that listens until the process is stopped. */
export async function serve(listener: RequestListener, { port, clientId, platform }: Settings): Promise<void> {
  const server = createServer(listener).listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    console.error(
      `Port ${port} is taken. Stop what listens there, or set PORT and the addresses of the plugin to another one.`,
    )
    process.exit(1)
  }
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
