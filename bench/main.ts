import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { withDatabase } from './bench-database.ts'
import { compareBuckets } from './buckets.ts'
import { measureDeliveries } from './deliveries.ts'
import { measureFootprint } from './footprint.ts'
import { measureLearning } from './learning.ts'
import type { Bench } from './measure.ts'
import { measurePeople } from './people.ts'
import { measureSchool } from './school.ts'
import { measureShares } from './shares.ts'
import { measureSignIn } from './sign-in.ts'
import { measureStatements } from './statements.ts'
import { line, type Section, tableHead } from './table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '1,32,256' },
    memory: { type: 'string', default: '60' },
    people: { type: 'string', default: '100000,1000000' },
    attempts: { type: 'string', default: '1000,1000000' },
    statements: { type: 'string', default: '100000,1000000' },
    writes: { type: 'boolean', default: false },
    only: { type: 'string' },
    events: { type: 'string', default: '10000' },
    waiting: { type: 'string', default: '100000' },
    out: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})

/** Minimum number of people; fewer do not yield 1,000 different search queries. */
const LEAST_PEOPLE = 1000
const sizes = [...new Set(values.people.split(',').map(Number))].sort((a, b) => a - b)
if (!sizes.every((size) => Number.isInteger(size) && size >= LEAST_PEOPLE)) {
  console.error(`--people takes whole numbers from ${LEAST_PEOPLE} on with commas, not ${values.people}`)
  process.exit(1)
}

/**
 * Groups of scenarios, by the names that `--only` accepts. In each round, all scenarios of a group run one after the
 * other.
 */
const GROUPS: Readonly<Record<string, (bench: Bench) => Promise<Section>>> = {
  buckets: (bench) =>
    compareBuckets(bench, {
      connectionCounts: values.connections.split(',').map(Number),
    }),
  'sign-in': measureSignIn,
  people: (bench) => measurePeople(bench, sizes),
  learning: (bench) => measureLearning(bench, values.attempts.split(',').map(Number)),
  statements: (bench) =>
    measureStatements(bench, { sizes: values.statements.split(',').map(Number), isWriting: values.writes }),
  shares: measureShares,
  school: measureSchool,
  footprint: ({ rounds }) => measureFootprint(rounds, Number(values.memory)),
  deliveries: (bench) => measureDeliveries(bench, { events: Number(values.events), waiting: Number(values.waiting) }),
}
const all = Object.keys(GROUPS).join(',')
const chosen = (values.only ?? all).split(',').map((name) => name.trim())
const unknown = chosen.find((name) => !Object.hasOwn(GROUPS, name))
if (unknown !== undefined) {
  console.error(`--only takes ${all}, not ${unknown}`)
  process.exit(1)
}

if (values.help) {
  console.log(`npm run bench -- [--rounds 5] [--seconds 2] [--only ${all}] [--connections 1,32,256] [--memory 60] [--people 100000,1000000] [--attempts 1000,1000000] [--statements 100000,1000000] [--writes] [--events 10000] [--waiting 100000] [--out FILE]

Measures in interleaved rounds and prints the medians as Markdown tables.

--only         buckets: bare node:http, Fastify with one statement, and Groundschool, side by side.
               sign-in: refresh, code exchange and token check, each with 32 connections; and a bucket
               read alone and while 50 people sign in.
               people: search, random draws, profile, friends and picture, each with 32 connections, among few
               people and among many; search beside pg_trgm; and the plans of its statements. It loads the people
               first, which takes minutes for a million.
               learning: start, idle and active, and reading progress with 32 connections, beside the same
               statements alone, with few attempts stored and with many.
               deliveries: events to a plugin on this machine, as many as it can and 200 a second; and a keyed
               bucket write with and without a long backlog of another plugin.
               statements: batches and single statements to the record store, the former beside a bare insert, the
               latter through one process and through two; every filter with few statements stored and with many;
               and pages. It stores them first, which takes minutes for a million.
               shares: single statements that count for a share of storage, beside those that count for nobody.
               school: the gradebook, results and locks of a class of 100 students and 200 lessons, with and without
               compression; and a grading queue of 50,000 attempts.
               footprint: memory, idle CPU and start-up time of npm start, and the size of the install. A round takes
               two minutes.
               All, one after the other, where it is left out.
--rounds       Rounds of each scenario.
--seconds      Seconds of each scenario in a round.
--connections  buckets: connections of the load.
--memory       footprint: seconds of load before the memory is read (0: not at all).
--people       people: how many people, at each size.
--attempts     learning: how many attempts are stored, at each size.
--statements   statements: how many are stored, at each size, in multiples of 10000.
--writes       statements: only storing, in the smallest store.
--events       deliveries: how many at once.
--waiting      deliveries: how long the backlog is.
--out          Also writes the tables to a file, over what is there.`)
  process.exit(0)
}

await withDatabase({ rounds: Number(values.rounds), seconds: Number(values.seconds) }, async (bench) => {
  const sections: [name: string, Section][] = []
  for (const name of chosen) sections.push([name, await GROUPS[name]!(bench)])
  const machine = `${cpus().length} cores, ${process.arch}, Node ${process.version}`
  const report = [
    '# Benchmark',
    '',
    `\`npm run bench\`: medians of ${bench.rounds} interleaved rounds of ${bench.seconds} s each, server, load and PostgreSQL on one machine (${machine}).`,
    'CPU is milliseconds per request, of the Node process and of PostgreSQL. A share is of the scenario named in its column, in the same round.',
    '',
    '## Goals',
    '',
    ...tableHead('measure', 'goal', 'now', '', 'group (`--only`)'),
    ...sections.flatMap(([name, { goals }]) =>
      goals.map(({ measure, goal, now, isReached }) =>
        line([measure, goal, now, isReached ? 'reached' : 'missed', name]),
      ),
    ),
    '',
    ...sections.flatMap(([, { lines }]) => lines),
  ].join('\n')
  console.log(report)
  if (values.out) writeFileSync(values.out, report)
})
