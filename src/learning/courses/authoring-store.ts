import {
  bool,
  instant,
  int4,
  int8,
  json,
  nullable,
  read,
  report,
  text,
  textArray,
  timestamptz,
  write,
} from '../../kernel/database/statement.ts'
import { contains } from '../../kernel/database/words.ts'

/** Locks the course, so that no other transaction changes it, publishes it or creates a class of it. */
export const lockCourse = write('courses.lockOne', {
  params: { course: text },
  row: { id: int8 },
  text: `select id from courses where key = :course for update`,
})

/** A course with its draft and newest version, and whether the person manages it. */
export const findManaged = read('courses.findManaged', {
  params: { person: int8, course: text },
  row: {
    id: int8,
    key: text,
    organisation: text,
    manages: bool,
    draft: nullable(json),
    document: nullable(json),
    version_id: nullable(int8),
    version: nullable(int4),
  },
  text: `
    select k.id, k.key, o.key as organisation, r.owns or r.administers as manages, k.draft, v.document, v.id as version_id, v.number as version
      from courses k join organisations o on o.id = k.organisation_id left join course_versions v on v.id = k.version_id,
      lateral roles_in_organisation(:person, k.organisation_id) r
     where k.key = :course`,
})

export const findDocument = read('courses.findDocument', {
  params: { course: int8, version: int4 },
  row: { document: json },
  text: `select document from course_versions where course_id = :course and number = :version`,
})

/** No row if the id is taken. */
export const createCourse = write('courses.create', {
  params: { key: text, organisation: int8, draft: json, now: timestamptz },
  row: { id: int8 },
  text: `
    insert into courses (key, organisation_id, draft, draft_at, created_at) values (:key, :organisation, :draft, :now, :now)
    on conflict (key) do nothing returning id`,
})

export const setDraft = write('courses.setDraft', {
  params: { course: int8, draft: nullable(json), now: timestamptz },
  row: { id: int8 },
  text: `
    update courses set draft = :draft, draft_at = case when :draft is not null then :now end where id = :course returning id`,
})

/** Apps with their redirect URIs. */
export const findApps = read('courses.findApps', {
  params: { clients: textArray },
  row: { client_id: text, is_public: bool, uris: textArray },
  text: `
    select a.client_id, a.public_client as is_public, array(select u.uri from app_redirect_uris u where u.app_id = a.id) as uris
      from apps a where a.client_id = any(:clients)`,
})

export const listVersions = read('courses.listVersions', {
  params: { course: int8, limit: int8, offset: int8 },
  row: { number: int4, name: text, published_at: instant, classes: int8, total: int8 },
  gather: false,
  text: `
    select v.number, v.name, v.published_at, (select count(*) from classes c where c.version_id = v.id) as classes, count(*) over () as total
      from course_versions v where v.course_id = :course order by v.number desc limit :limit offset :offset`,
})

/** Courses that the person manages, drafts included, by name. */
export const listManaged = report('courses.listManaged', {
  params: { person: int8, organisation: nullable(text), limit: int8, offset: int8 },
  row: {
    key: text,
    organisation: text,
    name: text,
    version: nullable(int4),
    has_draft: bool,
    classes: int8,
    total: int8,
  },
  text: `
    select m.key, m.organisation, m.name, m.version, m.has_draft, (select count(*) from classes c where c.course_id = m.id) as classes, m.total
      from (select k.id, k.key, o.key as organisation, coalesce(v.name, k.draft->>'name', '') as name, v.number as version,
                   k.draft is not null as has_draft, count(*) over () as total
              from organisations o join courses k on k.organisation_id = o.id left join course_versions v on v.id = k.version_id,
              lateral roles_in_organisation(:person, o.id) r
             where (r.owns or r.administers) and (:organisation is null or o.key = :organisation)
             order by name, k.key limit :limit offset :offset) m
     order by m.name, m.key`,
})

export const findByName = report('courses.findByName', {
  params: { person: int8, words: textArray, limit: int8 },
  row: { id: text, name: text, about: text },
  text: `
    select k.key as id, n.name, o.name as about
      from organisations o join courses k on k.organisation_id = o.id left join course_versions v on v.id = k.version_id,
      lateral (select coalesce(v.name, k.draft->>'name', '') as name) n, lateral roles_in_organisation(:person, o.id) r
     where (r.owns or r.administers) and ${contains(`n.name || ' ' || k.key`)}
     order by n.name, k.key limit :limit`,
})

export const findClass = read('courses.findClass', {
  params: { course: int8 },
  row: { has_class: bool },
  text: `select exists (select from classes c where c.course_id = :course) as has_class`,
})
