import type { ColumnType } from '../../kernel/database/columns.ts'
import { c, read, write } from '../../kernel/database/statement.ts'

/** SQL: the marks of a word. Must have exactly the text of the index expression, so that the planner uses the index. */
const marks = 'search_marks(w.app_id, w.word)'

export const MOST_MARKED = 300

/** SQL: people who have blocked the caller or whom the caller has blocked; usually there are none. */
const hidden = `
    hidden as materialized (select person_id as id from hidden_from(:me))`

/**
 * Makes the statements that look up words. Each returns one row with all the words, because reading a row takes longer
 * than reading a word. The condition `seen` limits them to words of people whom the caller may see.
 * It costs a lookup per word, so it is used only if `findPeople` reports that there may be words of hidden people.
 */
const lookUpWords = <P extends Record<string, ColumnType<unknown>>>(
  suffix: string,
  me: P,
  { before, seen }: { before: string; seen: string },
) => ({
  /**
   * Finds words of an app that have one of these marks, at most MOST_MARKED. A mark is an app id and a text of
   * `listNear`.
   */
  findMarked: read(`search.findMarked${suffix}`, {
    params: { ...me, marks: c.textArray },
    row: { words: c.textArray },
    text: `${before} select array(select w.word from search_words w where ${marks} && :marks ${seen} limit ${MOST_MARKED}) as words`,
  }),

  /** Filters the given words to those by which users of the app can be found. */
  findWords: read(`search.findWords${suffix}`, {
    params: { ...me, app: c.int8, words: c.textArray },
    row: { words: c.textArray },
    text: `${before} select array(
      select w.word from unnest(:words) as asked(word) join search_words w on w.app_id = :app and w.word = asked.word ${seen}
    ) as words`,
  }),

  /** Finds some of the shortest words that begin with the typed word. */
  findBegun: read(`search.findBegun${suffix}`, {
    params: { ...me, app: c.int8, word: c.text },
    row: { words: c.textArray },
    text: `${before} select array(
      select begun.word from (
        select w.word from search_words w where w.app_id = :app and w.word > :word and w.word < :word || chr(1114109) ${seen}
         order by w.word limit 200
      ) begun order by length(begun.word), begun.word limit 12
    ) as words`,
  }),

  /**
   * Finds words of an app that share a variant with the typed word: words that begin with the typed word except for one
   * slip, or are two slips away.
   */
  findAlike: read(`search.findAlike${suffix}`, {
    params: { ...me, app: c.int8, word: c.text },
    row: { words: c.textArray },
    text: `${before} select array(
      (select w.word from search_words w where ${marks} && search_variants(:app, :word, 1) ${seen} limit 120)
      union
      (select w.word from search_words w where length(:word) > 7 and ${marks} && search_variants(:app, :word, 2) ${seen} limit 120)
    ) as words`,
  }),
})

export const allWords = lookUpWords('', {}, { before: '', seen: '' })
export const seenWords = lookUpWords(
  'Seen',
  { me: c.int8 },
  {
    before: `with ${hidden}`,
    seen: `
    and exists (select from search_keys k where k.app_id = w.app_id and k.key = '1' || w.word
                   and k.person_id not in (select id from hidden) offset 0)`,
  },
)

/**
 * Finds people by these keys: at most `:most` per key, in key order, and `:enough` in total, so that the cost does not
 * grow with the number of people. A key that ends with U+10FFFD stands for all keys with that beginning. Keys without
 * people have no row. A row with probe 0 says that there may be words of people whom the caller may not see, because
 * they are hidden or have just left.
 */
export const findPeople = read('search.findPeople', {
  params: { app: c.int8, me: c.int8, keys: c.textArray, most: c.int8, enough: c.int8 },
  row: { probe: c.int8, people: c.int8Array },
  text: `
    with ${hidden}
    select found.probe, array_agg(found.person_id) as people from (
      select probe.number as probe, k.person_id
        from unnest(:keys) with ordinality as probe(last, number)
       cross join lateral (
         select person_id from search_keys
          where app_id = :app and key >= rtrim(probe.last, chr(1114109)) and key <= probe.last
            and person_id not in (select id from hidden)
          order by key, person_id limit :most
       ) k order by probe.number limit :enough
    ) found group by found.probe
    union all
    select 0, '{}' where exists (select from hidden) or exists (select from search_words_left)`,
})

/** Maximum number of people scanned to find those who have all the words. */
const MOST_TOGETHER = 3000

/**
 * Finds people who have a key in each of these parts, used if every part has more people than are read. Scans the part
 * with the fewest people, and looks up each of them in the other parts. Looking up a range of keys (first < last) costs
 * more than looking up a single key, so a part with a range is preferred for the scan.
 */
