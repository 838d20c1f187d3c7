import { bool, int4, int8, int8Array, read, text, textArray, write } from '../database/statement.ts'

/** As the index has it. */
const marks = 'search_marks(w.app_id, w.word)'

/**
 * The words of an app that a typed one may stand for: some of the shortest that begin with it, and those that have a variant in common, so that one is a slip of the other. Long ones that have one in common at both ends are asked for by themselves, and the
 * nearer ones before those that are further off, so that they are not lost among the many that begin alike.
 */
export const findWords = read('search.findWords', {
  params: { app: int8, word: text },
  row: { word: text },
  text: `
    (select begun.word from (
       select w.word from search_words w where w.app_id = :app and w.word > :word and w.word < :word || chr(1114109)
        order by w.word limit 200
     ) begun order by length(begun.word), begun.word limit 12)
    union
    (select w.word from search_words w
      where length(:word) > 7 and ${marks} && search_variants(:app, :word, 1) and ${marks} && search_ends(:app, :word)
      limit 150)
    union
    (select w.word from search_words w where ${marks} && search_variants(:app, :word, 1) limit 120)
    union
    (select w.word from search_words w where length(:word) > 7 and ${marks} && search_variants(:app, :word, 2) limit 120)`,
})

/** People who blocked the caller or whom the caller blocked: read once, and hardly ever anybody. */
const hidden = `
    hidden as materialized (
      select blocked_id as id from blocks where blocker_id = :me
      union all select blocker_id from blocks where blocked_id = :me
    )`

/**
 * Who is found by these keys, best first: the page as ids of people, and how many there are. A probe is a stretch of keys: one key, or all that begin alike. They come with the
 * cheapest first, each gives so many people at most, and after enough of them nobody looks on: so the cost does not grow with the number of people.
 */
export const findPeople = read('search.findPeople', {
  params: {
    app: int8,
    first: textArray,
    last: textArray,
    costs: int8Array,
    groups: int8Array,
    groupCount: int8,
    me: int8,
    most: int8,
    enough: int8,
    limit: int8,
    offset: int8,
  },
  row: { total: int8, people: int8Array },
  text: `
    with ${hidden}, found as (
      select k.person_id, probe.cost, k.place, probe.grp
        from unnest(:first, :last, :costs, :groups) as probe(first, last, cost, grp)
       cross join lateral (
         select s.person_id, row_number() over () as place from (
           select person_id from search_keys
            where app_id = :app and key >= probe.first and key <= probe.last order by key, person_id limit :most
         ) s
       ) k limit :enough
    ), ranked as (
      select person_id, min(cost) + 30 * (:groupCount - count(distinct grp)) as cost, min(place) as place
        from found where person_id not in (select id from hidden)
       group by person_id order by 2, 3, 1 limit :most
    )
    select (select count(*) from ranked) as total,
           array(select person_id from ranked order by cost, place, person_id limit :limit offset :offset) as people`,
})

/** Up to so many users of an app are all looked at; of more, places are drawn. */
const FEW = 100
/** How many people a stretch of lots has on average, and the most that it ever has. */
const STRETCH = 16
const STRETCH_MOST = 48
const LOTS = 2 ** 31

/**
 * People drawn at random, each equally likely, of those who may be found; some may come twice, and about two tries in three give nobody. Lots are cut into
 * stretches of equal length, of which one is drawn, and in it one of STRETCH_MOST places: a place that nobody has is a try in vain, so that a crowded stretch gives
 * no advantage. How long a stretch is follows from how far the first FEW lots reach.
 */
export const drawPeople = read('search.drawPeople', {
  params: { app: int8, tries: int8, me: int8 },
  row: { person_id: int8, is_everybody: bool },
  text: `
    with ${hidden}, head as (
      select lot from findable_users where app_id = :app order by lot limit ${FEW}
    ), size as (
      select count(*) as people, greatest(1, (max(lot)::int8 + 1) * ${STRETCH} / ${FEW}) as length from head
    ), tries as materialized (
      select floor(random() * (${LOTS} / length + 1))::int8 * length as start, length,
             floor(random() * ${STRETCH_MOST})::int8 as place
        from size, generate_series(1::int8, :tries) where people = ${FEW}
    )
    select drawn.person_id, false as is_everybody from tries cross join lateral (
      select f.person_id from findable_users f
       where f.app_id = :app and f.lot >= tries.start and f.lot < tries.start + tries.length
       order by f.lot, f.person_id offset tries.place limit 1
    ) drawn where drawn.person_id not in (select id from hidden)
    union all
    (select f.person_id, true from findable_users f
      where f.app_id = :app and (select people from size) < ${FEW} and f.person_id not in (select id from hidden)
      order by random() limit :tries)`,
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

/** People whose keys were made by older rules. */
export const listOutdated = read('search.listOutdated', {
  params: { version: int4, limit: int8 },
  row: { id: int8, handle: text, first_name: text, last_name: text },
  text: `
    select id, handle, first_name, last_name from people
     where search_version < :version and not anonymous order by search_version limit :limit`,
})

/** Only where the names are still those that the keys were made of. */
export const renewKeys = write('search.renewKeys', {
  params: { id: int8, handle: text, first: text, last: text, keys: textArray, version: int4 },
  row: { id: int8 },
  text: `
    update people set search_keys = :keys, search_version = :version
     where id = :id and handle = :handle and first_name = :first and last_name = :last returning id`,
})
