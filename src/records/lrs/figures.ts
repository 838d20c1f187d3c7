import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { feedFacts } from '../statements/facts/facts.ts'
import { timestampOf } from '../statements/model/times.ts'
import {
  type Aggregate,
  type AggregateStatements,
  type Count,
  type CountStatements,
  type Grouping,
  groupsIn,
  type StatementGroup,
} from './schema.ts'
import { keyParameters, selectStatements } from './selection.ts'
import * as store from './store.ts'

type Services = Pick<Environment, 'db' | 'get'>

/** Counts the matching statements that are not voided. */
export async function countStatements(
  db: Db,
  who: StoreCaller,
  what: CountStatements,
  services: Services,
): Promise<Count> {
  const { keys, range } = await prepareQuery(db, who, what, services)
  const row = await (keys ? db.first(store.countChosen, { ...keys, ...range }) : db.first(store.countAll, range))
  return { count: row!.count, through: timestampOf(row!.through) }
}

/** Counts the matching statements in groups, and summarises the scores, durations and outcomes of each group. */
export async function aggregateStatements(
  db: Db,
  who: StoreCaller,
  what: AggregateStatements,
  services: Services,
): Promise<Aggregate> {
  const { by, limit: _limit, ...filters } = what
  const most = groupsIn(what)
  const { keys, range } = await prepareQuery(db, who, filters, services)
  const page = { ...range, limit: most + 1 }
  const rows: Row[] = await (keys
    ? db.all(store.groupsOfChosen[by], { ...keys, ...page })
    : db.all(store.groupsOfAll[by], page))
  const groups = rows.filter(isGroup)
  const shown = groups.slice(0, most)
  // From the primary, because another standby may not have the newest statements yet.
  const subjectOf = await readSubjects(services.db.as(who.senderKey), by, shown)
  return {
    groups: shown.map((row) => ({ ...subjectOf(row.newest), ...presentFigures(row) })),
    more: groups.length > most,
    through: timestampOf(rows[0]!.through),
  }
}

/**
 * Prepares the parameters of a query on `statement_facts`. First writes the facts that are still missing, so that
 * statements sent just before are counted.
 */
async function prepareQuery(db: Db, who: StoreCaller, what: CountStatements, services: Services) {
  const { wanted, after, upTo } = selectStatements(who, what)
  const fed = await feedFacts(services)
  return {
    keys: await keyParameters(db, wanted),
    range: { after, upTo: Math.min(upTo, fed) },
  }
}

type Subject = Pick<StatementGroup, Grouping>
const DAY_MS = 86_400_000

async function readSubjects(
  db: Db,
  by: Grouping,
  groups: readonly { readonly newest: number }[],
): Promise<(seq: number) => Subject> {
  if (by === 'day')
    return (seq) => ({ day: new Date(Math.floor(seq / 1000 / DAY_MS) * DAY_MS).toISOString().slice(0, 10) })
  const rows = await db.all(store.listSubjects, { seqs: groups.map(({ newest }) => newest) })
  const bySeq = new Map(rows.map((row) => [row.seq, row]))
  return (seq) => {
    const row = bySeq.get(seq)
    // The statement was removed between the two queries.
    if (!row) return {}
    if (by === 'agent') return { agent: withoutNulls(JSON.parse(row.agent)) }
    if (by === 'verb') return { verb: withoutNulls({ id: row.verb ?? '', display: parse(row.display) }) }
    return { activity: withoutNulls({ id: row.activity ?? '', name: parse(row.name) }) }
  }
}

const parse = (text: string | null) => (text === null ? null : JSON.parse(text))
const withoutNulls = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null)) as T

type Row = RowOf<typeof store.groupsOfAll.verb>
/** A row that is a group: then all its numbers of statements are set. */
type Group = Row & { [K in 'count' | 'newest' | 'scores' | 'durations' | 'passed' | 'failed']: number }
const isGroup = (row: Row): row is Group => row.count !== null

const presentFigures = (row: Group): Omit<StatementGroup, Grouping> => ({
  count: row.count,
  score:
    row.scores === 0 ? null : { count: row.scores, mean: row.score_mean!, min: row.score_min!, max: row.score_max! },
  duration:
    row.durations === 0
      ? null
      : {
          count: row.durations,
          mean: row.duration_mean!,
          min: row.duration_min!,
          max: row.duration_max!,
          sum: row.duration_sum!,
        },
  passed: row.passed,
  failed: row.failed,
  latest: timestampOf(row.newest),
})
