import type { Config, EnvironmentName } from '../config.ts'

/** What a newcomer needs to know after the start: where to go, how to sign in, how to stop. */
export function makeBanner(
  config: Config,
  addresses: Readonly<Record<EnvironmentName, string>>,
  hasDemo: boolean,
): string {
  // A port that the system chose is not in the settings.
  const production = config.PORT === 0 ? addresses.production : config.BASE_URL
  const sandbox = config.SANDBOX_PORT === 0 ? addresses.sandbox : config.SANDBOX_URL
  const demo = [
    '',
    '  Demo people: @avery @blake @casey @drew (developer) @ellis (administrator), password groundschool',
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
    `  Reference    ${production}/docs`,
    ...(hasDemo ? demo : []),
    '',
    '  Ctrl-C stops it.',
    '',
  ].join('\n')}\n`
}
