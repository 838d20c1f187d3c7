import { writeFileSync } from 'node:fs'
import { backUp, compareRestored, createRepository } from './backup.ts'
import { openAuthority } from './certificates.ts'
import { describe } from './cluster.ts'
import { TARGETS, type TargetName, untilWhole } from './faults.ts'
import { startFleet } from './fleet.ts'
import { startLoad } from './load.ts'
import { RECEIVER_ADDRESS } from './network.ts'
import { readOptions } from './options.ts'
import { startReceiver } from './receiver.ts'
import { isPassed, type Round, toJson, toMarkdown } from './report.ts'
import { SCENARIOS } from './scenarios.ts'
import { makeSchool, PLUGIN, prepare } from './school.ts'
import { verify } from './verify.ts'

const { rounds: ROUNDS, scenarios, out } = readOptions()
const RECOVERY_MS = 90_000
/** Each nth round also strikes the synchronous standby, and the balancer that has the virtual address. */
const OTHERS_EVERY = 5

const target = { url: 'https://api.example.org' }
const say = (text: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`)
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const folder = process.env.DRILL_FOLDER!
const authority = openAuthority(folder)
const receiver = await startReceiver({
  host: RECEIVER_ADDRESS,
  port: 443,
  ...PLUGIN,
  tls: authority.issue('receiver', [`IP:${RECEIVER_ADDRESS}`]),
  loseEvery: 7,
})
const fleet = await startFleet(folder, authority, makeSchool(`https://${RECEIVER_ADDRESS}`), say)
await untilWhole(fleet)
say('preparing the load')
const setup = await prepare(target, receiver)
await createRepository(fleet)
const load = await startLoad(target, setup)
say('the load runs; making a full backup')
await backUp(fleet, 'full')

const rounds: Round[] = []
if (scenarios.length > 0)
  for (const name of scenarios) {
    say(`trying ${name}`)
    await SCENARIOS[name]!({ fleet, load, say })
    await untilWhole(fleet)
  }
else
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push(await playRound('primary', i), await playRound('platform', i))
    if (i % OTHERS_EVERY === 0)
      rounds.push(await playRound('standby', i / OTHERS_EVERY), await playRound('balancer', i / OTHERS_EVERY))
  }
say('stopping the load, and verifying what was acknowledged')
const ledger = await load.stop()
const report = { rounds, verification: await verify(target, setup, ledger) }
console.log(`\n${toMarkdown(report)}\n`)
say('restoring the backup on another machine')
const comparison = await compareRestored(fleet)
const { tables, rows, different } = comparison
console.log(
  `The backup was restored on another machine: of ${tables} tables with ${rows} rows, ${different.length} differ${different.map((name) => ` ${name}`).join()}.`,
)
if (out) writeFileSync(out, JSON.stringify({ ...toJson(report), comparison }, null, 2))
process.exit(isPassed(report) && different.length === 0 ? 0 : 1)

/** Injects a fault, waits until writes work again, and repairs what broke. */
async function playRound(node: TargetName, i: number): Promise<Round> {
  const { faults, find } = TARGETS[node]
  const fault = faults[i % faults.length]!
  const victim = await find(fleet, i)
  const struck = Promise.resolve(fault.strike(victim, fleet))
  const recovery = await load.recovered(fault.name, RECOVERY_MS)
  await struck
  const recoveredMs = performance.now()
  await fault.heal?.(victim)
  await untilWhole(fleet)
  const wholeMs = performance.now() - recoveredMs
  const { writeGapMs, refused } = recovery
  say(
    `${i + 1}/${ROUNDS} ${node} ${victim.name}: ${fault.name}. Writes again after ${seconds(writeGapMs)}, ${refused} refused; whole after ${seconds(wholeMs)}: ${describe(await fleet.state())}`,
  )
  return { ...recovery, node }
}
