import type { Machine } from './machine.ts'
import { ADDRESSES } from './network.ts'
import { until } from './until.ts'

export const DATABASES = ['db1', 'db2', 'db3'] as const
export type DatabaseName = (typeof DATABASES)[number]

/** The cluster of databases, as Patroni reports it. */
export interface State {
  readonly members: readonly {
    readonly name: DatabaseName
    readonly role: 'leader' | 'sync_standby' | 'replica'
    readonly state: string
    readonly timeline?: number
    readonly lag?: number | string
  }[]
}

export interface Cluster {
  /** Returns undefined if no member responds. */
  state(): Promise<State | undefined>
  /** Waits until there are a leader, a synchronous standby and a third member that follows. */
  settle(): Promise<State>
  primary(): Promise<Machine>
}

export function watchCluster(machines: Readonly<Record<DatabaseName, Machine>>): Cluster {
  const state: Cluster['state'] = async () => (await askAll()).toSorted(byTimeline)[0]
  return {
    state,
    settle: async () => {
      let seen: State | undefined
      await until(
        () => `the cluster has a leader and two standbys: ${describe(seen)}`,
        async () => {
          const answers = await askAll()
          seen = answers.toSorted(byTimeline)[0]
          return answers.length === DATABASES.length && answers.every(isSettled) && (await areHealthy())
        },
      )
      return seen!
    },
    primary: async () => {
      let leader: DatabaseName | undefined
      await until('the cluster has a leader', async () => {
        leader = (await state())?.members.find(({ role }) => role === 'leader')?.name
        return leader !== undefined
      })
      return machines[leader!]
    },
  }
}

/** A member that is cut off knows only the past, so the answer with the latest timeline counts. */
const byTimeline = (a: State, b: State): number => timelineOf(b) - timelineOf(a)
const timelineOf = ({ members }: State): number => Math.max(...members.map(({ timeline = 0 }) => timeline))

const askAll = async (): Promise<State[]> => {
  const answers = await Promise.all(
    DATABASES.map(async (name) => {
      const answer = await ask(name, '/cluster')
      return answer?.ok ? ((await answer.json().catch(() => undefined)) as State | undefined) : undefined
    }),
  )
  return answers.filter((answer) => answer !== undefined)
}

/** The state of a member that was lost is known for some seconds longer, so each member is asked itself. */
const areHealthy = async (): Promise<boolean> => {
  const answers = await Promise.all(DATABASES.map((name) => ask(name, '/health')))
  return answers.every((answer) => answer?.ok)
}

const ask = (name: DatabaseName, path: string): Promise<Response | undefined> =>
  fetch(`http://${ADDRESSES[name]}:8008${path}`, { signal: AbortSignal.timeout(1_500) }).catch(() => undefined)

const isSettled = ({ members }: State): boolean =>
  members.length === DATABASES.length &&
  members.filter(({ role }) => role === 'leader').length === 1 &&
  members.filter(({ role }) => role === 'sync_standby').length === 1 &&
  new Set(members.map(({ timeline }) => timeline)).size === 1 &&
  members.every(({ state }) => state === 'running' || state === 'streaming')

export const describe = (state: State | undefined): string =>
  state?.members
    .map(({ name, role, state, timeline, lag }) => `${name} ${role} ${state} ${timeline} ${lag ?? ''}`.trim())
    .join(', ') ?? 'no member responds'

/** Runs SQL on a machine as the user postgres, and returns the rows as text. */
export const query = async (machine: Machine, text: string, database = 'groundschool'): Promise<string> => {
  const psql = ['psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', database]
  return (await machine.run(psql, { user: 'postgres', input: text })).trim()
}
