import type { Config, EnvironmentName } from '../../kernel/config.ts'

type Addresses = Readonly<Record<EnvironmentName, string>>

/**
 * Returns the public addresses of the environments, which pages and apps are bound to. They may differ from the
 * addresses that the platform listens on.
 */
export const publicAddresses = (config: Config, listening: Addresses): Addresses => ({
  // With PORT=0 the system chooses the port, so the settings do not contain it.
  production: config.PORT === 0 ? listening.production : config.BASE_URL,
  sandbox: config.SANDBOX_PORT === 0 ? listening.sandbox : config.SANDBOX_URL,
})

/** Creates the text that newcomers see after the start: addresses, how to sign in, and how to stop. */
export function makeBanner({ production, sandbox }: Addresses, hasDemo: boolean): string {
  const demo = [
    '',
    '  Demo users: @avery @blake @casey @drew (developer) @ellis (administrator), password groundschool',
    '  Sign in (the access token is in the header access_token):',
    '',
    `    curl -i -u @avery:groundschool -H 'clientId: gs-demo-app' ${production}/auth/basic`,
  ]
  return `${[
    '',
    '  Groundschool is running.',
    '',
    `  Production   ${production}`,
    `  Sandbox      ${sandbox}`,
    `  Docs         ${production}/docs`,
    ...(hasDemo ? demo : []),
    '',
    '  Ctrl-C stops it.',
    '',
  ].join('\n')}\n`
}
