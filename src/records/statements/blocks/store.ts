import { c, list, nullable, write } from '../../../kernel/database/statement.ts'

/** Number of statements in a block; the length of `statement_postings.positions`. */
const BLOCK = 8192
/** Number of statements between two anchors of a block. */
const GRANULE = 64
/** A key with fewer entries in a block has no positions there. */
const COMMON = 16

/** Counts the statements after the last block, up to the size of a block. */
export const countUnblocked = write('statements.countUnblocked', {
  params: {},
  row: { is_enough: c.bool },
  text: `
    select count(*) = ${BLOCK} as is_enough
      from (select s.seq from statements s
             where s.seq > (select coalesce(max(upto), 0) from statement_blocks) order by s.seq limit ${BLOCK}) n`,
})

/** Starts the next block, if there are enough statements after the last one. */
export const startBlock = write('statements.startBlock', {
  params: {},
  row: { upto: c.int8 },
  text: `
    insert into statement_blocks (upto, after)
    select max(n.seq), b.last
      from (select coalesce(max(upto), 0) as last from statement_blocks) b
      cross join lateral (select s.seq from statements s where s.seq > b.last order by s.seq limit ${BLOCK}) n
     group by b.last having count(*) = ${BLOCK}
    returning upto`,
})

/** Locks the clock, so that nobody stores or removes statements until the commit. */
export const holdClock = write('statements.holdClockForBlock', {
  params: {},
  row: { last: c.int8 },
  text: `select last from statement_clock for update`,
})

/** Makes this transaction join by hashing. Without statistics, the planner would compare all keys with all rows. */
export const joinByHash = write('statements.joinByHash', {
  params: {},
  row: { setting: c.text },
  text: `select set_config('enable_nestloop', 'off', true) as setting`,
})

/**
 * Finds a block without positions, unless another process is collecting some. The row stays unlocked, because writers
 * change it while they hold the clock.
 */
export const findUnready = write('statements.findUnreadyBlock', {
  params: {},
  row: { upto: c.int8, after: c.int8, changes: c.int4 },
  text: `
    select upto, after, changes from statement_blocks
     where not is_ready and pg_try_advisory_xact_lock(hashtextextended('groundschool.blocks.' || current_schema(), 0))
     order by upto limit 1`,
})

export const deletePostings = write('statements.deletePostings', {
  params: { upTo: c.int8 },
  row: { upto: c.int8 },
  text: `delete from statement_postings where upto = :upTo returning upto`,
})

/**
 * Collects the positions of the common keys of a block. Returns the numbers of every 64th statement and of the last
 * one. Both come from one statement, so that a removal in the meantime cannot move one against the other. `seq + 0` is
 * what the index of blocks is on.
 */
export const insertPostings = write('statements.insertPostings', {
  params: { after: c.int8, upTo: c.int8 },
  row: { anchors: c.int8Array },
  text: `
    with numbered as materialized (
      select s.seq, (row_number() over (order by s.seq) - 1)::int as n from statements s where s.seq > :after and s.seq <= :upTo
    ), entries as materialized (
      select r.key, r.role, n.n
        from statement_refs r join numbered n on n.seq = r.seq
       where r.seq > :after and r.seq <= :upTo and r.seq + 0 > :after and r.seq + 0 <= :upTo
    ), inserted as (
      insert into statement_postings (key, upto, role, positions)
      select e.key, :upTo, e.role, bit_or(set_bit(0::bit(${BLOCK}), e.n, 1))
        from entries e where e.key in (select key from entries group by key having count(*) >= ${COMMON}) group by e.key, e.role
    )
    select array(select n.seq from numbered n where n.n % ${GRANULE} = ${GRANULE - 1} order by n.seq) || :upTo::int8 as anchors`,
})

/** Makes a block usable, unless its statements have changed in the meantime. */
export const finishBlock = write('statements.finishBlock', {
  params: { upTo: c.int8, anchors: c.int8Array, changes: c.int4 },
  row: { upto: c.int8 },
  text: `
    update statement_blocks set is_ready = true, anchors = :anchors where upto = :upTo and changes = :changes returning upto`,
})

/** Marks the blocks of statements that have received more keys. */
export const outdateBlocks = write('statements.outdateBlocks', {
  params: { seqs: c.int8Array },
  row: { upto: c.int8 },
  text: `
    update statement_blocks b set is_ready = false, changes = b.changes + 1
     where b.upto in (
       select (select o.upto from statement_blocks o where o.upto >= s.seq order by o.upto limit 1) from unnest(:seqs) s(seq))
    returning b.upto`,
})

