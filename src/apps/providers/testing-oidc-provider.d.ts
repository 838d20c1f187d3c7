/** The parts of oidc-provider that tests use. The package comes without types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    on(event: string, listener: (...values: never[]) => void): this
  }
}
