import { c, nullable, read, report, write } from '../../kernel/database/statement.ts'

const classRow = {
  id: c.int8,
  class: c.text,
  name: c.text,
  join_code: nullable(c.text),
  is_sequential: c.bool,
  has_ended: c.bool,
  created_at: c.instant,
  course: c.text,
  course_name: c.text,
  description: c.text,
  profile_pic: nullable(c.text),
  cover_photo: nullable(c.text),
  is_public: c.bool,
  organisation: c.text,
  version: c.int4,
}
const classColumns = (joinCode: string) => `
    c.id, c.key as class, c.name, ${joinCode} as join_code, c.is_sequential, c.ended_at is not null as has_ended, c.created_at, k.key as course,
    v.name as course_name, v.description, v.profile_pic, v.cover_photo, v.is_public, o.key as organisation, v.number as version`
const classTables = `
    classes c join courses k on k.id = c.course_id join course_versions v on v.id = c.version_id join organisations o on o.id = k.organisation_id`

/** Finds a class and the roles of a person in it. The join code is shown only to instructors and managers. */
export const findClass = read('classes.findOne', {
  params: { person: c.int8, class: c.text },
  row: {
    ...classRow,
    organisation_id: c.int8,
    version_id: c.int8,
    student: nullable(c.text),
    status: nullable(c.text),
    teaches: c.bool,
    observes: c.bool,
    manages: c.bool,
    owns: c.bool,
    has_packages: c.bool,
  },
  text: `
    select ${classColumns('case when r.teaches or r.manages then c.join_code end')}, o.id as organisation_id, c.version_id, e.key as student, e.status,
           r.teaches, r.observes, r.manages, w.owns,
           exists (select from lesson_versions l where l.version_id = c.version_id and l.package_id is not null) as has_packages
      from ${classTables} left join enrolments e on e.class_id = c.id and e.person_id = :person and e.status <> 'dropped',
      lateral roles_in_class(:person, c) r, lateral owns_class(:person, c) w
     where c.key = :class`,
})

/**
 * Lists the classes of courses that the person manages, newest first. Classes that have ended come last. The first
 * condition follows from the second, and keeps the roles in other organisations from being looked up.
 */
export const listManaged = report('classes.listManaged', {
  params: { person: c.int8, organisation: nullable(c.text), course: nullable(c.text), limit: c.int8, offset: c.int8 },
  row: { ...classRow, total: c.int8 },
  text: `
    select ${classColumns('c.join_code')}, count(*) over () as total
      from ${classTables}, lateral roles_in_organisation(:person, o.id) r
     where k.organisation_id = any(array(
             select m.organisation_id from organisation_members m where m.person_id = :person
             union select n.id from organisations n where (select p.administrator from people p where p.id = :person)))
       and (r.owns or r.administers) and (:organisation is null or o.key = :organisation) and (:course is null or k.key = :course)
     order by c.ended_at is not null, c.id desc limit :limit offset :offset`,
})

export const countByStatus = read('classes.countByStatus', {
  params: { class: c.int8 },
  row: { active: c.int8, suspended: c.int8, dropped: c.int8 },
  text: `
    select count(*) filter (where e.status = 'active') as active, count(*) filter (where e.status = 'suspended') as suspended,
           count(*) filter (where e.status = 'dropped') as dropped
      from enrolments e where e.class_id = :class`,
})

/** The maximum number of staff in a list, which no real class reaches. */
const MAX_STAFF = 2000

const staffRow = { person_id: c.int8, handle: c.text, first_name: c.text, last_name: c.text, role: c.text }
const staffColumns = `p.id as person_id, p.handle, p.first_name, p.last_name, s.role`

export const listStaff = read('classes.listStaff', {
  params: { class: c.int8 },
  row: staffRow,
  gather: false,
  text: `
    select ${staffColumns} from class_staff s join people p on p.id = s.person_id
     where s.class_id = :class order by s.role, p.handle_key limit ${MAX_STAFF}`,
})

/**
 * Creates a class. Returns no row if the id is taken. The caller has locked the course; :version is its newest version.
 */
export const createClass = write('classes.create', {
  params: {
    key: c.text,
    course: c.int8,
    version: c.int8,
    name: c.text,
    sequential: c.bool,
    joinCode: nullable(c.text),
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    insert into classes (key, course_id, version_id, name, is_sequential, join_code, created_at)
    values (:key, :course, :version, :name, :sequential, :joinCode, :now) on conflict (key) do nothing returning id`,
})

export const changeClass = write('classes.change', {
  params: { class: c.int8, name: c.text, sequential: c.bool, joinCode: nullable(c.text) },
  row: { id: c.int8 },
  text: `
    update classes set name = :name, is_sequential = :sequential, join_code = :joinCode where id = :class returning id`,
})

/** Ends or reopens a class. Returns no row if the class is already in that state. */
export const setEnded = write('classes.setEnded', {
  params: { class: c.int8, ended: c.bool, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update classes set ended_at = case when :ended then :now end
     where id = :class and (ended_at is not null) <> :ended returning id`,
})

/** Finds the person's role as staff of the class, and whether they are a student of it. */
export const findRoles = read('classes.findRoles', {
  params: { class: c.int8, person: c.int8 },
  row: { role: nullable(c.text), is_student: c.bool },
  text: `
    select (select s.role from class_staff s where s.class_id = :class and s.person_id = :person) as role,
           exists (select from enrolments e where e.class_id = :class and e.person_id = :person and e.status <> 'dropped') as is_student`,
})

export const setStaff = write('classes.setStaff', {
  params: { class: c.int8, person: c.int8, role: c.text },
  row: { person_id: c.int8 },
  text: `
    insert into class_staff as s (class_id, person_id, role) values (:class, :person, :role)
    on conflict (class_id, person_id) do update set role = excluded.role returning s.person_id`,
})

export const findStaffByHandle = read('classes.findStaffByHandle', {
  params: { class: c.int8, handle: c.text },
  row: staffRow,
  text: `
    select ${staffColumns} from people p join class_staff s on s.person_id = p.id where p.handle_key = :handle and s.class_id = :class`,
})

/** Finds a person by handle who is a student of the class. */
export const findStudentByHandle = read('classes.findStudentByHandle', {
  params: { class: c.int8, handle: c.text },
  row: { person_id: c.int8 },
  text: `
    select p.id as person_id from people p join enrolments e on e.person_id = p.id and e.class_id = :class and e.status <> 'dropped'
     where p.handle_key = :handle`,
})

/** Takes the person off the staff of all classes of an organisation. */
export const leaveStaff = write('classes.leaveStaff', {
  params: { person: c.int8, organisation: c.int8 },
  row: { class: c.text, class_id: c.int8, role: c.text },
  text: `
    delete from class_staff s using classes c, courses k
     where s.class_id = c.id and k.id = c.course_id and k.organisation_id = :organisation and s.person_id = :person
    returning c.key as class, c.id as class_id, s.role`,
})

export const deleteStaff = write('classes.deleteStaff', {
  params: { class: c.int8, person: c.int8 },
  row: { person_id: c.int8 },
  text: `delete from class_staff where class_id = :class and person_id = :person returning person_id`,
})
