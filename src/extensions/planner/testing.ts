import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { call } from '../../apps/account/testing.ts'
import { openReceiver, type Received } from '../../kernel/outbound/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import type { Answer, TestApp } from '../../operations/testing/testing.ts'
import { registerTestPlugin, type TestPlugin } from '../plugins/testing.ts'
import { nameForPlugin } from '../plugins/users.ts'

/** An engine's response: a JSON object, or a function that writes the response. */
type EngineResponse = object | ((response: ServerResponse, received: Received) => unknown)

export interface TestEngine extends TestPlugin {
  readonly received: Received[]
  /** The engine's responses. Tests may change them at any time. */
  says: { capabilities: EngineResponse; candidates: EngineResponse }
  userIdOf(handle: string): Promise<string>
  /** Sets the candidates that the engine returns: handle, score, and optionally a reason. */
  name(...candidates: [handle: string, score: number, reason?: string][]): Promise<void>
}

const TWO = [
  { id: 'night', name: 'Night flying', description: 'Flies in the dark' },
  { id: 'water', name: 'Over water', description: '' },
]

/** Registers an AI plugin with a real HTTP server at both of its addresses. */
export async function openEngine(
  app: TestApp,
  t: Parameters<typeof openReceiver>[0],
  what: { key: string; organisations?: readonly string[] },
): Promise<TestEngine> {
  const says: TestEngine['says'] = { capabilities: { capabilities: TWO }, candidates: { candidates: [] } }
  const { address, received } = await openReceiver(t, (response, one) => {
    const answer = says[one.path.slice(1) as keyof typeof says]
    if (typeof answer === 'function') return answer(response, one)
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  const addresses = { capabilities: `${address}/capabilities`, candidates: `${address}/candidates` }
  const plugin = await registerTestPlugin(app, { kind: 'ai', addresses, ...what })
  const userIdOf = async (handle: string) => {
    const [row] = await app.sql(`select id::int as id from people where handle = '${handle}'`)
    const personId = Number(row!.id)
    const what = { pluginId: plugin.pluginId, people: [personId] }
    return (await nameForPlugin(app.environment().db, what)).get(personId)!
  }
  return {
    ...plugin,
    received,
    says,
    userIdOf,
    name: async (...candidates) => {
      const named = candidates.map(async ([handle, score, reason = 'Has done it before']) => ({
        userId: await userIdOf(handle),
        score,
        reasons: [reason],
      }))
      says.candidates = { candidates: await Promise.all(named) }
    },
  }
}

const PATH = '/planner/v1'
export const search = (browser: TestBrowser, engines: readonly TestPlugin[], more: object = {}): Promise<Answer> =>
  call(browser, 'PUT', `${PATH}/search`, {
    text: 'A night search',
    engines: engines.map(({ clientId }) => clientId),
    ...more,
  })
export const findCandidates = (
  browser: TestBrowser,
  searchId: string,
  capabilityIds: readonly string[],
  more: object = {},
): Promise<Answer> => call(browser, 'POST', `${PATH}/search/candidates`, { searchId, capabilityIds, ...more })

export function ok(answer: Answer) {
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** Starts a search, then asks each engine for candidates with its first capability. */
export async function searchPeople(browser: TestBrowser, engines: readonly TestPlugin[]) {
  const { searchId } = ok(await search(browser, engines))
  const ids = engines.map((_, place) => `${place + 1}.1`)
  return ok(await findCandidates(browser, searchId, ids))
}

/**
 * Creates two organisations. In `school`, Casey is the owner, Drew an instructor, Avery a member and Blake a developer;
 * Ellis owns `other`. Finley is an administrator and belongs to neither.
 */
export const openSchool = (app: TestApp) =>
  app.sql(
    `update people set administrator = true where handle = '@finley';
     insert into organisations (key, name, created_at) values ('school', 'School', now()), ('other', 'Other', now());
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, r.role from (values ('school', '@casey', 'owner'), ('school', '@drew', 'instructor'), ('school', '@avery', 'member'),
       ('school', '@blake', 'developer'), ('other', '@ellis', 'owner')) r(key, handle, role)
       join organisations o on o.key = r.key join people p on p.handle = r.handle`,
  )
