import { Gate } from '../../kernel/bounds/gate.ts'
import { callerKey, type PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { send } from '../../kernel/outbound/outbound.ts'
import { recordFailure, recordSuccess, switchOff } from '../plugins/addresses.ts'
import { findHosted, headersFor, type PluginEndpoint } from '../plugins/hosted.ts'
import { WrongAnswer } from './answers.ts'
import type { OfferedEngine } from './rules.ts'
import type { Engine } from './schema.ts'
import * as store from './store.ts'

/**
 * Maximum size of a response: enough for any plain-text response that the contract allows, and small enough for many
 * parallel searches.
 */
const MAX_ANSWER_BYTES = 256 * 1024

/** Time limit in milliseconds for one engine per search, including the time in the queue (contract §9). */
export const searchTimeMs = service(() => 10_000)

/**
 * Limits parallel searches to two per person and parallel calls to sixteen per plugin, so that no plugin is flooded and
 * a slow plugin does not delay the others.
 */
const gates = service((environment) => ({
  people: new Gate({ atOnce: 64, perKey: 2, waiting: 256, waitingPerKey: 2, waitMs: 10_000 }),
  plugins: new Gate({ atOnce: 256, perKey: 16, waiting: 1000, waitMs: environment.get(searchTimeMs) }),
}))

export const listEngines = async (db: Db, who: PersonCaller): Promise<Engine[]> =>
  (await db.all(store.listEngines, { person: who.personId })).map(
    ({ client_id: clientId, name, description, organisations }) => ({ clientId, name, description, organisations }),
  )

/** Finds the engines with these client IDs that are currently offered to the caller, in the given order. */
export async function findEngines(db: Db, who: PersonCaller, clientIds: readonly string[]): Promise<OfferedEngine[]> {
  const rows = await db.all(store.findEngines, { person: who.personId, clients: [...clientIds] })
  const offered = rows.map((row): OfferedEngine => {
    const organisations = row.organisation_ids.map((id, i) => ({ id, key: row.organisations[i]! }))
    return { pluginId: row.plugin_id, clientId: row.client_id, name: row.name, organisations }
  })
  return clientIds.flatMap((clientId) => offered.find((engine) => engine.clientId === clientId) ?? [])
}

export async function readEngines(db: Db, who: PersonCaller, clientIds: readonly string[]): Promise<OfferedEngine[]> {
  const engines = await findEngines(db, who, clientIds)
  const missing = clientIds.find((clientId) => !engines.some((engine) => engine.clientId === clientId))
  if (missing !== undefined)
    throw fail('notFound', `${missing} is not available to you; GET /planner/v1/engines lists the available engines`)
  return engines
}

/** A request to one engine, with the parser of the response. */
export interface Question<T> {
  readonly engine: Pick<OfferedEngine, 'pluginId' | 'clientId' | 'name'>
  readonly document: object
  read(text: string): T
}

export type Reply<T> = { readonly answer: T; readonly problem?: undefined } | { readonly problem: string }

/**
 * Asks several engines in parallel. An engine that fails does not affect the others. If all fail, the returned `error`
 * says why; it is not thrown.
 */
export async function askEngines<T>(
  db: Db,
  who: PersonCaller,
  purpose: 'capabilities' | 'candidates',
  questions: readonly Question<T>[],
  environment: Environment,
): Promise<{ replies: Reply<T>[]; error: Error | undefined }> {
  const replies = await environment
    .get(gates)
    .people.run(callerKey(who), () =>
      Promise.all(questions.map((question) => askEngine(db, who, purpose, question, environment))),
    )
  if (environment.stopping.aborted) throw fail('notReady')
  if (replies.some(({ problem }) => problem === undefined)) return { replies, error: undefined }
  const problems = questions.map(({ engine }, i) => `${engine.clientId}: ${replies[i]!.problem}`)
  return { replies, error: fail('pluginTimeout', `No engine gave a usable response. ${problems.join('. ')}`) }
}

async function askEngine<T>(
  db: Db,
  who: PersonCaller,
  purpose: 'capabilities' | 'candidates',
  { engine, document, read }: Question<T>,
  environment: Environment,
): Promise<Reply<T>> {
  const timeMs = environment.get(searchTimeMs)
  const endsMs = performance.now() + timeMs
  const leave = await environment
    .get(gates)
    .plugins.enter(engine.clientId)
    .catch(() => undefined)
  if (!leave) return { problem: 'It already has too many open searches' }
  try {
    const hosted = await findHosted(db, { pluginId: engine.pluginId, purpose }, environment)
    if (!hosted) return { problem: 'It does not accept searches at the moment' }
    const body = JSON.stringify(document)
    const post = {
      uri: hosted.uri,
      headers: headersFor(hosted, { id: makeId(), at: environment.clock(), body }),
      body,
      timeoutMs: Math.max(1, Math.round(endsMs - performance.now())),
      maxAnswerBytes: MAX_ANSWER_BYTES,
      signal: environment.stopping,
    }
    const outcome = await send(post, environment)
    if (outcome.failure === 'stopped') return outcome
    const reply = judge(outcome, timeMs, read)
    await recordOutcome(db, who, { hosted, problem: reply.problem, status: outcome.status }, environment)
    return reply
  } finally {
    leave()
  }
}

function judge<T>(outcome: Awaited<ReturnType<typeof send>>, timeMs: number, read: (text: string) => T): Reply<T> {
  if (outcome.failure === 'timeout') return { problem: `It did not respond within ${timeMs / 1000} seconds` }
  if (outcome.failure !== undefined) return { problem: outcome.problem }
  const { status, isCut, text } = outcome
  if (status < 200 || status > 299) return { problem: `It responded with ${status}` }
  if (isCut) return { problem: `Its response is larger than ${MAX_ANSWER_BYTES / 1024} KiB` }
  try {
    return { answer: read(text) }
  } catch (error) {
    if (error instanceof WrongAnswer) return { problem: error.message }
    throw error
  }
}

/**
 * Records whether the plugin's address works, which its developers can see. An address that answers 410 is switched
 * off, so that the engine is no longer offered.
 */
async function recordOutcome(
  db: Db,
  who: PersonCaller,
  { hosted, problem, status }: { hosted: PluginEndpoint; problem: string | undefined; status: number | undefined },
  environment: Environment,
): Promise<void> {
  if (problem === undefined) await recordSuccess(db, hosted)
  else if (status === 410)
    await db.transaction((tx) =>
      switchOff(tx, who, { ...hosted, reason: 'It responded with 410 Gone' }, environment.get(messagePolicy)),
    )
  else await recordFailure(db, who, hosted)
}
