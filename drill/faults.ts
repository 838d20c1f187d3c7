import { BALANCERS, type Fleet, PLATFORMS } from './fleet.ts'
import type { Machine } from './machine.ts'
import { ADDRESSES, VIRTUAL_ADDRESS } from './network.ts'
import { until } from './until.ts'

interface Fault {
  readonly name: string
  strike(victim: Machine, fleet: Fleet): void | Promise<void>
  /** What an operator, or a returning machine, does after writes work again. */
  heal?(victim: Machine): void | Promise<void>
}

/** Processes of PostgreSQL itself. */
export const POSTGRES = /^(postgres:|\/usr\/lib\/postgresql\/\d+\/bin\/postgres )/

const LOSS: Fault = {
  name: 'machine lost',
  strike: (victim) => victim.lose(),
  heal: (victim) => victim.boot(),
}
const FREEZE: Fault = {
  name: 'machine frozen',
  strike: (victim) => victim.signal('SIGSTOP'),
  heal: (victim) => victim.signal('SIGCONT'),
}
/** Nothing of the machine responds, as when its host has paused it. The other faults leave its kernel alive. */
const PAUSE: Fault = {
  name: 'machine paused',
  strike: (victim) => {
    victim.signal('SIGSTOP')
    victim.unplug()
  },
  heal: (victim) => {
    victim.plugIn()
    victim.signal('SIGCONT')
  },
}
const CUT: Fault = {
  name: 'network cut',
  strike: (victim) => victim.unplug(),
  heal: (victim) => victim.plugIn(),
}

const ON_PRIMARY: readonly Fault[] = [
  { name: 'postgres killed', strike: (victim) => victim.signal('SIGKILL', POSTGRES) },
  LOSS,
  {
    name: 'postgres frozen',
    strike: (victim) => victim.signal('SIGSTOP', POSTGRES),
    heal: (victim) => victim.signal('SIGCONT', POSTGRES),
  },
  FREEZE,
  CUT,
  { name: 'switchover', strike: (victim, { secrets }) => switchOver(victim, secrets.API_PASSWORD!) },
]

const ON_PLATFORM: readonly Fault[] = [
  { name: 'platform killed', strike: (victim) => victim.signal('SIGKILL') },
  { name: 'platform stopped', strike: (victim) => victim.signal('SIGTERM') },
  FREEZE,
  CUT,
]

const ON_STANDBY: readonly Fault[] = [LOSS, FREEZE, CUT]

const HAPROXY = /haproxy -Ws/

const ON_BALANCER: readonly Fault[] = [
  { name: 'HAProxy killed', strike: (victim) => victim.signal('SIGKILL', HAPROXY) },
  LOSS,
  {
    name: 'HAProxy frozen',
    strike: (victim) => victim.signal('SIGSTOP', HAPROXY),
    heal: (victim) => victim.signal('SIGCONT', HAPROXY),
  },
  PAUSE,
  CUT,
]

/** What is struck, in which ways, and how its machine is found. */
export const TARGETS = {
  primary: { faults: ON_PRIMARY, find: (fleet: Fleet) => fleet.primary() },
  platform: {
    faults: ON_PLATFORM,
    find: (fleet: Fleet, round: number) => fleet.machines[PLATFORMS[round % PLATFORMS.length]!],
  },
  standby: { faults: ON_STANDBY, find: findSynchronous },
  balancer: { faults: ON_BALANCER, find: findActiveBalancer },
} as const
export type TargetName = keyof typeof TARGETS

/** Finds the standby that every commit waits for. */
export async function findSynchronous({ machines, settle }: Fleet): Promise<Machine> {
  return machines[(await settle()).members.find(({ role }) => role === 'sync_standby')!.name]
}

export async function switchOver(victim: Machine, password: string, candidate?: string): Promise<void> {
  const answer = await fetch(`http://${victim.address}:8008/switchover`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`patroni:${password}`).toString('base64')}` },
    body: JSON.stringify({ leader: victim.name, candidate }),
  })
  if (!answer.ok) throw new Error(`The switchover was refused: ${answer.status} ${await answer.text()}`)
}

/** Finds the machine that has the virtual address. */
async function findActiveBalancer({ machines }: Fleet): Promise<Machine> {
  for (const name of BALANCERS)
    if ((await machines[name].run(['ip', '-brief', 'address'])).includes(`${VIRTUAL_ADDRESS}/`)) return machines[name]
  throw new Error('No balancer has the virtual address')
}

/** Waits until every machine does its work again, so that the next fault meets a whole fleet. */
export async function untilWhole(fleet: Fleet): Promise<void> {
  await fleet.settle()
  await until('every platform is ready', async () => {
    const answers = await Promise.all(PLATFORMS.map((name) => ask(`http://${ADDRESSES[name]}:4000/readyz`)))
    return answers.every((status) => status === 200)
  })
  await until('both balancers respond, and one has the virtual address', async () => {
    const answers = await Promise.all(BALANCERS.map((name) => ask(`http://${ADDRESSES[name]}/`)))
    return (
      answers.every((status) => status === 308) &&
      (await findActiveBalancer(fleet).catch(() => undefined)) !== undefined
    )
  })
}

/** Returns the status of the answer; undefined if there is none. */
const ask = (url: string): Promise<number | undefined> =>
  fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(1_500) }).then(
    ({ status }) => status,
    () => undefined,
  )
