import { deleteOlder } from '../../kernel/database/retention.ts'
import { c, list, nullable, read, report, write } from '../../kernel/database/statement.ts'

const HAS_MAILBOX = 'p.email is not null and p.email_confirmed_at is not null'

/**
 * Inserts notifications, except those whose key the person already has. Each person's inbox is locked until the commit,
 * in the order of ids, so positions become visible in order.
 */
export const insert = write('notifications.insert', {
  params: { rows: c.json, mails: c.bool, now: c.timestamptz },
  row: { person_id: c.int8, position: c.int8, mail: nullable(c.text) },
  text: `
    with wanted as materialized (
      select w.*, row_number() over (partition by w.person_id order by w.n) as number from (
        select distinct on (r.person_id, r.key) r.*, f.is_shown, f.mail
          from json_to_recordset(:rows) as
               r(n int, person_id bigint, kind text, key text, title text, text text, link text, scope text, at timestamptz, email text, fixed boolean)
          join people p on p.id = r.person_id and can_be_notified(p)
          left join notification_settings s on s.person_id = p.id and s.kind = r.kind and not r.fixed
         cross join lateral (select coalesce(s.app, true) as is_shown,
                                    nullif(case when :mails and ${HAS_MAILBOX} then coalesce(s.email, r.email) else 'off' end, 'off') as mail) f
         where (f.is_shown or f.mail is not null) and is_in_scope(p.id, r.scope)
           and not exists (select from notifications n where n.person_id = p.id and n.key = r.key)
         order by r.person_id, r.key, r.n) w),
    counts as (
      select person_id, count(*) as number, bool_or(mail = 'digest') as has_digest from wanted group by person_id order by person_id),
    inboxes as (
      insert into notification_inboxes as i (person_id, position, digest_at)
      select k.person_id, k.number, case when k.has_digest then next_digest(:now, zone_of(k.person_id)) end from counts k order by k.person_id
      on conflict (person_id) do update set position = i.position + excluded.position, digest_at = coalesce(i.digest_at, excluded.digest_at)
      returning i.person_id, i.position)
    insert into notifications (person_id, position, key, kind, scope, title, text, link, created_at, is_shown, mail)
    select w.person_id, i.position - k.number + w.number, w.key, w.kind, w.scope, w.title, w.text, w.link, w.at, w.is_shown, w.mail
      from wanted w join inboxes i using (person_id) join counts k using (person_id)
    on conflict (person_id, key) do nothing
    returning person_id, position, mail`,
})

/**
 * Locks a notification whose e-mail is waiting or was tried. `may_mail` says whether the person can get e-mail and
 * still belongs to the scope; `choice` is the person's setting today.
 */
export const lockMail = write('notifications.lockMail', {
  params: { person: c.int8, position: c.int8 },
  row: {
    kind: c.text,
    title: c.text,
    text: c.text,
    link: c.text,
    is_tried: c.bool,
    is_mailed: c.bool,
    may_mail: c.bool,
    email: nullable(c.text),
    choice: nullable(c.text),
  },
  text: `
    select n.kind, n.title, n.text, n.link, n.mail_tried_at is not null as is_tried, n.mailed_at is not null as is_mailed,
           can_be_notified(p) and ${HAS_MAILBOX} and is_in_scope(p.id, n.scope) as may_mail, p.email, s.email as choice
      from notifications n join people p on p.id = n.person_id
      left join notification_settings s on s.person_id = n.person_id and s.kind = n.kind
     where n.person_id = :person and n.position = :position and n.mail = 'now' for update of n`,
})

export const setMail = write('notifications.setMail', {
  params: { person: c.int8, position: c.int8, mail: nullable(c.text) },
  row: { position: c.int8 },
  text: `
    update notifications set mail = :mail where person_id = :person and position = :position returning position`,
})

export const setTried = write('notifications.setTried', {
  params: { person: c.int8, position: c.int8, tried: nullable(c.timestamptz) },
  row: { position: c.int8 },
  text: `
    update notifications set mail_tried_at = :tried where person_id = :person and position = :position returning position`,
})

export const setMailed = write('notifications.setMailed', {
  params: { person: c.int8, position: c.int8, now: c.timestamptz },
  row: { position: c.int8 },
  text: `
    update notifications set mailed_at = :now where person_id = :person and position = :position returning position`,
})

/** Makes sure that a digest is sent to the person in the morning, if something waits for it. */
export const scheduleDigest = write('notifications.scheduleDigest', {
  params: { person: c.int8, now: c.timestamptz },
  row: { person_id: c.int8 },
  text: `
    update notification_inboxes i set digest_at = next_digest(:now, zone_of(i.person_id))
     where i.person_id = :person and i.digest_at is null
       and exists (select from notifications n where n.person_id = :person and n.mail = 'digest' and n.mail_tried_at is null)
    returning i.person_id`,
})

