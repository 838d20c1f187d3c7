import { DATABASES, describe, query } from './cluster.ts'
import { findSynchronous, POSTGRES, switchOver, untilWhole } from './faults.ts'
import { type Fleet, METRICS_TOKEN, PLATFORMS } from './fleet.ts'
import type { Load } from './load.ts'
import type { Machine } from './machine.ts'
import { ADDRESSES } from './network.ts'
import { STORE } from './school.ts'
import { until } from './until.ts'
import type { Recovery } from './watch.ts'

/** What a scenario has to work with. */
export interface Stage {
  readonly fleet: Fleet
  readonly load: Load
  say(text: string): void
}

/** The process that applies the log. Patroni resumes a replay that was paused by SQL. */
const REPLAY = /^postgres: .*startup/
const RECOVERY_MS = 90_000
const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000))

/** Runs something, and says how long writes stopped and how many were refused. */
async function observe({ load, fleet, say }: Stage, name: string, act: () => unknown): Promise<Recovery> {
  const acted = Promise.resolve(act())
  const recovery = await load.recovered(name, RECOVERY_MS)
  await acted
  const { writeGapMs, refused } = recovery
  say(
    `${name}: writes stopped for ${(writeGapMs / 1_000).toFixed(1)} s, ${refused} refused; ${describe(await fleet.state())}`,
  )
  return recovery
}

const others = (name: string) => DATABASES.filter((other) => other !== name)

