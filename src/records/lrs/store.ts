import { c, list, nullable, report } from '../../kernel/database/statement.ts'

const OTHERS = [2, 3, 4, 5] as const
const probe = (n: number) => `
  (:key${n} is null or exists (select from statement_refs x
     where x.key = :key${n} and x.seq = r.seq and x.role = any(:roles${n}::smallint[])))`
/** Selects the `seq` of the statements that have all wanted keys: :key1, the rarest, and up to four more. */
const selected = (select: 'select' | 'select distinct') => `
  ${select} r.seq from statement_refs r
   where r.key = :key1 and r.role = any(:roles1::smallint[]) and r.seq > :after and r.seq <= :upTo
     and ${OTHERS.map(probe).join(' and ')}`
const RANGE = { after: c.int8, upTo: c.int8 }
const KEYS = {
  key1: c.uuid,
  roles1: c.int8Array,
  key2: nullable(c.uuid),
  roles2: c.int8Array,
  key3: nullable(c.uuid),
  roles3: c.int8Array,
  key4: nullable(c.uuid),
  roles4: c.int8Array,
  key5: nullable(c.uuid),
  roles5: c.int8Array,
}

/** The facts of all statements within a range of `seq`. */
const ALL_FACTS = 'statement_facts f where f.seq > :after and f.seq <= :upTo'
/** The facts of the statements that match the filters. */
const CHOSEN_FACTS = `statement_facts f where f.seq in (${selected('select')})`

/** Facts are complete up to here, in the snapshot of the statement: a standby may have fewer than the primary. */
const THROUGH = '(select least(:upTo, k.fed) from statement_facts_clock k) as through'

export const countAll = report('lrs.countAll', {
  params: RANGE,
  row: { count: c.int8, through: c.int8 },
  text: `select count(*), ${THROUGH} from ${ALL_FACTS}`,
})
export const countChosen = report('lrs.countChosen', {
  params: { ...KEYS, ...RANGE },
  row: { count: c.int8, through: c.int8 },
  text: `select count(*), ${THROUGH} from ${CHOSEN_FACTS}`,
})

const GROUP = {
  through: c.int8,
  /** Null in the only row if there are no groups, and so are the other figures. */
  count: nullable(c.int8),
  newest: nullable(c.int8),
  scores: nullable(c.int8),
  score_mean: nullable(c.float8),
  score_min: nullable(c.float8),
  score_max: nullable(c.float8),
  durations: nullable(c.int8),
  duration_mean: nullable(c.float8),
  duration_min: nullable(c.float8),
  duration_max: nullable(c.float8),
  duration_sum: nullable(c.float8),
  passed: nullable(c.int8),
  failed: nullable(c.int8),
}
const FIGURES = `
  count(*), max(f.seq) as newest,
  count(f.scaled) as scores, avg(f.scaled) as score_mean, min(f.scaled) as score_min, max(f.scaled) as score_max,
  count(f.seconds) as durations, avg(f.seconds) as duration_mean, min(f.seconds) as duration_min, max(f.seconds) as duration_max, sum(f.seconds) as duration_sum,
  count(*) filter (where f.success) as passed, count(*) filter (where not f.success) as failed`
/** Groups facts by a column. `newest` is the `seq` of the newest statement, from which the group's subject is read. */
const group = (column: string, facts: string) => `
  select t.through, g.*
    from (select ${THROUGH}) t
    left join (select ${FIGURES} from ${facts} and ${column} is not null group by ${column} order by 1 desc, 2 desc limit :limit) g on true
   order by g.count desc, g.newest desc`
const DAY = '(f.seq / 86400000000)'

const ofAll = (name: string, column: string) =>
  report(`lrs.${name}OfAll`, { params: { ...RANGE, limit: c.int8 }, row: GROUP, text: group(column, ALL_FACTS) })
const ofChosen = (name: string, column: string) =>
  report(`lrs.${name}OfChosen`, {
    params: { ...KEYS, ...RANGE, limit: c.int8 },
    row: GROUP,
    text: group(column, CHOSEN_FACTS),
  })
export const groupsOfAll = {
  verb: ofAll('verbs', 'f.verb'),
  activity: ofAll('activities', 'f.activity'),
  agent: ofAll('agents', 'f.agent'),
  day: ofAll('days', DAY),
}
export const groupsOfChosen = {
  verb: ofChosen('verbs', 'f.verb'),
  activity: ofChosen('activities', 'f.activity'),
  agent: ofChosen('agents', 'f.agent'),
  day: ofChosen('days', DAY),
}

/** Selects a value of the statement; null if it is longer. Senders choose names and could make them huge. */
const short = (value: string, bytes = 500) => `case when octet_length((${value})::text) <= ${bytes} then ${value} end`
/** An agent has one of the last four, its identifier. */
const AGENT = { objectType: 50, name: 500, mbox: 2000, mbox_sha1sum: 2000, openid: 2000, account: 2000 }
/** Lists the verb, activity and agent of each given statement. */
export const listSubjects = list('lrs.listSubjects', {
  params: { seqs: c.int8Array },
  row: {
    seq: c.int8,
    verb: nullable(c.text),
    display: nullable(c.json),
    activity: nullable(c.text),
    name: nullable(c.json),
    agent: c.json,
  },
  text: `
    select s.seq, left(p.payload #>> '{verb,id}', 2000) as verb, ${short(`p.payload #> '{verb,display}'`)} as display,
           left(p.payload #>> '{object,id}', 2000) as activity, ${short(`p.payload #> '{object,definition,name}'`)} as name,
           json_build_object(${Object.entries(AGENT)
             .map(([name, bytes]) => `'${name}', ${short(`a -> '${name}'`, bytes)}`)
             .join(', ')}) as agent
      from statements s cross join lateral (select s.payload::json as payload offset 0) p cross join lateral (select p.payload -> 'actor' as a) t
     where s.seq = any(:seqs)`,
})

/**
 * Selects a page of statements, oldest first. The page ends with the statement at which the total reaches :most bytes.
 */
const page = (found: string) => `
  select t.seq, t.payload
    from (select s.seq, s.payload, sum(octet_length(s.payload)) over (order by s.seq) - octet_length(s.payload) as before
            from (${found}) s) t
   where t.before < :most order by t.seq`
const PAGE = { ...RANGE, voided: c.bool, limit: c.int8, most: c.int8 }
export const listAll = list('lrs.listAll', {
  params: PAGE,
  row: { seq: c.int8, payload: c.text },
  text: page(`
    select seq, payload from statements
     where seq > :after and seq <= :upTo and (:voided or not is_voided) order by seq limit :limit`),
})
export const listChosen = list('lrs.listChosen', {
  params: { ...KEYS, ...PAGE },
  row: { seq: c.int8, payload: c.text },
  text: page(`
    select c.seq, v.payload
      from (${selected('select distinct')} and (:voided or exists (select from statements v where v.seq = r.seq and not v.is_voided)) order by r.seq limit :limit) c
      join statements v on v.seq = c.seq`),
})
