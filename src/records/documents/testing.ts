import { randomUUID } from 'node:crypto'
import type { Answer, Client, TestApp } from '../../operations/testing/testing.ts'
import { makeTestKey } from '../credentials/testing.ts'
import type { Version } from '../statements/model/statement.ts'

export const PATHS = {
  state: '/xapi/activities/state',
  activity: '/xapi/activities/profile',
  agent: '/xapi/agents/profile',
} as const
export type Resource = keyof typeof PATHS
export const RESOURCES = Object.keys(PATHS) as Resource[]
export const VERSIONS: readonly Version[] = ['1.0.3', '2.0.0']

export type Parameters = Record<string, unknown>

/** Makes parameters for a document that does not exist yet. */
export function newParameters(resource: Resource): Parameters {
  const agent = JSON.stringify({ account: { homePage: 'http://www.example.com/agentId/1', name: 'Rick James' } })
  const activityId = 'http://www.example.com/activityId/hashset'
  const id = randomUUID()
  if (resource === 'state') return { activityId, agent, stateId: id }
  return resource === 'activity' ? { activityId, profileId: id } : { agent, profileId: id }
}

export const without = (parameters: Parameters, ...names: string[]): Parameters =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => !names.includes(name)))

interface SendOptions {
  readonly body?: unknown
  readonly raw?: string | Buffer
  readonly headers?: Record<string, string>
  readonly version?: Version
}

export type Send = (method: string, resource: Resource, query: Parameters, sent?: SendOptions) => Promise<Answer>

/** Returns a function that sends requests to the three document resources. */
export const sender =
  (client: Client, version: Version = '1.0.3'): Send =>
  (method, resource, query, { headers, version: another, ...init } = {}) =>
    client.send(method, PATHS[resource], {
      query,
      ...init,
      headers: { 'x-experience-api-version': another ?? version, ...headers },
    })

/** Does the same as `sender`, with a new key that has all scopes. */
export const keySender = async (app: TestApp, version?: Version): Promise<Send> =>
  sender((await makeTestKey(app)).client, version)