/** Deletes the blocks whose statements are all older than :before. */
export const deleteBlocks = write('statements.deleteBlocks', {
  params: { before: c.int8 },
  row: { upto: c.int8 },
  text: `
    with postings as (
      delete from statement_postings where upto < :before
    )
    delete from statement_blocks where upto < :before returning upto`,
})

/**
 * Deletes the positions of those keys that no statement has any more. If positions are being collected, they are
 * discarded, because they may have been collected before the removal. Most keys have no positions, and are not looked
 * up in every month.
 */
export const deleteUnused = write('statements.deleteUnusedPostings', {
  params: { keys: c.uuidArray },
  row: { key: c.uuid },
  text: `
    with collected as (
      update statement_blocks set changes = changes + 1 where not is_ready
    )
    delete from statement_postings p
     where p.key in (select k.key from unnest(:keys) k(key)
                      where (select o.upto from statement_postings o where o.key = k.key limit 1) is not null
                        and (select r.seq from statement_refs r where r.key = k.key order by r.seq limit 1) is null)
    returning p.key`,
})

/** The keys that a statement must have, the rarest first. `roles` is a bit set for each key. */
const WANTED = { keys: c.uuidArray, roles: c.int8Array, copied: c.bool }

/**
 * Lists the parts of the next blocks in which statements may have all keys, with the key whose entries there are few.
 * In a block, a key without positions is rare. If all keys have positions, only the parts count in which the positions
 * meet; each of these `meetings` is a match, unless the statement is voided or deleted. Blocks that are not ready, and
 * the statements after the last block, are parts as a whole. Ends with the block that has :enough meetings. The last
 * row, without a key, says how far the blocks go.
 */
const parts = (order: 'asc' | 'desc') => ({
  params: { ...WANTED, after: c.int8, upTo: c.int8, blocks: c.int8, enough: c.int8 },
  row: { after: c.int8, upto: c.int8, key: nullable(c.uuid), meetings: c.int8 },
  text: `
    with next_blocks as materialized (
      select b.* from (
          select upto, after, is_ready, anchors from statement_blocks where upto > :after and after < :upTo
          union all
          select :upTo, l.upto, false, '{}' from (select coalesce(max(upto), 0) as upto from statement_blocks) l where l.upto < :upTo
        ) b order by b.upto ${order} limit :blocks
    ), lists as materialized (
      select p.upto, w.n,
             bit_or(case when (w.roles >> (p.role::int & 31)) & 1 = 1 and (p.role < 32 or :copied) then p.positions else 0::bit(${BLOCK}) end) as positions
        from unnest(:keys, :roles) with ordinality w(key, roles, n)
        cross join lateral (
          select l.upto, l.role, l.positions from statement_postings l
           where l.key = w.key and l.upto >= (select min(b.upto) from next_blocks b) and l.upto <= (select max(b.upto) from next_blocks b) offset 0) p
       group by p.upto, w.n
    ), met as materialized (
      select m.*, coalesce(sum(m.meetings) over (order by m.upto ${order} rows between unbounded preceding and 1 preceding), 0) < :enough as is_needed
        from (select b.upto, b.after, b.anchors, coalesce(array_agg(l.n) filter (where l.n is not null), '{}') as common, bit_and(l.positions) as positions,
                     case when count(l.n) = cardinality(:keys) then bit_count(bit_and(l.positions)) else 0 end as meetings
                from next_blocks b left join lists l on l.upto = b.upto and b.is_ready group by b.upto, b.after, b.anchors) m
    )
    select greatest(f.after, :after) as after, least(f.upto, :upTo) as upto, f.key, f.meetings
      from (
        select m.after, m.upto, k.key, 0::int8 as meetings
          from met m cross join lateral (select k.key from unnest(:keys) with ordinality k(key, n) where k.n <> all(m.common) limit 1) k
         where m.is_needed and (m.positions is null or bit_count(m.positions) > 0)
        union all
        select case g when 0 then m.after else m.anchors[g] end, m.anchors[g + 1], (:keys::uuid[])[1], p.meetings
          from met m cross join generate_series(0, ${BLOCK / GRANULE - 1}) g
          cross join lateral (select bit_count(substring(m.positions from g * ${GRANULE} + 1 for ${GRANULE})) as meetings) p
         where m.is_needed and m.meetings > 0 and p.meetings > 0
        union all
        select min(m.after), max(m.upto), null, 0 from met m where m.is_needed having count(*) > 0
      ) f
     where f.upto > :after and f.after < :upTo
     order by f.key is null, f.upto ${order}`,
})

export const partsNewest = list('statements.partsNewest', parts('desc'))

export const partsOldest = list('statements.partsOldest', parts('asc'))
