import type { EnvironmentName } from '../../kernel/config.ts'
import { Client, type TestApp } from '../../operations/testing/testing.ts'
import { addCredential, type NewKey } from './managing.ts'
import type { Scope } from './scopes.ts'

export interface TestKey {
  readonly credentialId: number
  readonly key: string
  readonly secret: string
  /** The value of the Authorization header. */
  readonly basic: string
  /** A client that authenticates with the key. */
  readonly client: Client
}

export const basicOf = (key: string, secret: string): string =>
  `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`

/** Creates a key of the record store, with all scopes by default. */
export async function makeTestKey(
  app: TestApp,
  what: Partial<Omit<NewKey, 'scopes'>> & { scopes?: readonly Scope[] } = {},
  name: EnvironmentName = 'production',
): Promise<TestKey> {
  const environment = app.environment(name)
  const who = { at: environment.clock(), requestId: 'test', address: '127.0.0.1' }
  const made = await addCredential(environment.db, who, { name: 'Test', scopes: ['all'], ...what }, environment)
  const basic = basicOf(made.key, made.secret)
  return { ...made, basic, client: new Client(app.platform.addresses[name], basic) }
}
