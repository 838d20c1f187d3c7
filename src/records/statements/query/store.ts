import { withinBytes } from '../../../kernel/database/page-bytes.ts'
import { c, list, nullable, read } from '../../../kernel/database/statement.ts'

const SHOWN = { seq: c.int8, statement_id: c.uuid, payload: c.text, is_voided: c.bool }

export const findStatement = read('statements.find', {
  params: { id: c.uuid },
  row: { ...SHOWN, sender: nullable(c.uuid) },
  text: `
    select s.seq, s.statement_id, s.payload, s.is_voided, s.sender
      from (select i.seq from statement_ids i where i.statement_id = :id limit 1) i join statements s on s.seq = i.seq`,
})

/** Number of entries of a key that are counted, and that a filter walks through before it reads positions in blocks. */
export const WALKED = 150

type Order = 'asc' | 'desc'

/**
 * Counts the first entries of each key within a range. `reach` is the `seq` of the last entry counted. The row
 * comparisons mean `r.key = k`, of which the planner expects so few entries that it sorts all of them. Of a comparison
 * it expects many, and merges the months. `r.seq > :after` is in them too, but only so are older months left out.
 */
const count = (order: Order) => ({
  params: { keys: c.uuidArray, after: c.int8, upTo: c.int8 },
  row: { key: c.uuid, count: c.int8, reach: nullable(c.int8) },
  gather: false,
  text: `
    select k as key, c.count, c.reach
      from unnest(:keys) k cross join lateral (
        select count(*), ${order === 'desc' ? 'min' : 'max'}(n.seq) as reach
          from (select r.seq from statement_refs r
                 where (r.key, r.seq) > (k, :after) and (r.key, r.seq) <= (k, :upTo) and r.seq > :after
                 order by r.key ${order}, r.seq ${order} limit ${WALKED}) n) c`,
})

export const countNewest = read('statements.countNewest', count('desc'))

export const countOldest = read('statements.countOldest', count('asc'))

const probe = (n: number) => `
  (:key${n} is null or exists (select from statement_refs x
     where x.key = :key${n} and x.seq = r.seq and (:roles${n} >> (x.role::int & 31)) & 1 = 1 and (x.role < 32 or :copied)))`

const FOUND = { ...SHOWN, found: c.int8 }

/** Selects the matches that fit onto a page. `found` is the number of all matches. */
const cut = (order: Order, matches: string) => `
    select g.seq, g.statement_id, g.payload, g.is_voided, g.found
      from ${withinBytes(
        `select s.seq, s.statement_id, s.payload, s.is_voided from ${matches} f join statements s on s.seq = f.seq`,
        {
          size: 'octet_length(r.payload)',
          order: `r.seq ${order}`,
        },
      )} g
     order by g.seq ${order}`

const RANGE = { after: c.int8, upTo: c.int8, limit: c.int8 }

/** Parameters of the first key. :copied says whether keys copied from referenced statements match too. */
const LEADING = { key1: c.uuid, roles1: c.int8, copied: c.bool }

const PROBED = {
  key2: nullable(c.uuid),
  roles2: c.int8,
  key3: nullable(c.uuid),
  roles3: c.int8,
  key4: nullable(c.uuid),
  roles4: c.int8,
  key5: nullable(c.uuid),
  roles5: c.int8,
}

/**
 * Selects the statements that have :key1 and the other given keys, each of which is checked by a `probe`. `offset 0`
 * makes PostgreSQL merge the monthly partitions before it probes. Otherwise it would search far back in every month for
 * a first match.
 */
const queryText = (order: Order) =>
  cut(
    order,
    `(select distinct r.seq
              from (select l.seq from statement_refs l
                     where l.key = :key1 and (:roles1::int8 >> (l.role::int & 31)) & 1 = 1 and (l.role < 32 or :copied) and l.seq > :after and l.seq <= :upTo order by l.seq ${order} offset 0) r
             where ${[2, 3, 4, 5].map((n) => `${probe(n)} and `).join('')}exists (select from statements v where v.seq = r.seq and not v.is_voided)
             order by r.seq ${order} limit :limit)`,
  )

