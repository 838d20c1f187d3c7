import { PROBLEMS } from './ledger.ts'
import type { Verification } from './verify.ts'
import { KINDS, type Recovery } from './watch.ts'

/** The fault was injected into `node`, such as the primary or a platform. */
export interface Round extends Recovery {
  readonly node: string
}

export interface DrillReport {
  readonly rounds: readonly Round[]
  readonly verification: Verification
}

/** Goal for the time until writes work again, of 95 % of the rounds. */
const GOAL_SECONDS = 15
/** Number of differences that the report shows. */
const SHOWN = 10

/** Returns the value below which the given share of the numbers lies (nearest rank). */
const percentile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(numbers.length * share) - 1)] ?? 0
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
const seconds = (ms: number): string => (ms / 1000).toFixed(1)
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`

/** Figures of the rounds with the same name, or of all. */
function summarize(name: string, rounds: readonly Round[]) {
  const gaps = rounds.map(({ writeGapMs }) => writeGapMs)
  return {
    name,
    rounds: rounds.length,
    medianMs: percentile(gaps, 0.5),
    p95Ms: percentile(gaps, 0.95),
    longestMs: Math.max(0, ...gaps),
    refused: sum(rounds.map(({ refused }) => refused)),
    retriedOnce: sum(rounds.map(({ retriedOnce }) => retriedOnce)),
    retriedMore: sum(rounds.map(({ retriedMore }) => retriedMore)),
  }
}

/** True if nothing is lost, doubled, changed or undelivered, and writes worked again in time. */
export const isPassed = ({ rounds, verification }: DrillReport): boolean =>
  verification.differences.length === 0 &&
  verification.undelivered === 0 &&
  summarize('', rounds).p95Ms <= GOAL_SECONDS * 1000

/** Returns the figures of the drill, for a file that programs read. */
export function toJson(report: DrillReport): object {
  const { rounds, verification } = report
  const byNode = Map.groupBy(rounds, ({ node }) => node)
  return {
    passed: isPassed(report),
    goalSeconds: GOAL_SECONDS,
    nodes: [...byNode].map(([node, some]) => summarize(node, some)),
    rounds,
    verification,
  }
}

/** Returns the figures of the drill as Markdown. */
export function toMarkdown({ rounds, verification }: DrillReport): string {
  const { acknowledged, differences, receiver, sessions, undelivered, refused, abandoned } = verification
  const counts = [
    ...KINDS.map((kind) => ({ kind, name: `writes: ${kind}`, count: acknowledged[kind] })),
    { kind: 'session', name: 'open sessions', count: sessions },
    { kind: 'event', name: 'events at the receiver', count: receiver.events },
  ]
  const faults = Map.groupBy(rounds, ({ node, name }) => `${node}: ${name}`)
  const nodes = Map.groupBy(rounds, ({ node }) => node)
  const groups = [
    ...[...faults].map(([name, some]) => summarize(name, some)),
    ...[...nodes].map(([name, some]) => summarize(`**${name}, all**`, some)),
  ]
  return [
    `| fault | rounds | median s | p95 s | longest s | requests refused | retried once | more often |`,
    '|---|---:|---:|---:|---:|---:|---:|---:|',
    ...groups.map((one) =>
      row([
        one.name,
        one.rounds,
        ...[one.medianMs, one.p95Ms, one.longestMs].map(seconds),
        one.refused,
        one.retriedOnce,
        one.retriedMore,
      ]),
    ),
    '',
    `The seconds are the longest time without a successful write of some kind. The goal is ${GOAL_SECONDS} s (p95).`,
    '',
    row(['', 'acknowledged', ...PROBLEMS]),
    '|---|---:|---:|---:|---:|---:|---:|',
    ...counts.map(({ kind, name, count }) => {
      const mine = differences.filter((one) => one.kind === kind)
      return row([name, count, ...PROBLEMS.map((problem) => mine.filter((one) => one.problem === problem).length)])
    }),
    '',
    `${refused} requests were refused, and ${abandoned} writes were given up at the end. ` +
      `${receiver.duplicates} events arrived again with the same id, and ${undelivered} were not delivered.`,
    '',
    ...differences.slice(0, SHOWN).map(({ kind, problem, what }) => `- ${problem} (${kind}): ${what}`),
    ...(differences.length > SHOWN ? [`- and ${differences.length - SHOWN} more`] : []),
  ].join('\n')
}
