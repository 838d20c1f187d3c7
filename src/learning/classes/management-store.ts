import {
  bool,
  instant,
  int4,
  int8,
  nullable,
  read,
  report,
  text,
  timestamptz,
  write,
} from '../../kernel/database/statement.ts'

const classRow = {
  id: int8,
  class: text,
  name: text,
  join_code: nullable(text),
  is_sequential: bool,
  has_ended: bool,
  created_at: instant,
  course: text,
  course_name: text,
  description: text,
  profile_pic: nullable(text),
  cover_photo: nullable(text),
  is_public: bool,
  organisation: text,
  version: int4,
}
const classColumns = (joinCode: string) => `
    c.id, c.key as class, c.name, ${joinCode} as join_code, c.is_sequential, c.ended_at is not null as has_ended, c.created_at, k.key as course,
    v.name as course_name, v.description, v.profile_pic, v.cover_photo, v.is_public, o.key as organisation, v.number as version`
const classTables = `
    classes c join courses k on k.id = c.course_id join course_versions v on v.id = c.version_id join organisations o on o.id = k.organisation_id`

/** A class with the roles of a person in it. Only those who enrol students see its join code. */
export const findClass = read('classes.findOne', {
  params: { person: int8, class: text },
  row: {
    ...classRow,
    student: nullable(text),
    status: nullable(text),
    teaches: bool,
    observes: bool,
    manages: bool,
    owns: bool,
  },
  text: `
    select ${classColumns('case when r.teaches or r.manages then c.join_code end')}, e.key as student, e.status,
           r.teaches, r.observes, r.manages, w.owns
      from ${classTables} left join enrolments e on e.class_id = c.id and e.person_id = :person and e.status <> 'dropped',
      lateral roles_in_class(:person, c) r, lateral owns_class(:person, c) w
     where c.key = :class`,
})

/** Classes of courses that the person manages, newest first. */
export const listManaged = report('classes.listManaged', {
  params: { person: int8, organisation: nullable(text), course: nullable(text), limit: int8, offset: int8 },
  row: { ...classRow, total: int8 },
  text: `
    select ${classColumns('c.join_code')}, count(*) over () as total
      from ${classTables}, lateral roles_in_organisation(:person, o.id) r
     where (r.owns or r.administers) and (:organisation is null or o.key = :organisation) and (:course is null or k.key = :course)
     order by c.ended_at is not null, c.id desc limit :limit offset :offset`,
})

export const countByStatus = read('classes.countByStatus', {
  params: { class: int8 },
  row: { active: int8, suspended: int8, dropped: int8 },
  text: `
    select count(*) filter (where e.status = 'active') as active, count(*) filter (where e.status = 'suspended') as suspended,
           count(*) filter (where e.status = 'dropped') as dropped
      from enrolments e where e.class_id = :class`,
})

/** A limit above the size of any real staff. */
const MAX_STAFF = 2000

const staffRow = { person_id: int8, handle: text, first_name: text, last_name: text, role: text }
const staffColumns = `p.id as person_id, p.handle, p.first_name, p.last_name, s.role`

export const listStaff = read('classes.listStaff', {
  params: { class: int8 },
  row: staffRow,
  gather: false,
  text: `
    select ${staffColumns} from class_staff s join people p on p.id = s.person_id
     where s.class_id = :class order by s.role, p.handle_key limit ${MAX_STAFF}`,
})

/** No row if the id is taken. The caller has locked the course; `version` is its newest version. */
export const createClass = write('classes.create', {
  params: {
    key: text,
    course: int8,
    version: int8,
    name: text,
    sequential: bool,
    joinCode: nullable(text),
    now: timestamptz,
  },
  row: { id: int8 },
  text: `
    insert into classes (key, course_id, version_id, name, is_sequential, join_code, created_at)
    values (:key, :course, :version, :name, :sequential, :joinCode, :now) on conflict (key) do nothing returning id`,
})

export const changeClass = write('classes.change', {
  params: { class: int8, name: text, sequential: bool, joinCode: nullable(text) },
  row: { id: int8 },
  text: `
    update classes set name = :name, is_sequential = :sequential, join_code = :joinCode where id = :class returning id`,
})

/** No row if the class already is in that state. */
export const setEnded = write('classes.setEnded', {
  params: { class: int8, ended: bool, now: timestamptz },
  row: { id: int8 },
  text: `
    update classes set ended_at = case when :ended then :now end
     where id = :class and (ended_at is not null) <> :ended returning id`,
})

/** The person's role as staff, and whether they are a student of the class. */
export const findRoles = read('classes.findRoles', {
  params: { class: int8, person: int8 },
  row: { role: nullable(text), is_student: bool },
  text: `
    select (select s.role from class_staff s where s.class_id = :class and s.person_id = :person) as role,
           exists (select from enrolments e where e.class_id = :class and e.person_id = :person and e.status <> 'dropped') as is_student`,
})

export const setStaff = write('classes.setStaff', {
  params: { class: int8, person: int8, role: text },
  row: { person_id: int8 },
  text: `
    insert into class_staff as s (class_id, person_id, role) values (:class, :person, :role)
    on conflict (class_id, person_id) do update set role = excluded.role returning s.person_id`,
})

export const findStaffByHandle = read('classes.findStaffByHandle', {
  params: { class: int8, handle: text },
  row: staffRow,
  text: `
    select ${staffColumns} from people p join class_staff s on s.person_id = p.id where p.handle_key = :handle and s.class_id = :class`,
})

export const deleteStaff = write('classes.deleteStaff', {
  params: { class: int8, person: int8 },
  row: { person_id: int8 },
  text: `delete from class_staff where class_id = :class and person_id = :person returning person_id`,
})
