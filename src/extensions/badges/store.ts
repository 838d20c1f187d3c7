import { markWithinBytes, shortened, withinBytes } from '../../kernel/database/page-bytes.ts'
import { c, list, nullable, read, report, write } from '../../kernel/database/statement.ts'

const badgeRow = {
  id: c.int8,
  key: c.text,
  name: c.text,
  description: c.text,
  type: c.text,
  image: c.text,
  issuer_name: c.text,
  criteria: c.text,
  course: c.text,
  objective: nullable(c.text),
  organisation: c.text,
  plugin_id: nullable(c.int8),
  course_id: c.int8,
  created_at: c.instant,
  changed_at: c.instant,
}
const badgeColumns = `
  b.id, b.key, b.name, b.description, b.type, b.image, b.issuer_name, b.criteria, k.key as course, j.key as objective, o.key as organisation,
  b.plugin_id, b.course_id, b.created_at, b.changed_at`
const badgeTables = `
  badges b join courses k on k.id = b.course_id join organisations o on o.id = k.organisation_id left join objectives j on j.id = b.objective_id`

/** The course or objective that a new badge will belong to. `objective_id` is null if the badge belongs to a course. */
const targetRow = {
  course_id: c.int8,
  objective_id: nullable(c.int8),
  organisation: c.text,
  organisation_name: c.text,
}
const targetColumns = `k.id as course_id, j.id as objective_id, o.key as organisation, o.name as organisation_name`
const targetTables = `
  (select (select id from courses where key = :course) as course_id, (select id from objectives where key = :objective) as objective_id) a
  left join objectives j on j.id = a.objective_id
  join courses k on k.id = coalesce(a.course_id, j.course_id) join organisations o on o.id = k.organisation_id`

/** Finds the target of a badge. Only published courses of organisations that the plugin has access to are found. */
export const findTargetOfPlugin = read('badges.findTargetOfPlugin', {
  params: { plugin: c.int8, course: nullable(c.text), objective: nullable(c.text) },
  row: targetRow,
  text: `
    select ${targetColumns} from ${targetTables} join plugin_organisations g on g.organisation_id = o.id and g.plugin_id = :plugin
     where k.version_id is not null`,
})

export const findTargetOfPerson = read('badges.findTargetOfPerson', {
  params: { person: c.int8, course: nullable(c.text), objective: nullable(c.text) },
  row: targetRow,
  text: `
    select ${targetColumns} from ${targetTables}, lateral roles_in_organisation(:person, o.id) r where r.owns or r.administers`,
})

/** Locks a course, which serialises changes to its badges. */
export const lockCourse = write('badges.lockCourse', {
  params: { course: c.int8 },
  row: { id: c.int8 },
  text: `select id from courses where id = :course for no key update`,
})

export const countBadges = read('badges.count', {
  params: { course: c.int8, objective: nullable(c.int8) },
  row: { count: c.int8 },
  text: `select count(*) from badges where course_id = :course and objective_id is not distinct from :objective`,
})

