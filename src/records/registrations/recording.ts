import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { bases } from '../statements/model/names.ts'
import type { Statement } from '../statements/model/statement.ts'
import { findSentBy } from '../statements/query/query.ts'
import type { NewStatement, StoredStatements } from '../statements/storing/schema.ts'
import { storeInTransaction } from '../statements/storing/storing.ts'
import { admitStatement, type DefinedVerb, type GateState, percentOf, progressOf, refuse, secondsOf } from './gate.ts'
import {
  applyReport,
  type LaunchRow,
  linksWithAttempt,
  type Report,
  storeOwn,
  toGateState,
  withRegistration,
} from './registrations.ts'
import * as store from './store.ts'

/** Content that calls the record store with the credential of its launch. */
export interface LaunchCaller extends Caller {
  readonly launchId: number
  readonly registrationId: number
  readonly personId: number
  readonly senderKey: string
}

/** A statement as it was sent, and as it will be stored. */
export interface LaunchStatement {
  readonly sent: Statement
  readonly made: NewStatement
}

/**
 * Stores statements of content if all of them pass the gate of cmi5, in one transaction with what they change. A
 * statement that the session has sent before passes without the gate, so a request can be repeated.
 */
export const recordFromLaunch = (
  db: Db,
  who: LaunchCaller,
  statements: readonly LaunchStatement[],
  environment: Environment,
): Promise<StoredStatements> =>
  withRegistration(db, who.registrationId, async (tx) => {
    const row = (await tx.first(store.readLaunch, { launch: who.launchId }))!
    if (row.ended_at) throw refuseEnded(row)
    const ids = statements.flatMap(({ sent }) => sent.id?.toLowerCase() ?? [])
    const known = await findSentBy(tx, who.senderKey, ids)
    const fresh = statements.filter(({ sent }) => !known.has(sent.id?.toLowerCase() ?? ''))
    const report = admitAll(toGateState(row, environment), fresh)
    const isOnlyEnd = report.isTerminated && fresh.length === 1
    if (!row.is_active && fresh.length > 0 && !isOnlyEnd) throw refuseInactive()
    const own = await applyReport(tx, who, row, report, environment)
    // Read again, because the report may have begun an attempt.
    const links = linksWithAttempt((await tx.first(store.readLaunch, { launch: who.launchId }))!)
    const { at, personId, senderKey } = who
    const stored = await storeInTransaction(
      tx,
      { at, personId, senderKey, homePage: environment.get(bases).homePage },
      statements.map(({ made }) => ({ ...made, links })),
    )
    await storeOwn(tx, who, own, environment)
    return stored
  })

export function refuseEnded({ ended_by: by, standard }: Pick<LaunchRow, 'ended_by' | 'standard'>) {
  const isAbandoned = by === 'abandoned'
  if (standard !== 'cmi5')
    return fail('forbidden', `This session ${isAbandoned ? 'was ended, or opened elsewhere' : 'has ended'}`)
  return refuse(
    '8.1.2.0-2',
    '',
    `be sent before the session ends: this one was ${isAbandoned ? 'abandoned' : 'terminated'}`,
  )
}

/** After the class has ended, content can only end its session. */
export const refuseInactive = () =>
  fail(
    'forbidden',
    'The class has ended or no longer teaches this, or the student has left it; nothing more is recorded',
  )

/** Admits statements one after the other, each in the state that the ones before it leave. */
function admitAll(before: GateState, statements: readonly LaunchStatement[]): Report {
  let state = before
  const verbs = new Set<DefinedVerb>()
  const [scores, progress, durations]: [number[], number[], number[]] = [[], [], []]
  for (const { sent, made } of statements) {
    const verb = admitStatement(state, sent, made.pointer)
    const reported = progressOf(sent)
    if (reported !== null) progress.push(reported)
    if (verb === undefined) continue
    verbs.add(verb)
    const score = percentOf(sent)
    if (score !== null) scores.push(score)
    const seconds = verb === 'terminated' ? secondsOf(sent.result?.duration) : null
    if (seconds !== null) durations.push(seconds)
    state = {
      ...state,
      used: new Set([...state.used, verb]),
      isCompleted: state.isCompleted || verb === 'completed',
      isPassed: state.isPassed || verb === 'passed',
    }
  }
  return {
    isInitialized: verbs.has('initialized'),
    isCompleted: verbs.has('completed'),
    isPassed: verbs.has('passed'),
    isFailed: verbs.has('failed'),
    isTerminated: verbs.has('terminated'),
    score: scores.at(-1) ?? null,
    progress: progress.at(-1) ?? null,
    seconds: durations.at(-1) ?? null,
  }
}
