import { c, read, write } from '../../kernel/database/statement.ts'

/** SQL: whether either person of the pair has blocked the other. */
const isHidden = `exists (select from hidden_from(r.low) h where h.person_id = r.high offset 0)`

/** Finds the pairs that an import leaves as they are: friends already, or one has blocked the other. */
export const findSettledPairs = read('friends.findSettledPairs', {
  params: { rows: c.json },
  row: { low: c.int8, high: c.int8 },
  gather: false,
  text: `
    select r.low, r.high from json_to_recordset(:rows) as r(low bigint, high bigint)
     where exists (select from friendships f where least(f.asker_id, f.asked_id) = r.low
                      and greatest(f.asker_id, f.asked_id) = r.high and f.accepted_at is not null)
        or ${isHidden}`,
})

/**
 * Inserts friendships. Accepts open requests between the two people, and deletes old declines. Skips pairs with a
 * block.
 */
export const insertFriendships = write('friends.insertFriendships', {
  params: { rows: c.json, now: c.timestamptz },
  row: { asker_id: c.int8 },
  text: `
    with wanted as (
      select r.low, r.high from json_to_recordset(:rows) as r(low bigint, high bigint)
       where not ${isHidden}
    ), forgiven as (
      delete from declines d using wanted w
       where (d.asker_id = w.low and d.decliner_id = w.high) or (d.asker_id = w.high and d.decliner_id = w.low)
    )
    insert into friendships as f (asker_id, asked_id, requested_at, accepted_at) select low, high, :now, :now from wanted
    on conflict (least(asker_id, asked_id), greatest(asker_id, asked_id))
    do update set accepted_at = excluded.accepted_at, is_quiet = false where f.accepted_at is null
    returning f.asker_id`,
})

export const countFriendsOf = read('friends.countFriendsOf', {
  params: { people: c.int8Array },
  row: { handle_key: c.text, friends: c.int8 },
  text: `
    select p.handle_key,
           (select count(*) from friendships f where f.asker_id = p.id and f.accepted_at is not null)
         + (select count(*) from friendships f where f.asked_id = p.id and f.accepted_at is not null) as friends
      from people p where p.id = any(:people)`,
})