export const findTogether = read('search.findTogether', {
  params: { app: c.int8, me: c.int8, part: c.int8Array, first: c.textArray, last: c.textArray, most: c.int8 },
  row: { person: c.int8 },
  text: `
    with ${hidden}, probe as materialized (
      select * from unnest(:part, :first, :last) as probe(part, first, last)
    ), part as materialized (
      select probe.part, bool_or(probe.first < probe.last) as is_begun, sum(k.count) as count
        from probe cross join lateral (
          select count(*) from (
            select from search_keys
             where app_id = :app and key >= probe.first and key <= probe.last and person_id not in (select id from hidden)
             limit ${MOST_TOGETHER}
          ) k
        ) k group by probe.part
    ), fewest as materialized (
      select part.part from part
       order by part.count >= ${MOST_TOGETHER}, not part.is_begun, part.count, part.part limit 1
    ), other as materialized (
      select part.part from part where part.part <> (select part from fewest) order by part.is_begun, part.count, part.part
    )
    select k.person_id as person from (
      select k.person_id from probe cross join lateral (
        select person_id from search_keys
         where app_id = :app and key >= probe.first and key <= probe.last and person_id not in (select id from hidden)
         order by key, person_id limit ${MOST_TOGETHER}
      ) k where probe.part = (select part from fewest) limit ${MOST_TOGETHER}
    ) k where not exists (
      select from other where not exists (
        select from probe p where p.part = other.part and case when p.first = p.last
          then exists (
            select from search_keys s where s.app_id = :app and s.key = p.first and s.person_id = k.person_id offset 0
          ) else exists (
            select from findable_users f cross join unnest(f.keys) as own(key)
             where f.app_id = :app and f.person_id = k.person_id
               and own.key collate "C" >= p.first and own.key collate "C" <= p.last offset 0
          ) end
      )
    ) limit :most`,
})

export const listKeys = read('search.listKeys', {
  params: { app: c.int8, people: c.int8Array },
  row: { person: c.int8, keys: c.textArray },
  text: `
    select f.person_id as person, f.keys from findable_users f
     where f.app_id = :app and f.person_id = any(:people) order by f.person_id`,
})

/** Finds the person with exactly this handle, if the caller may find them. */
export const findHandle = read('search.findHandle', {
  params: { app: c.int8, me: c.int8, handle: c.text },
  row: { person: c.int8 },
  text: `
    with ${hidden}
    select f.person_id as person from people p join findable_users f on f.app_id = :app and f.person_id = p.id
     where p.handle_key = :handle and p.id not in (select id from hidden)`,
})

/**
 * Maximum number of people without a slot (`place`) who are sampled. Upkeep assigns slots, so there are usually far
 * fewer.
 */
const MOST_FRESH = 1000

/**
 * Samples the people who can be found, each equally likely. A random number up to the highest slot (`place`) stands for
 * the person in that slot, and for nobody if the slot is vacant; a higher number stands for a person who has no slot
 * yet. If there are at most `:few` people, all of them are tried.
 */
export const sampled = {
  params: { tries: c.int8, few: c.int8, count: c.int8, me: c.int8 },
  asked: `
    ${hidden}, top as materialized (
      select coalesce((
        select place from findable_users where app_id = :app and place is not null order by place desc limit 1
      ), 0) as place
    ), fresh as materialized (
      select array(
        select person_id from findable_users where app_id = :app and place is null order by app_id, person_id limit ${MOST_FRESH}
      ) as people
    ), size as materialized (
      select top.place, fresh.people, top.place + cardinality(fresh.people) as count from top, fresh
    ), asked as materialized (
      (select number from (
         select 1 + floor(random() * size.count)::int8 as number, try
           from size, generate_series(1::int8, :tries) as try where size.count > :few
       ) t group by number order by min(try))
      union all
      (select number from size, generate_series(1::int8, size.count) as number
        where size.count <= :few order by random())
    )`,
  where: [
    `f.place = asked.number and f.person_id not in (select id from hidden)`,
    `f.person_id = (select size.people[asked.number - size.place] from size where asked.number > size.place)
       and f.place is null and f.person_id not in (select id from hidden)`,
  ],
  end: 'limit :count',
}

/** Lists these people in the given order. */
export const listed = {
  params: { people: c.int8Array },
  asked: `asked as (select id, place from unnest(:people) with ordinality as listed(id, place))`,
  where: ['f.person_id = asked.id'],
  end: 'order by asked.place',
}

/** Assigns slots to people without one, and fills vacated slots; if `:mayMove`, by moving other people there. */
export const settleSlots = write('search.settleSlots', {
  params: { most: c.int4, mayMove: c.bool },
  row: { settled: c.int8 },
  text: `select settle_draws(:most, :mayMove) as settled`,
})

/** Lists words of people who can no longer be found. */
export const listWordsLeft = read('search.listWordsLeft', {
  params: { limit: c.int8 },
  row: { id: c.int8 },
  text: `select id from search_words_left order by id limit :limit`,
})

/** Locks these words, so that nobody becomes findable by one of them until the transaction ends. */
export const lockWordsLeft = write('search.lockWordsLeft', {
  params: { left: c.int8Array },
  row: { word: c.text },
  text: `
    select s.word from search_words s
     where (s.app_id, s.word) in (select app_id, word from search_words_left where id = any(:left))
     order by s.app_id, s.word for update`,
})

/**
 * Deletes those of the words that nobody has any more. Must be a separate statement from the one that locks, to see
 * people who were added while that one waited for the lock.
 */
export const forgetWordsLeft = write('search.forgetWordsLeft', {
  params: { left: c.int8Array },
  row: { id: c.int8 },
  text: `
    with gone as (
      delete from search_words s using search_words_left l
       where l.id = any(:left) and s.app_id = l.app_id and s.word = l.word
         and not exists (select from search_keys k where k.app_id = s.app_id and k.key = '1' || s.word)
    )
    delete from search_words_left where id = any(:left) returning id`,
})