/** Takes people whose digest is due. */
export const takeDigests = write('notifications.takeDigests', {
  params: { now: c.timestamptz, limit: c.int8 },
  row: { person_id: c.int8 },
  text: `
    update notification_inboxes set digest_at = null where person_id in
      (select person_id from notification_inboxes where digest_at <= :now order by digest_at limit :limit for update skip locked)
    returning person_id`,
})

/** Takes what was read or turned off meanwhile, or belongs to a scope that the person has left, out of the digest. */
export const cleanDigest = write('notifications.cleanDigest', {
  params: { person: c.int8 },
  row: { position: c.int8 },
  text: `
    update notifications n set mail = null from people p
     where p.id = n.person_id and n.person_id = :person and n.mail = 'digest' and n.mail_tried_at is null
       and (n.read_at is not null or not (can_be_notified(p) and ${HAS_MAILBOX} and is_in_scope(p.id, n.scope))
            or exists (select from notification_settings s where s.person_id = p.id and s.kind = n.kind and s.email = 'off'))
    returning n.position`,
})

/** Marks everything that waits for the person's digest as tried. Returns the newest `limit`, and how many there are. */
export const tryDigest = write('notifications.tryDigest', {
  params: { person: c.int8, tried: c.timestamptz, limit: c.int8 },
  row: { title: c.text, link: c.text, email: nullable(c.text), total: c.int8 },
  text: `
    with tried as (
      update notifications set mail_tried_at = :tried where person_id = :person and mail = 'digest' and mail_tried_at is null
      returning position, title, link)
    select t.title, t.link, p.email, (select count(*) from tried) as total
      from tried t join people p on p.id = :person order by t.position desc limit :limit`,
})

/** Records the outcome of a digest: a time if it was sent, or null if it is to be tried again. */
export const settleDigest = write('notifications.settleDigest', {
  params: { person: c.int8, tried: c.timestamptz, mailed: nullable(c.timestamptz) },
  row: { position: c.int8 },
  text: `
    update notifications set mailed_at = :mailed, mail_tried_at = case when :mailed is null then null else mail_tried_at end
     where person_id = :person and mail = 'digest' and mail_tried_at = :tried returning position`,
})

/** Turns off e-mail of one kind, or of every kind that the person gets in the digest. */
export const turnOff = write('notifications.turnOff', {
  params: { person: c.int8, kinds: c.textArray, digestOnly: c.bool, digested: c.textArray },
  row: { kind: c.text },
  text: `
    insert into notification_settings as s (person_id, kind, app, email)
    select p.id, k.kind, true, 'off' from people p, unnest(:kinds) k(kind)
     where p.id = :person
       and (not :digestOnly or coalesce((select o.email = 'digest' from notification_settings o where o.person_id = p.id and o.kind = k.kind), k.kind = any(:digested)))
    on conflict (person_id, kind) do update set email = 'off'
    returning kind`,
})

/** Deletes what people have not read yet or were not mailed yet, in a scope that they have left. */
export const withdraw = write('notifications.withdraw', {
  params: { scope: c.text, people: c.int8Array },
  row: { person_id: c.int8 },
  text: `
    with gone as (
      delete from notifications where scope = :scope and person_id = any(:people)
         and (read_at is null or mail is not null and mail_tried_at is null)
      returning person_id)
    update notification_inboxes i set position = i.position + 1 where i.person_id in (select person_id from gone)
    returning i.person_id`,
})

const IS_OPEN = '(read_at is null or mail is not null and mail_tried_at is null)'

export const listAnnounced = write('notifications.listAnnounced', {
  params: { key: c.text, limit: c.int8 },
  row: { person_id: c.int8 },
  text: `
    select person_id from notifications where kind = 'announcement' and key = :key and ${IS_OPEN}
     order by person_id limit :limit`,
})

export const withdrawKey = write('notifications.withdrawKey', {
  params: { key: c.text, people: c.int8Array },
  row: { person_id: c.int8 },
  text: `
    with gone as (
      delete from notifications where key = :key and person_id = any(:people) and ${IS_OPEN} returning person_id)
    update notification_inboxes i set position = i.position + 1 where i.person_id in (select person_id from gone)
    returning i.person_id`,
})

const row = {
  position: c.int8,
  kind: c.text,
  title: c.text,
  text: c.text,
  link: c.text,
  created_at: c.instant,
  read_at: nullable(c.instant),
}
const columns = 'position, kind, title, text, link, created_at, read_at'

/** Counts stop at this number, so that they stay cheap. */
const COUNTED = 100
const unread = (person: string) =>
  `(select count(*) from (select from notifications where person_id = ${person} and is_shown and read_at is null limit ${COUNTED}) counted)`

export const listShown = list('notifications.list', {
  params: { person: c.int8, before: c.int8, limit: c.int8 },
  row,
  text: `
    select ${columns} from notifications where person_id = :person and is_shown and position < :before
     order by position desc limit :limit`,
})

