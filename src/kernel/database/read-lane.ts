import type { Client } from 'pg'
import { PlatformError } from '../errors.ts'
import { classifyError, type HoldConnection, notReady, unavailable } from './connection.ts'
import { type NamedText, Query } from './query.ts'
import type { Encoded, Statement } from './statement.ts'

/**
 * Runs reads on a few dedicated connections. Calls that are made in one turn of the event loop, or while all
 * connections are busy, are combined: one SQL statement answers all calls of the same declared statement.
 */
export interface ReadLane {
  all<P, R>(statement: Statement<P, R>, params: P): Promise<R[]>
  first<P, R>(statement: Statement<P, R>, params: P): Promise<R | undefined>
  isAvailable(): boolean
  /** Closes all connections and rejects pending calls. Reconnecting starts immediately. */
  abandon(error: Error): void
  figures(): { readsQueued: number; readsGathered: number; readStatements: number }
  /** Refuses new calls, and waits for pending calls until the deadline. */
  close(deadlineMs: number): Promise<void>
}

export interface ReadLaneOptions {
  connections: number
  hold: HoldConnection
  /** If a response takes longer than this, the server counts as hung. */
  guardMs: number
}

interface Call {
  readonly params: unknown
  readonly wantsFirst: boolean
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

interface Lane {
  readonly client: Client
  /** Number of statements that were sent and not yet answered. */
  pending: number
  readonly guard: NodeJS.Timeout
}

/**
 * Large enough that many calls share a round trip, but small enough that the results fit into memory even if each call
 * reads a large row.
 */
const MAX_CALLS_A_STATEMENT = 32

export async function openReadLane(options: ReadLaneOptions): Promise<ReadLane> {
  const lanes = new Set<Lane>()
  let queue = new Map<Statement, Call[]>()
  let queued = 0
  let gathered = 0
  let sent = 0
  let isFlushDue = false
  let isClosed = false
  let onDrained: (() => void) | undefined

  function holdLane() {
    let lane: Lane
    return options.hold({
      onUp: (client) => {
        const guard = setTimeout(() => {
          if (lane.pending > 0) client.connection.stream.destroy(new Error('The database does not respond'))
        }, options.guardMs).unref()
        lane = { client, pending: 0, guard }
        lanes.add(lane)
        scheduleFlush()
      },
      onDown: (error) => {
        lanes.delete(lane)
        clearTimeout(lane.guard)
        if (lanes.size === 0) rejectQueue(error)
      },
    })
  }

  function rejectQueue(cause: unknown): void {
    const waiting = queue
    queue = new Map()
    queued = 0
    for (const calls of waiting.values()) for (const call of calls) call.reject(notReady(cause))
  }

  function ask(statement: Statement, params: unknown, wantsFirst: boolean): Promise<unknown> {
    if (lanes.size === 0 || isClosed) return Promise.reject(unavailable())
    return new Promise((resolve, reject) => {
      const call: Call = { params, wantsFirst, resolve, reject }
      const calls = queue.get(statement)
      if (calls) calls.push(call)
      else queue.set(statement, [call])
      queued++
      scheduleFlush()
    })
  }

  /**
   * Schedules the flush after all input of this turn of the event loop, so that requests that arrived together are
   * queried together.
   */
  function scheduleFlush(): void {
    if (isFlushDue || queued === 0) return
    for (const lane of lanes) {
      if (lane.pending > 0) continue
      isFlushDue = true
      setImmediate(flush)
      return
    }
  }

  function flush(): void {
    isFlushDue = false
    for (const lane of lanes) {
      if (lane.pending > 0) continue
      const waiting = queue
      queue = new Map()
      queued = 0
      // One write for all statements: each write wakes the server, which takes longer than the copying.
      const { stream } = lane.client.connection
      stream.cork()
      for (const [statement, calls] of waiting) sendCalls(lane, statement, calls)
      stream.uncork()
      return
    }
  }

  function sendCalls(lane: Lane, statement: Statement, calls: Call[]): void {
    if (!statement.gathered) for (const call of calls) sendAlone(lane, statement, call)
    else if (calls.length > MAX_CALLS_A_STATEMENT)
      for (let i = 0; i < calls.length; i += MAX_CALLS_A_STATEMENT)
        sendTogether(lane, statement, statement.gathered, calls.slice(i, i + MAX_CALLS_A_STATEMENT))
    else sendTogether(lane, statement, statement.gathered, calls)
  }

  function sendTogether(lane: Lane, statement: Statement, form: NamedText, calls: Call[]): void {
    if (calls.length === 1) {
      sendAlone(lane, statement, calls[0]!)
      return
    }
    let values: string[]
    try {
      values = statement.encodeCalls(calls)
    } catch {
      for (const call of calls) sendAlone(lane, statement, call)
      return
    }
    gathered += calls.length
    send(lane, form, values, (error, query) => {
      if (error) {
        const problem = classifyError(error)
        // An invalid value in one call makes the whole statement fail. So each call is repeated alone and gets its own
        // outcome.
        if (problem instanceof PlatformError || !lanes.has(lane)) for (const call of calls) call.reject(problem)
        else for (const call of calls) sendAlone(lane, statement, call)
        return
      }
      try {
        answerCalls(statement, calls, query)
      } catch {
        // A row that cannot be decoded must fail only its own call, so each call is repeated alone.
        for (const call of calls) sendAlone(lane, statement, call)
      }
    })
  }

  /**
   * Distributes the rows of a statement that combined several calls: the first column is the number of the call,
   * starting at 1.
   */
  function answerCalls(statement: Statement, calls: Call[], query: Query): void {
    const reader = query.readerFrom(statement.makeRowReader)
    const results: unknown[][] = []
    for (let i = 0; i < calls.length; i++) results.push([])
    for (const row of query.found) results[Number(row[0]) - 1]!.push(reader(row))
    for (let i = 0; i < calls.length; i++) {
      const call = calls[i]!
      call.resolve(call.wantsFirst ? results[i]![0] : results[i])
    }
  }

  function sendAlone(lane: Lane, statement: Statement, call: Call): void {
    let values: Encoded[]
    try {
      values = statement.encodeParams(call.params)
    } catch (error) {
      call.reject(error as Error)
      return
    }
    send(lane, statement, values, (error, query) => {
      if (error) return call.reject(classifyError(error))
      try {
        const reader = query.readerFrom(statement.makeRowReader)
        const [first] = query.found
        if (call.wantsFirst) call.resolve(first && reader(first))
        else call.resolve(query.found.map(reader))
      } catch (readError) {
        call.reject(readError as Error)
      }
    })
  }

  function send(
    lane: Lane,
    form: NamedText,
    values: Encoded[],
    onAnswer: (error: Error | null, query: Query) => void,
  ): void {
    lane.pending++
    sent++
    lane.guard.refresh()
    const query: Query = new Query(form, values, (error) => {
      lane.pending--
      // After a FATAL error the server closes the connection, so it must not be used again.
      if (error && (error as { severity?: string }).severity === 'FATAL') lanes.delete(lane)
      onAnswer(error, query)
      if (lane.pending > 0) return void lane.guard.refresh()
      scheduleFlush()
      if (queued === 0) onDrained?.()
    })
    lane.client.query(query)
  }

  async function close(deadlineMs: number): Promise<void> {
    isClosed = true
    const isBusy = () => queued > 0 || [...lanes].some((lane) => lane.pending > 0)
    if (isBusy()) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadlineMs)
        onDrained = () => {
          if (isBusy()) return
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  for (let i = 0; i < options.connections; i++) await holdLane()
  return {
    all: (statement, params) => ask(statement as Statement, params, false) as Promise<never>,
    first: (statement, params) => ask(statement as Statement, params, true) as Promise<never>,
    isAvailable: () => lanes.size > 0 && !isClosed,
    abandon: (error) => {
      for (const lane of lanes) lane.client.connection.stream.destroy(error)
    },
    figures: () => ({ readsQueued: queued, readsGathered: gathered, readStatements: sent }),
    close,
  }
}