/** Finds statements among the first entries of a key. This query has no probes, as each is set up for every month. */
const ofKey = (order: Order) => ({
  params: { ...LEADING, ...RANGE },
  row: FOUND,
  text: cut(
    order,
    `(select distinct r.seq
              from (select l.seq, l.role from statement_refs l
                     where l.key = :key1 and l.seq > :after and l.seq <= :upTo order by l.seq ${order} limit ${WALKED}) r
             where (:roles1::int8 >> (r.role::int & 31)) & 1 = 1 and (r.role < 32 or :copied)
               and exists (select from statements v where v.seq = r.seq and not v.is_voided)
             order by r.seq ${order} limit :limit)`,
  ),
})

export const ofKeyNewest = list('statements.ofKeyNewest', ofKey('desc'))

export const ofKeyOldest = list('statements.ofKeyOldest', ofKey('asc'))

const query = (order: Order) => ({
  params: { ...LEADING, ...PROBED, ...RANGE },
  row: FOUND,
  text: queryText(order),
})

/** Finds the statements that have :key1, which is the rarest key, and up to four more keys. */
export const queryNewest = list('statements.queryNewest', query('desc'))

export const queryOldest = list('statements.queryOldest', query('asc'))

/**
 * Finds the statements that have all keys, in the given parts of a range. A subquery that returns one value is looked
 * up for each statement; the planner would turn `exists` into a join that reads all statements.
 */
const inParts = (order: Order) => ({
  params: { ...LEADING, ...PROBED, limit: c.int8, afters: c.int8Array, uptos: c.int8Array, leads: c.uuidArray },
  row: FOUND,
  text: cut(
    order,
    `(select distinct r.seq
              from (select l.seq from unnest(:afters, :uptos, :leads) p(after, upto, key)
                     cross join lateral (
                       select e.seq from statement_refs e where e.key = p.key and e.seq > p.after and e.seq <= p.upto offset 0) l offset 0) r
             where ${[1, 2, 3, 4, 5].map((n) => `${probe(n)} and `).join('')}(select not v.is_voided from statements v where v.seq = r.seq)
             order by r.seq ${order} limit :limit)`,
  ),
})

export const inPartsNewest = list('statements.inPartsNewest', inParts('desc'))

export const inPartsOldest = list('statements.inPartsOldest', inParts('asc'))

const everything = (order: Order) => ({
  params: RANGE,
  row: FOUND,
  text: cut(
    order,
    `(select l.seq from statements l
             where l.seq > :after and l.seq <= :upTo and not l.is_voided order by l.seq ${order} limit :limit)`,
  ),
})

export const listNewest = list('statements.listNewest', everything('desc'))

export const listOldest = list('statements.listOldest', everything('asc'))

export const readClock = read('statements.readClock', {
  params: {},
  row: { last: c.int8 },
  text: `select last from statement_clock`,
})

export const measureDefinitions = read('statements.measureDefinitions', {
  params: { keys: c.uuidArray },
  row: { iri: c.text, bytes: c.int8 },
  gather: false,
  text: `select iri, octet_length(definition)::int8 as bytes from activities where key = any(:keys)`,
})

/** Lists definitions, the smallest first, as far as they fit onto a page. */
export const listDefinitions = list('statements.listDefinitions', {
  params: { keys: c.uuidArray },
  row: { iri: c.text, definition: c.text },
  text: `
    select d.iri, d.definition
      from ${withinBytes('select a.iri, a.definition from activities a where a.key = any(:keys)', {
        size: 'octet_length(r.definition)',
        order: 'octet_length(r.definition), r.iri',
      })} d`,
})

/** Returns those of the given statement ids that the sender has sent. */
export const findOwn = read('statements.findOwn', {
  params: { ids: c.uuidArray, sender: c.uuid },
  row: { statement_id: c.uuid },
  gather: false,
  text: `
    select k.id as statement_id from unnest(:ids) k(id)
     where (select s.sender from statements s where s.seq = (select i.seq from statement_ids i where i.statement_id = k.id)) = :sender`,
})