export const listUnread = list('notifications.listUnread', {
  params: { person: c.int8, before: c.int8, limit: c.int8 },
  row,
  text: `
    select ${columns} from notifications where person_id = :person and is_shown and read_at is null and position < :before
     order by position desc limit :limit`,
})

export const countUnread = read('notifications.countUnread', {
  params: { person: c.int8 },
  row: { unread: c.int8 },
  text: `select ${unread(':person')} as unread`,
})

/** Lists new notifications, newest first. Always returns a row, with the number of unread ones. */
export const listNew = list('notifications.listNew', {
  params: { person: c.int8, after: c.int8, last: c.int8, limit: c.int8 },
  row: {
    unread: c.int8,
    position: nullable(c.int8),
    kind: nullable(c.text),
    title: nullable(c.text),
    text: nullable(c.text),
    link: nullable(c.text),
    created_at: nullable(c.instant),
    read_at: nullable(c.instant),
  },
  text: `
    select u.unread, n.* from (select ${unread(':person')} as unread) u
      left join (select ${columns} from notifications where person_id = :person and is_shown and position > :after and position <= :last
                  order by position desc limit :limit) n on true
     order by n.position desc`,
})

/** Reads the positions of people's inboxes; 0 for a person who has none. */
export const listPositions = read('notifications.listPositions', {
  params: { people: c.int8Array },
  row: { person_id: c.int8, position: c.int8 },
  gather: false,
  text: `
    select p.id as person_id, coalesce(i.position, 0) as position
      from people p left join notification_inboxes i on i.person_id = p.id where p.id = any(:people)`,
})

/** Locks inboxes before their notifications, as adding does, so that two changes cannot block each other forever. */
export const lockInboxes = write('notifications.lockInboxes', {
  params: { people: c.int8Array },
  row: { person_id: c.int8 },
  text: `select person_id from notification_inboxes where person_id = any(:people) order by person_id for update`,
})

export const markRead = write('notifications.markRead', {
  params: { person: c.int8, positions: c.int8Array, upTo: c.int8, now: c.timestamptz },
  row: { position: c.int8 },
  text: `
    with marked as (
      update notifications set read_at = :now
       where person_id = :person and is_shown and read_at is null and (position = any(:positions) or position <= :upTo)
      returning position)
    update notification_inboxes set position = position + 1 where person_id = :person and exists (select from marked)
    returning position`,
})

export const readInbox = read('notifications.readInbox', {
  params: { person: c.int8 },
  row: { time_zone: c.text, email: nullable(c.text) },
  text: `
    select zone_of(p.id) as time_zone, case when ${HAS_MAILBOX} then p.email end as email from people p where p.id = :person`,
})

export const listSettings = read('notifications.listSettings', {
  params: { person: c.int8 },
  row: { kind: c.text, app: c.bool, email: c.text },
  gather: false,
  text: `select kind, app, email from notification_settings where person_id = :person order by kind`,
})

export const setSettings = write('notifications.setSettings', {
  params: { person: c.int8, rows: c.json },
  row: { kind: c.text },
  text: `
    insert into notification_settings (person_id, kind, app, email)
    select :person, r.kind, r.app, r.email from json_to_recordset(:rows) as r(kind text, app boolean, email text)
    on conflict (person_id, kind) do update set app = excluded.app, email = excluded.email
    returning kind`,
})

/** Sets the time zone. A digest that is waiting moves to the morning of the new zone. */
export const setTimeZone = write('notifications.setTimeZone', {
  params: { person: c.int8, zone: c.text, now: c.timestamptz },
  row: { person_id: c.int8 },
  text: `
    insert into notification_inboxes as i (person_id, time_zone) values (:person, :zone)
    on conflict (person_id) do update set time_zone = excluded.time_zone,
      digest_at = case when i.digest_at > :now then next_digest(:now, excluded.time_zone) else i.digest_at end
    returning i.person_id`,
})

export const findZone = read('notifications.findZone', {
  params: { zone: c.text },
  row: { name: nullable(c.text) },
  text: `select name from pg_timezone_names where name = :zone`,
})

export const exportAll = report('notifications.export', {
  params: { person: c.int8 },
  row: { ...row, mailed_at: nullable(c.instant) },
  text: `select ${columns}, mailed_at from notifications where person_id = :person order by position`,
})

/** Counts mails that were tried, and for which no outcome was recorded within five minutes. */
export const countUnconfirmed = read('notifications.countUnconfirmed', {
  params: { now: c.timestamptz },
  row: { mails: c.int8 },
  gather: false,
  text: `
    select count(*) as mails from (select from notifications
      where mail_tried_at < :now - interval '5 minutes' and mailed_at is null limit 10000) counted`,
})

export const deleteOld = deleteOlder('notifications.deleteOld', {
  table: 'notifications',
  key: { person_id: c.int8, position: c.int8 },
  by: 'created_at',
})
