import {
  bool,
  type ColumnType,
  int4,
  int8,
  int8Array,
  read,
  text,
  textArray,
  write,
} from '../../kernel/database/statement.ts'

/** As the index has it. */
const marks = 'search_marks(w.app_id, w.word)'

export const MOST_MARKED = 300

/** People who blocked the caller or whom the caller blocked: read once, and hardly ever anybody. */
const hidden = `
    hidden as materialized (select person_id as id from hidden_from(:me))`

/**
 * How words are looked up. `seen`: only words of somebody whom the caller may see. That takes a lookup for each word, so it is asked for only where there may be words of
 * nobody (`findPeople`).
 */
const lookUpWords = <P extends Record<string, ColumnType<unknown>>>(
  suffix: string,
  me: P,
  { before, seen }: { before: string; seen: string },
) => ({
  /** The words of an app that have one of these marks; not all of them, where they are many. */
  findMarked: read(`search.findMarked${suffix}`, {
    params: { ...me, marks: textArray },
    row: { word: text },
    text: `${before} select w.word from search_words w where ${marks} && :marks ${seen} limit ${MOST_MARKED}`,
  }),

  /** Those of these words that the app has. */
  findWords: read(`search.findWords${suffix}`, {
    params: { ...me, app: int8, words: textArray },
    row: { word: text },
    text: `${before}
    select w.word from unnest(:words) as asked(word) join search_words w on w.app_id = :app and w.word = asked.word ${seen}`,
  }),

  /** Some of the shortest that begin with a typed word. */
  findBegun: read(`search.findBegun${suffix}`, {
    params: { ...me, app: int8, word: text },
    row: { word: text },
    text: `${before}
    select begun.word from (
      select w.word from search_words w where w.app_id = :app and w.word > :word and w.word < :word || chr(1114109) ${seen}
       order by w.word limit 200
    ) begun order by length(begun.word), begun.word limit 12`,
  }),

  /**
   * Words of an app that have a variant in common with a typed one, so that it is with one slip the beginning of them, or two slips away; the nearer ones before those
   * that are further off.
   */
  findAlike: read(`search.findAlike${suffix}`, {
    params: { ...me, app: int8, word: text },
    row: { word: text },
    text: `${before}
    (select w.word from search_words w where ${marks} && search_variants(:app, :word, 1) ${seen} limit 120)
    union
    (select w.word from search_words w where length(:word) > 7 and ${marks} && search_variants(:app, :word, 2) ${seen} limit 120)`,
  }),
})

export const allWords = lookUpWords('', {}, { before: '', seen: '' })
export const seenWords = lookUpWords(
  'Seen',
  { me: int8 },
  {
    before: `with ${hidden}`,
    seen: `
    and exists (select from search_keys k where k.app_id = w.app_id and k.key = '1' || w.word
                   and k.person_id not in (select id from hidden) offset 0)`,
  },
)

/**
 * Who has these keys: for each stretch of them, from the first to the last, so many people at most, in the order of the keys; and after enough of them, no more. So the cost does not grow
 * with the number of people. Stretches that nobody is in are left out. Number 0 says that there may be words of nobody whom the caller may see: somebody is hidden from them, or has just gone.
 */
export const findPeople = read('search.findPeople', {
  params: { app: int8, me: int8, first: textArray, last: textArray, most: int8, enough: int8 },
  row: { probe: int8, people: int8Array },
  text: `
    with ${hidden}
    select found.probe, array_agg(found.person_id) as people from (
      select probe.number as probe, k.person_id
        from unnest(:first, :last) with ordinality as probe(first, last, number)
       cross join lateral (
         select person_id from search_keys
          where app_id = :app and key >= probe.first and key <= probe.last and person_id not in (select id from hidden)
          order by key, person_id limit :most
       ) k limit :enough
    ) found group by found.probe
    union all
    select 0, '{}' where exists (select from hidden) or exists (select from search_words_left)`,
})

/** How many are gone through to find those who have all the words. */
const MOST_TOGETHER = 3000

/**
 * Who has a key in each of these parts, where each part has more people than are read of it. The part that the fewest have is gone through, and each of its people is looked up in the
 * others. Where the last key is not the first, that is not in the order of people: so such a part is rather gone through than looked up.
 */
export const findTogether = read('search.findTogether', {
  params: { app: int8, me: int8, part: int8Array, first: textArray, last: textArray, most: int8 },
  row: { person: int8 },
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

/** All that these people are found by. */
export const listKeys = read('search.listKeys', {
  params: { app: int8, people: int8Array },
  row: { person: int8, keys: textArray },
  text: `
    select f.person_id as person, f.keys from findable_users f
     where f.app_id = :app and f.person_id = any(:people) order by f.person_id`,
})

/** Whose handle is just this, if the caller may find them. */
export const findHandle = read('search.findHandle', {
  params: { app: int8, me: int8, handle: text },
  row: { person: int8 },
  text: `
    with ${hidden}
    select f.person_id as person from people p join findable_users f on f.app_id = :app and f.person_id = p.id
     where p.handle_key = :handle and p.id not in (select id from hidden)`,
})

/** So many who have no place yet are drawn: hardly ever are there more. */
const MOST_FRESH = 1000

/**
 * People drawn at random, each equally likely, of those who may be found. Numbers are drawn: up to the last place they are the people who have these places, and after that those who
 * have none yet. A place that somebody has left is a try in vain. Where there are few, all of them are tried.
 */
export const sampled = {
  params: { tries: int8, few: int8, count: int8, me: int8 },
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

/** People in the given order. */
export const listed = {
  params: { people: int8Array },
  asked: `asked as (select id, place from unnest(:people) with ordinality as listed(id, place))`,
  where: ['f.person_id = asked.id'],
  end: 'order by asked.place',
}

/** Gives places to those who have none, and fills those that somebody has left, if need be by moving others there. */
export const settleSlots = write('search.settleSlots', {
  params: { most: int4, mayMove: bool },
  row: { settled: int8 },
  text: `select settle_draws(:most, :mayMove) as settled`,
})

/** Words that somebody was found by who is no longer. */
export const listWordsLeft = read('search.listWordsLeft', {
  params: { limit: int8 },
  row: { id: int8 },
  text: `select id from search_words_left order by id limit :limit`,
})

/** Until the transaction ends nobody becomes findable by these words. */
export const lockWordsLeft = write('search.lockWordsLeft', {
  params: { left: int8Array },
  row: { word: text },
  text: `
    select s.word from search_words s
     where (s.app_id, s.word) in (select app_id, word from search_words_left where id = any(:left))
     order by s.app_id, s.word for update`,
})

/** Forgets those that nobody has any more. Another statement than the one that locks: it must see who came meanwhile. */
export const forgetWordsLeft = write('search.forgetWordsLeft', {
  params: { left: int8Array },
  row: { id: int8 },
  text: `
    with gone as (
      delete from search_words s using search_words_left l
       where l.id = any(:left) and s.app_id = l.app_id and s.word = l.word
         and not exists (select from search_keys k where k.app_id = s.app_id and k.key = '1' || s.word)
    )
    delete from search_words_left where id = any(:left) returning id`,
})
