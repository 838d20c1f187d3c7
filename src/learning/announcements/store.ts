import { markWithinBytes, shortened } from '../../kernel/database/page-bytes.ts'
import { c, list, nullable, read, write } from '../../kernel/database/statement.ts'

/** Finds a class or an organisation, and the caller's roles in it. Nothing is found that they do not belong to. */
export const findTarget = read('announcements.findTarget', {
  params: { person: c.int8, class: nullable(c.text), organisation: nullable(c.text) },
  row: {
    organisation_id: c.int8,
    organisation: c.text,
    class_id: nullable(c.int8),
    class: nullable(c.text),
    has_ended: c.bool,
    teaches: c.bool,
    manages: c.bool,
  },
  text: `
    select o.id as organisation_id, o.key as organisation, c.id as class_id, c.key as class, c.ended_at is not null as has_ended, r.teaches, r.manages
      from classes c join courses k on k.id = c.course_id join organisations o on o.id = k.organisation_id, lateral roles_in_class(:person, c) r
     where c.key = :class and (r.teaches or r.observes or r.manages
           or exists (select from enrolments e where e.class_id = c.id and e.person_id = :person and e.status <> 'dropped'))
    union all
    select o.id, o.key, null, null, false, false, r.owns or r.administers
      from organisations o, lateral roles_in_organisation(:person, o.id) r
     where o.key = :organisation and (r.administers
           or exists (select from organisation_members m where m.organisation_id = o.id and m.person_id = :person))`,
})

/** Counts the people who get an announcement: everybody in its audience who can be notified. */
export const countRecipients = read('announcements.countRecipients', {
  params: { organisation: c.int8, class: nullable(c.int8), author: c.int8 },
  row: { recipients: c.int8 },
  gather: false,
  text: `
    select count(*) as recipients from audience_of(:organisation, :class) a join people p on p.id = a.person_id
     where a.person_id <> :author and can_be_notified(p)`,
})

/** Inserts an announcement with the people who are to get it. Inserts nothing if the key is taken. */
export const insertAnnouncement = write('announcements.insert', {
  params: {
    key: c.text,
    organisation: c.int8,
    class: nullable(c.int8),
    author: c.int8,
    title: c.text,
    text: c.text,
    now: c.timestamptz,
  },
  row: { id: c.int8, recipients: c.int4 },
  text: `
    insert into announcements (key, organisation_id, class_id, author_id, title, text, recipients, waiting, created_at)
    select :key, :organisation, :class, :author, :title, :text, cardinality(w.waiting), w.waiting, :now
      from (select array(select a.person_id from audience_of(:organisation, :class) a join people p on p.id = a.person_id
                          where a.person_id <> :author and p.disabled_at is null order by a.person_id) as waiting) w
    on conflict (key) do nothing returning id, recipients`,
})

const row = {
  id: c.int8,
  key: c.text,
  organisation: c.text,
  organisation_name: c.text,
  class: nullable(c.text),
  class_name: nullable(c.text),
  title: c.text,
  text: c.text,
  author_name: nullable(c.text),
  is_author: c.bool,
  teaches: c.bool,
  manages: c.bool,
  created_at: c.instant,
}

const columns = `
  a.id, a.key, o.key as organisation, o.name as organisation_name, c.key as class, c.name as class_name, a.title, a.text,
  coalesce(nullif(trim(p.first_name || ' ' || p.last_name), ''), p.handle) as author_name,
  a.author_id is not distinct from :person as is_author, a.created_at`
const joined = `
  announcements a join organisations o on o.id = a.organisation_id left join classes c on c.id = a.class_id
  left join people p on p.id = a.author_id`

/** Finds an announcement that the person wrote, or to a class or an organisation that they belong to. */
export const findAnnouncement = read('announcements.find', {
  params: { person: c.int8, key: c.text },
  row,
  text: `
    select ${columns}, coalesce(k.teaches, false) as teaches, coalesce(k.manages, r.owns or r.administers) as manages
      from ${joined} left join lateral roles_in_class(:person, c) k on c.id is not null, lateral roles_in_organisation(:person, o.id) r
     where a.key = :key and (a.author_id = :person or k.teaches or k.observes or r.owns or r.administers
           or exists (select from enrolments e where e.class_id = c.id and e.person_id = :person and e.status <> 'dropped')
           or c.id is null and exists (select from organisation_members m where m.organisation_id = o.id and m.person_id = :person))`,
})

const listed = Object.keys(row)
  .filter((name) => name !== 'text')
  .map((name) => `a.${name}`)

/** Lists the announcements to a class, or those to an organisation as a whole, newest first. */
export const listAnnouncements = list('announcements.list', {
  params: {
    person: c.int8,
    organisation: c.int8,
    class: nullable(c.int8),
    teaches: c.bool,
    manages: c.bool,
    limit: c.int8,
    offset: c.int8,
  },
  row: { ...row, total: c.int8 },
  text: `
    select ${listed.join(', ')}, ${shortened('a', 'text')}, a.total
      from ${markWithinBytes(
        `select ${columns}, :teaches as teaches, :manages as manages, count(*) over () as total from ${joined}
          where case when :class is null then a.class_id is null and a.organisation_id = :organisation else a.class_id = :class end
          order by a.created_at desc, a.id desc limit :limit offset :offset`,
        { size: 'octet_length(r.text)', order: 'r.created_at desc, r.id desc' },
      )} a order by a.created_at desc, a.id desc`,
})

export const deleteAnnouncement = write('announcements.delete', {
  params: { id: c.int8 },
  row: { id: c.int8 },
  text: `delete from announcements where id = :id returning id`,
})

/** Locks an announcement that is being distributed, and takes the next recipients. */
export const lockBatch = write('announcements.lockBatch', {
  params: { id: c.int8, size: c.int4 },
  row: {
    key: c.text,
    organisation_id: c.int8,
    class_id: nullable(c.int8),
    place: c.text,
    title: c.text,
    text: c.text,
    people: c.int8Array,
    is_last: c.bool,
  },
  text: `
    select a.key, a.organisation_id, a.class_id, coalesce(c.name, o.name) as place, a.title, a.text, 
           a.waiting[a.position + 1 : a.position + :size] as people, a.position + :size >= cardinality(a.waiting) as is_last
      from announcements a join organisations o on o.id = a.organisation_id left join classes c on c.id = a.class_id
     where a.id = :id and a.waiting is not null for update of a`,
})

export const finishBatch = write('announcements.finishBatch', {
  params: { id: c.int8, size: c.int4, isLast: c.bool },
  row: { id: c.int8 },
  text: `
    update announcements set position = position + :size, waiting = case when not :isLast then waiting end
     where id = :id returning id`,
})

export const exportAnnouncements = list('announcements.export', {
  params: { person: c.int8, after: c.int8 },
  row: {
    id: c.int8,
    key: c.text,
    organisation: c.text,
    class: nullable(c.text),
    title: c.text,
    text: c.text,
    created_at: c.instant,
  },
  text: `
    select a.id, a.key, o.key as organisation, c.key as class, a.title, a.text, a.created_at
      from announcements a join organisations o on o.id = a.organisation_id left join classes c on c.id = a.class_id
     where a.author_id = :person and a.id > :after order by a.id limit 50`,
})