/** Counts statements through all platforms, and says which servers were read since they have started. */
async function readCounts(): Promise<string> {
  for (let i = 0; i < 12; i++) {
    const answer = await fetch('https://api.example.org/lrs/v1/statements/count', { headers: STORE })
    if (!answer.ok) throw new Error(`Counting statements failed: ${answer.status} ${await answer.text()}`)
  }
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
  const figures = await Promise.all(
    PLATFORMS.map(async (name) => (await fetch(`http://${ADDRESSES[name]}:4000/metrics`, { headers })).text()),
  )
  const sum = (metric: string) =>
    figures
      .flatMap((text) => [...text.matchAll(new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\d+)`, 'gm'))])
      .reduce((total, [, value]) => total + Number(value), 0)
  return `${sum('groundschool_standby_reads_total')} reads from standbys, ${sum('groundschool_standby_refusals_total')} that a standby was too old for`
}

/** The situations of docs/fleet.md, by the names that `--try` accepts. */
export const SCENARIOS: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  'standby-behind': async (stage) => {
    const { fleet, say } = stage
    const standbys = others((await fleet.primary()).name).map((name) => fleet.machines[name])
    const freeze = (signal: NodeJS.Signals) => {
      for (const machine of standbys) machine.signal(signal, REPLAY)
    }
    say(await readCounts())
    await observe(stage, 'both standbys receive the log and no longer apply it', () => freeze('SIGSTOP'))
    await wait(25)
    say(`after 25 s: ${describe(await fleet.state())}; ${await readCounts()}`)
    freeze('SIGCONT')
    await wait(10)
    say(`after they have caught up: ${describe(await fleet.state())}; ${await readCounts()}`)
  },

  partition: async (stage) => {
    const { fleet, say } = stage
    const primary = await fleet.primary()
    // The primary still reaches clients and HAProxy, but neither member of the cluster.
    const route = (verb: string) =>
      Promise.all(
        others(primary.name).map((name) => primary.run(['ip', 'route', verb, 'blackhole', `${ADDRESSES[name]}/32`])),
      )
    await observe(stage, 'the primary is cut off from both other members', () => route('add'))
    await wait(5)
    say(
      `the old primary: in recovery ${await query(primary, 'select pg_is_in_recovery()').catch(() => 'does not respond')}`,
    )
    await route('del')
    await untilWhole(fleet)
    say(`healed: ${describe(await fleet.state())}`)
  },

  'frozen-primary': async (stage) => {
    const { fleet, say } = stage
    const primary = await fleet.primary()
    await observe(stage, 'the primary is frozen', () => primary.signal('SIGSTOP'))
    await wait(20)
    await observe(stage, 'it continues after 20 s', () => primary.signal('SIGCONT'))
    await untilWhole(fleet)
    say(`healed: ${describe(await fleet.state())}`)
  },

  'full-disk': async (stage) => {
    const { fleet, say } = stage
    const before = await fleet.primary()
    const victim = await findSynchronous(fleet)
    await victim.lose()
    await victim.boot({ diskMb: 1_500 })
    await untilWhole(fleet)
    say(`${victim.name} got a new disk of 1.5 GB: ${describe(await fleet.state())}`)
    await until('it is the synchronous standby', async () => (await findSynchronous(fleet)) === victim).catch(
      async () => {
        const other = others(before.name).find((name) => name !== victim.name)!
        await fleet.machines[other].lose()
        await until('it is the synchronous standby', async () =>
          ((await fleet.state())?.members ?? []).some(
            ({ name, role }) => name === victim.name && role === 'sync_standby',
          ),
        )
        await fleet.machines[other].boot()
        await untilWhole(fleet)
      },
    )
    await observe(stage, 'it becomes the primary', () => switchOver(before, fleet.secrets.API_PASSWORD!, victim.name))
    await untilWhole(fleet)
    const fill = ['bash', '-c', 'cat /dev/zero > /var/lib/postgresql/filler; df -h /var/lib/postgresql']
    say(await victim.run(fill))
    await until('PostgreSQL stops', async () => victim.list(POSTGRES).length === 0)
    await observe(stage, 'PostgreSQL has stopped, because its disk is full', () => {})
    await wait(20)
    say(`after 20 s: ${describe(await fleet.state())}`)
    await observe(stage, 'space is freed', () => victim.run(['rm', '/var/lib/postgresql/filler']))
    await untilWhole(fleet)
    say(`healed: ${describe(await fleet.state())}`)
  },

  'etcd-quorum': async (stage) => {
    const { fleet, say } = stage
    const primary = await fleet.primary()
    const etcds = /^\/usr\/bin\/etcd/
    const lost = others(primary.name).map((name) => fleet.machines[name])
    const freeze = (signal: NodeJS.Signals) => {
      for (const machine of lost) machine.signal(signal, etcds)
    }
    await observe(stage, 'etcd is frozen on both standbys', () => freeze('SIGSTOP'))
    await wait(30)
    await observe(stage, 'after 30 s', () => {})
    say('now PostgreSQL on the primary is killed')
    const killed = observe(stage, 'PostgreSQL is killed without etcd, and etcd continues after 20 s', () =>
      primary.signal('SIGKILL', POSTGRES),
    )
    await wait(20)
    say(`still without etcd: ${describe(await fleet.state())}`)
    freeze('SIGCONT')
    await killed
    await untilWhole(fleet)
    say(`healed: ${describe(await fleet.state())}`)
  },

  'wrong-clock': async (stage) => {
    const { fleet, say } = stage
    const restart = async (machine: Machine, clock: Record<string, string>) => {
      await machine.lose()
      for (const name of Object.keys(machine.env)) delete machine.env[name]
      Object.assign(machine.env, clock)
      await machine.boot()
    }
    const standby = await findSynchronous(fleet)
    await observe(stage, `the clock of ${standby.name} is an hour ahead`, () => restart(standby, clockAt('+1h')))
    await wait(60)
    say(`after a minute: ${describe(await fleet.state())}`)
    await observe(stage, 'its clock is right again', () => restart(standby, {}))
    await untilWhole(fleet)
    for (const offset of ['-10m', '+1h']) {
      await observe(stage, `the clock of app1 is off by ${offset}`, () => restart(fleet.machines.app1, clockAt(offset)))
      await untilWhole(fleet)
      await wait(15)
      await observe(stage, 'after it serves requests', () => {})
    }
    await restart(fleet.machines.app1, {})
    await untilWhole(fleet)
  },
}

/** Environment that moves the clock of programs. etcd, which is written in Go, keeps the right time. */
const clockAt = (offset: string) => ({
  LD_PRELOAD: '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  FAKETIME: offset,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
})