/** Returns no row if the course or objective already has a badge of that name. */
export const insertBadge = write('badges.insert', {
  params: {
    key: c.text,
    course: c.int8,
    objective: nullable(c.int8),
    name: c.text,
    description: c.text,
    type: c.text,
    image: c.text,
    issuer: c.text,
    criteria: c.text,
    plugin: nullable(c.int8),
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    insert into badges (key, course_id, objective_id, name, description, type, image, issuer_name, criteria, plugin_id, created_at, changed_at)
    values (:key, :course, :objective, :name, :description, :type, :image, :issuer, :criteria, :plugin, :now, :now)
    on conflict (course_id, objective_id, name) do nothing returning id`,
})

/**
 * Changes a badge; a null field stays unchanged. Returns no row if another badge of the course or objective has that
 * name.
 */
export const changeBadge = write('badges.change', {
  params: {
    badge: c.int8,
    name: nullable(c.text),
    description: nullable(c.text),
    type: nullable(c.text),
    image: nullable(c.text),
    issuer: nullable(c.text),
    criteria: nullable(c.text),
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    update badges b set name = coalesce(:name, name), description = coalesce(:description, description), type = coalesce(:type, type),
           image = coalesce(:image, image), issuer_name = coalesce(:issuer, issuer_name), criteria = coalesce(:criteria, criteria), changed_at = :now
     where id = :badge and not exists (
       select from badges s where s.course_id = b.course_id and s.objective_id is not distinct from b.objective_id and s.name = :name and s.id <> b.id)
    returning id`,
})

export const deleteBadge = write('badges.delete', {
  params: { badge: c.int8 },
  row: { id: c.int8 },
  text: `delete from badges where id = :badge returning id`,
})

export const findBadge = read('badges.find', {
  params: { badge: c.int8 },
  row: badgeRow,
  text: `select ${badgeColumns} from ${badgeTables} where b.id = :badge`,
})

export const findByBadgeName = read('badges.findByBadgeName', {
  params: { course: c.int8, objective: nullable(c.int8), name: c.text },
  row: { id: c.int8, plugin_id: nullable(c.int8) },
  text: `
    select id, plugin_id from badges where course_id = :course and objective_id is not distinct from :objective and name = :name`,
})

/** Finds a badge that the person manages. */
export const findManaged = read('badges.findManaged', {
  params: { person: c.int8, badge: c.text },
  row: badgeRow,
  text: `
    select ${badgeColumns} from ${badgeTables}, lateral roles_in_organisation(:person, o.id) r
     where b.key = :badge and (r.owns or r.administers)`,
})

const textSize = 'octet_length(r.description) + octet_length(r.criteria)'
/** The columns of `badgeRow` for rows that are marked. */
const shortenedColumns = Object.keys(badgeRow)
  .map((column) => (column === 'description' || column === 'criteria' ? shortened('b', column) : `b.${column}`))
  .join(', ')

export const listManaged = list('badges.listManaged', {
  params: { organisation: c.int8, course: nullable(c.text), limit: c.int8, offset: c.int8 },
  row: { ...badgeRow, total: c.int8 },
  text: `
    select ${shortenedColumns}, b.total from ${markWithinBytes(
      `select ${badgeColumns}, count(*) over () as total from ${badgeTables}
        where o.id = :organisation and (:course is null or k.key = :course)
        order by k.key, j.key nulls first, b.name limit :limit offset :offset`,
      { size: textSize, order: 'r.course, r.objective nulls first, r.name' },
    )} b order by b.course, b.objective nulls first, b.name`,
})

/** Finds a badge of an organisation that the plugin has access to. */
export const findVisible = read('badges.findVisible', {
  params: { plugin: c.int8, badge: c.text },
  row: { ...badgeRow, organisation_id: c.int8 },
  text: `
    select ${badgeColumns}, o.id as organisation_id from ${badgeTables} join plugin_organisations g on g.organisation_id = o.id and g.plugin_id = :plugin
     where b.key = :badge`,
})

const VISIBLE = {
  plugin: c.int8,
  organisations: nullable(c.textArray),
  course: nullable(c.text),
  objective: nullable(c.text),
  ofObjectives: c.bool,
}
/**
 * Selects badges that the plugin may see: those of objectives if `ofObjectives` is true, otherwise those of courses.
 */
const visible = `
    select ${badgeColumns}, count(*) over () as total
      from ${badgeTables} join plugin_organisations g on g.organisation_id = o.id and g.plugin_id = :plugin
     where (b.objective_id is not null) = :ofObjectives
       and (:organisations is null or o.key = any(:organisations))
       and (:course is null or k.key = :course) and (:objective is null or j.key = :objective)
     order by k.key, j.key, b.name, b.id`
const visibleOrder = { size: textSize, order: 'r.course, r.objective, r.name, r.id' }

/** Lists as many badges as fit onto a page of PAGE_BYTES. */
export const listVisible = report('badges.listVisible', {
  params: { ...VISIBLE, limit: c.int8 },
  row: badgeRow,
  text: `
    select ${Object.keys(badgeRow).join(', ')} from ${withinBytes(`${visible} limit :limit`, visibleOrder)} b
     order by b.course, b.objective, b.name, b.id`,
})

export const listVisiblePage = report('badges.listVisiblePage', {
  params: { ...VISIBLE, limit: c.int8, offset: c.int8 },
  row: { ...badgeRow, total: c.int8 },
  text: `
    select ${shortenedColumns}, b.total from ${markWithinBytes(`${visible} limit :limit offset :offset`, visibleOrder)} b
     order by b.course, b.objective, b.name, b.id`,
})

/** Tells whether the lesson, class and version named in an assertion belong to the badge's course. */
export const findContext = read('badges.findContext', {
  params: { course: c.int8, lesson: nullable(c.text), class: nullable(c.text), version: nullable(c.text) },
  row: { has_lesson: c.bool, has_class: c.bool, has_version: c.bool },
  text: `
    select :lesson is null or exists (select from lessons where key = :lesson and course_id = :course) as has_lesson,
           :class is null or exists (select from classes where key = :class and course_id = :course) as has_class,
           :version is null or exists (select from course_versions where course_id = :course and number::text = :version) as has_version`,
})

const heldRow = {
  id: c.int8,
  owner_id: nullable(c.int8),
  badge_key: c.text,
  name: c.text,
  type: c.text,
  image: c.text,
  issuer_name: c.text,
  issued_at: c.instant,
  lesson: nullable(c.text),
  class: nullable(c.text),
  version: nullable(c.text),
  organisation: nullable(c.text),
  asserted_by: nullable(c.text),
}
const heldColumns = `
  a.id, a.owner_id, a.badge_key, a.name, a.type, a.image, a.issuer_name, a.issued_at, a.lesson, a.class, a.version, o.key as organisation, a.asserted_by`
const heldTables = `badge_assertions a left join organisations o on o.id = a.organisation_id`

/**
 * Returns no row if the person already has the badge, was deleted, or has the maximum number of badges from this
 * plugin.
 */
export const insertAssertion = write('badges.insertAssertion', {
  params: {
    person: c.int8,
    owner: nullable(c.int8),
    key: c.text,
    badge: nullable(c.int8),
    organisation: nullable(c.int8),
    name: c.text,
    type: c.text,
    image: c.text,
    issuer: c.text,
    issued: c.timestamptz,
    lesson: nullable(c.text),
    class: nullable(c.text),
    version: nullable(c.text),
    client: c.text,
    most: c.int8,
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    insert into badge_assertions (person_id, owner_id, badge_key, badge_id, organisation_id, name, type, image, issuer_name, issued_at,
      lesson, class, version, asserted_by, created_at)
    select p.id, :owner, :key, (select b.id from badges b where b.id = :badge for key share), :organisation, :name, :type, :image, :issuer, :issued, :lesson, :class, :version, :client, :now
      from (select id from people where id = :person for key share) p
     where (select count(*) from badge_assertions where person_id = :person and asserted_by = :client) < :most
    on conflict do nothing returning id`,
})

export const findAssertion = read('badges.findAssertion', {
  params: { person: c.int8, owner: nullable(c.int8), key: c.text },
  row: heldRow,
  text: `
    select ${heldColumns} from ${heldTables}
     where a.person_id = :person and a.owner_id is not distinct from :owner and a.badge_key = :key`,
})

/** Selects the person's badges that a plugin may see, newest first. */
const seenByPlugin = `
    select ${heldColumns}, count(*) over () as total from ${heldTables}
     where a.person_id = :person and plugin_sees_assertion(:plugin, a) order by a.issued_at desc, a.id desc`

/** Lists as many of the newest of them as fit onto a page of PAGE_BYTES. */
export const listAssertions = list('badges.listAssertions', {
  params: { plugin: c.int8, person: c.int8 },
  row: heldRow,
  text: `
    select ${Object.keys(heldRow).join(', ')} from ${withinBytes(seenByPlugin, {
      size: 'octet_length(r.image) + octet_length(r.name)',
      order: 'r.issued_at desc, r.id desc',
    })} a order by a.issued_at desc, a.id desc`,
})

export const listAssertionsPage = list('badges.listAssertionsPage', {
  params: { plugin: c.int8, person: c.int8, limit: c.int8, offset: c.int8 },
  row: { ...heldRow, total: c.int8 },
  text: `${seenByPlugin} limit :limit offset :offset`,
})

export const listHeld = list('badges.listHeld', {
  params: { person: c.int8, limit: c.int8, offset: c.int8 },
  row: { ...heldRow, total: c.int8 },
  text: `
    select ${heldColumns}, count(*) over () as total from ${heldTables}
     where a.person_id = :person order by a.issued_at desc, a.id desc limit :limit offset :offset`,
})

export const exportHeld = report('badges.exportHeld', {
  params: { person: c.int8 },
  row: heldRow,
  text: `select ${heldColumns} from ${heldTables} where a.person_id = :person order by a.id`,
})

/**
 * Awards the badges that these students have earned in their courses or, if `badge` is given, only that badge. An award
 * replaces a plugin's assertion of the same badge, but not an earlier award.
 */
export const awardEarned = write('badges.awardEarned', {
  params: { enrolments: c.json, badge: nullable(c.int8), now: c.timestamptz },
  row: {
    id: c.int8,
    person_id: c.int8,
    badge_id: nullable(c.int8),
    badge_key: c.text,
    organisation_id: nullable(c.int8),
  },
  text: `
    insert into badge_assertions (person_id, badge_key, badge_id, organisation_id, name, type, image, issuer_name, issued_at, class, version, created_at)
    select distinct on (e.person_id, b.id)
           e.person_id, b.key, b.id, k.organisation_id, b.name, b.type, b.image, b.issuer_name, :now::timestamptz, c.key, v.number::text, :now::timestamptz
      from json_array_elements_text(:enrolments) w(id) join enrolments e on e.id = w.id::bigint
      join classes c on c.id = e.class_id join courses k on k.id = c.course_id join course_versions v on v.id = c.version_id
      join badges b on b.course_id = c.course_id
     where (:badge is null or b.id = :badge)
       and not exists (select from badge_assertions a where a.person_id = e.person_id and a.owner_id is null and a.badge_key = b.key and a.asserted_by is null)
       and badge_met(b, e.id, c.version_id)
     order by e.person_id, b.id, e.id
    on conflict (person_id, owner_id, badge_key) do update
      set badge_id = excluded.badge_id, organisation_id = excluded.organisation_id, name = excluded.name, type = excluded.type, image = excluded.image,
          issuer_name = excluded.issuer_name, issued_at = excluded.issued_at, lesson = null, class = excluded.class, version = excluded.version,
          asserted_by = null, created_at = excluded.created_at
    where badge_assertions.asserted_by is not null
    returning id, person_id, badge_id, badge_key, organisation_id`,
})

/** Lists a batch of the students of the badge's course, by enrolment id. */
export const listStudents = read('badges.listStudents', {
  params: { badge: c.int8, after: c.int8, limit: c.int8 },
  row: { id: c.int8 },
  gather: false,
  text: `
    select e.id from badges b join classes c on c.course_id = b.course_id join enrolments e on e.class_id = c.id
     where b.id = :badge and e.id > :after order by e.id limit :limit`,
})

/** Returns those of the given organisations that the plugin has access to. */
export const listAccessible = read('badges.listAccessible', {
  params: { plugin: c.int8, keys: c.textArray },
  row: { key: c.text },
  text: `
    select o.key from organisations o join plugin_organisations g on g.organisation_id = o.id and g.plugin_id = :plugin
     where o.key = any(:keys)`,
})
