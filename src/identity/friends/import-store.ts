import { int8, int8Array, json, read, text, timestamptz, write } from '../../kernel/database/statement.ts'

/** Whether one of the two has blocked the other. */
const isHidden = `exists (select from hidden_from(r.low) h where h.person_id = r.high offset 0)`

/** The pairs that stay as they are: they are friends already, or one has blocked the other. */
export const findSettledPairs = read('friends.findSettledPairs', {
  params: { rows: json },
  row: { low: int8, high: int8 },
  gather: false,
  text: `
    select r.low, r.high from json_to_recordset(:rows) as r(low bigint, high bigint)
     where exists (select from friendships f where least(f.asker_id, f.asked_id) = r.low
                      and greatest(f.asker_id, f.asked_id) = r.high and f.accepted_at is not null)
        or ${isHidden}`,
})

/** Accepts open requests and deletes old declines. A block stays. */
export const insertFriendships = write('friends.insertFriendships', {
  params: { rows: json, now: timestamptz },
  row: { asker_id: int8 },
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
  params: { people: int8Array },
  row: { handle_key: text, friends: int8 },
  text: `
    select p.handle_key,
           (select count(*) from friendships f where f.asker_id = p.id and f.accepted_at is not null)
         + (select count(*) from friendships f where f.asked_id = p.id and f.accepted_at is not null) as friends
      from people p where p.id = any(:people)`,
})
