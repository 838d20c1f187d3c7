import { c, list, nullable, read, report, write } from '../../kernel/database/statement.ts'
import { contains } from '../../kernel/database/words.ts'

/** Locks the course, so that no other transaction can change it, publish it or create a class of it. */
export const lockCourse = write('courses.lockOne', {
  params: { course: c.text },
  row: { id: c.int8 },
  text: `select id from courses where key = :course for update`,
})

/** Finds a course with its draft and its newest version, and whether the person manages or edits it. */
export const findManaged = read('courses.findManaged', {
  params: { person: c.int8, course: c.text },
  row: {
    id: c.int8,
    key: c.text,
    organisation: c.text,
    manages: c.bool,
    edits: c.bool,
    draft: nullable(c.json),
    document: nullable(c.json),
    version_id: nullable(c.int8),
    version: nullable(c.int4),
  },
  text: `
    select k.id, k.key, o.key as organisation, r.manages, r.edits, k.draft, v.document, v.id as version_id, v.number as version
      from courses k join organisations o on o.id = k.organisation_id left join course_versions v on v.id = k.version_id,
      lateral roles_in_course(:person, k) r
     where k.key = :course`,
})

export const findDocument = read('courses.findDocument', {
  params: { course: c.int8, version: c.int4 },
  row: { document: c.json },
  text: `select document from course_versions where course_id = :course and number = :version`,
})

/** Creates a course with a draft. Returns no row if the id is taken. */
export const createCourse = write('courses.create', {
  params: { key: c.text, organisation: c.int8, author: c.int8, draft: c.json, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into courses (key, organisation_id, author_id, draft, draft_at, created_at)
    values (:key, :organisation, :author, :draft, :now, :now)
    on conflict (key) do nothing returning id`,
})

export const setDraft = write('courses.setDraft', {
  params: { course: c.int8, draft: nullable(c.json), now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update courses set draft = :draft, draft_at = case when :draft is not null then :now end where id = :course returning id`,
})

/** Finds apps with their redirect URIs. */
export const findApps = read('courses.findApps', {
  params: { clients: c.textArray },
  row: { client_id: c.text, is_public: c.bool, uris: c.textArray },
  text: `
    select a.client_id, a.public_client as is_public, array(select u.uri from app_redirect_uris u where u.app_id = a.id) as uris
      from apps a where a.client_id = any(:clients)`,
})

/** Finds those of the given questions that belong to the organisation. */
export const findQuestions = list('courses.findQuestions', {
  params: { organisation: c.text, keys: c.textArray },
  row: { key: c.text, is_archived: c.bool },
  text: `
    select q.key, q.archived_at is not null as is_archived from questions q join organisations o on o.id = q.organisation_id
     where o.key = :organisation and q.key = any(:keys)`,
})

export const countTags = list('courses.countTags', {
  params: { organisation: c.text, tags: c.textArray },
  row: { tag: c.text, questions: c.int8 },
  text: `
    select t.tag, count(*) as questions from organisations o join questions q on q.organisation_id = o.id, unnest(q.tags) as t(tag)
     where o.key = :organisation and q.archived_at is null and q.tags && :tags and t.tag = any(:tags) group by t.tag`,
})

export const listVersions = read('courses.listVersions', {
  params: { course: c.int8, limit: c.int8, offset: c.int8 },
  row: { number: c.int4, name: c.text, published_at: c.instant, classes: c.int8, total: c.int8 },
  gather: false,
  text: `
    select v.number, v.name, v.published_at, (select count(*) from classes c where c.version_id = v.id) as classes, count(*) over () as total
      from course_versions v where v.course_id = :course order by v.number desc limit :limit offset :offset`,
})

/** Matches courses of organisations that the person belongs to. Nobody but administrators edits others. */
const IS_NEAR = `k.organisation_id = any(array(
  select m.organisation_id from organisation_members m where m.person_id = :person
  union select n.id from organisations n where (select p.administrator from people p where p.id = :person)))`

/** Lists the courses that the person edits, including unpublished ones, sorted by name. */
export const listManaged = report('courses.listManaged', {
  params: { person: c.int8, organisation: nullable(c.text), limit: c.int8, offset: c.int8 },
  row: {
    key: c.text,
    organisation: c.text,
    name: c.text,
    version: nullable(c.int4),
    has_draft: c.bool,
    classes: c.int8,
    total: c.int8,
  },
  text: `
    select m.key, m.organisation, m.name, m.version, m.has_draft, (select count(*) from classes c where c.course_id = m.id) as classes, m.total
      from (select k.id, k.key, o.key as organisation, coalesce(v.name, k.draft->>'name', '') as name, v.number as version,
                   k.draft is not null as has_draft, count(*) over () as total
              from organisations o join courses k on k.organisation_id = o.id left join course_versions v on v.id = k.version_id,
              lateral roles_in_course(:person, k) r
             where ${IS_NEAR} and r.edits and (:organisation is null or o.key = :organisation)
             order by name, k.key limit :limit offset :offset) m
     order by m.name, m.key`,
})

export const exportCreated = report('courses.exportCreated', {
  params: { person: c.int8 },
  row: { key: c.text, organisation: c.text, name: c.text, created_at: c.instant },
  text: `
    select k.key, o.key as organisation, coalesce(v.name, k.draft->>'name', '') as name, k.created_at
      from courses k join organisations o on o.id = k.organisation_id left join course_versions v on v.id = k.version_id
     where k.author_id = :person order by k.id`,
})

export const findByName = report('courses.findByName', {
  params: { person: c.int8, words: c.textArray, limit: c.int8 },
  row: { id: c.text, name: c.text, about: c.text },
  text: `
    select k.key as id, n.name, o.name as about
      from organisations o join courses k on k.organisation_id = o.id left join course_versions v on v.id = k.version_id,
      lateral (select coalesce(v.name, k.draft->>'name', '') as name) n, lateral roles_in_course(:person, k) r
     where ${IS_NEAR} and r.edits and ${contains(`n.name || ' ' || k.key`)}
     order by n.name, k.key limit :limit`,
})

export const findClass = read('courses.findClass', {
  params: { course: c.int8 },
  row: { has_class: c.bool },
  text: `select exists (select from classes c where c.course_id = :course) as has_class`,
})
