import { withinBytes } from '../../kernel/database/page-bytes.ts'
import { c, list, nullable, read, write } from '../../kernel/database/statement.ts'

/** The position of the state of a package as a whole. */
export const WHOLE = -1

/** Lists the items of a package after a position, up to PAGE_BYTES of them. */
export const listItems = list('scorm.listItems', {
  params: { package: c.int8, after: c.int4 },
  row: { position: c.int4, parent: nullable(c.int4), kind: c.text, item: c.json, found: c.int8 },
  text: `
    select position, parent, kind, item, found from ${withinBytes(
      'select position, parent, kind, item from package_items where package_id = :package and position > :after order by position',
      { size: 'octet_length(r.item::text)', order: 'r.position' },
    )} d order by position`,
})

export const findPackage = list('scorm.findPackage', {
  params: { package: c.int8 },
  row: { title: c.text, structure: c.json },
  text: `select title, structure from packages where id = :package`,
})

export const findLearner = read('scorm.findLearner', {
  params: { person: c.int8 },
  row: { handle: c.text, first_name: c.text, last_name: c.text },
  text: `select handle, first_name, last_name from people where id = :person`,
})

/** Lists the saved states of a registration after a position, up to PAGE_BYTES of them. */
export const listStates = list('scorm.listStates', {
  params: { registration: c.int8, after: c.int4 },
  row: {
    position: c.int4,
    cmi: nullable(c.json),
    is_suspended: c.bool,
    is_satisfied: c.bool,
    found: c.int8,
  },
  text: `
    select position, cmi, is_suspended, is_satisfied, found from ${withinBytes(
      `select s.position, s.cmi, s.is_suspended, t.satisfied_at is not null as is_satisfied
         from scorm_states s left join registration_items t on t.registration_id = s.registration_id and t.position = s.position
        where s.registration_id = :registration and s.position > :after order by s.position`,
      { size: 'coalesce(octet_length(r.cmi::text), 0)', order: 'r.position' },
    )} d order by position`,
})

export const findState = write('scorm.findState', {
  params: { registration: c.int8, position: c.int4 },
  row: {
    cmi: nullable(c.json),
    is_suspended: c.bool,
    launch_id: c.int8,
    sequence: c.int4,
    is_finished: c.bool,
    recorded: c.json,
  },
  text: `
    select cmi, is_suspended, launch_id, sequence, is_finished, recorded from scorm_states
     where registration_id = :registration and position = :position`,
})

export const saveState = write('scorm.saveState', {
  params: {
    registration: c.int8,
    position: c.int4,
    cmi: c.json,
    isSuspended: c.bool,
    launch: c.int8,
    sequence: c.int4,
    isFinished: c.bool,
    recorded: c.json,
    person: c.int8,
    now: c.timestamptz,
  },
  row: { position: c.int4 },
  text: `
    insert into scorm_states as s (registration_id, position, cmi, is_suspended, launch_id, sequence, is_finished, recorded, saved_at, share_no)
    values (:registration, :position, :cmi, :isSuspended, :launch, :sequence, :isFinished, :recorded, :now, share_of(:person, null, null))
    on conflict (registration_id, position) do update set
      cmi = excluded.cmi, is_suspended = excluded.is_suspended, launch_id = excluded.launch_id, sequence = excluded.sequence,
      is_finished = excluded.is_finished, recorded = excluded.recorded, saved_at = excluded.saved_at
    returning position`,
})

export const deleteStates = write('scorm.deleteStates', {
  params: { registration: c.int8, positions: c.int8Array },
  row: { position: c.int4 },
  text: `delete from scorm_states where registration_id = :registration and position = any(:positions::int8[]) returning position`,
})

/** Lists what SCORM packages have saved of a person, after a state. */
export const exportOfPerson = list('scorm.exportOfPerson', {
  params: { person: c.int8, registration: c.int8, position: c.int4 },
  row: {
    package: c.text,
    registration: c.uuid,
    position: c.int4,
    cmi: nullable(c.json),
    saved_at: c.timestamptz,
    registration_id: c.int8,
  },
  text: `
    select package, registration, position, cmi, saved_at, registration_id from ${withinBytes(
      `select k.title as package, g.code as registration, s.position, s.cmi, s.saved_at, s.registration_id
         from registrations g join scorm_states s on s.registration_id = g.id join packages k on k.id = g.package_id
        where g.person_id = :person and (s.registration_id, s.position) > (:registration, :position)
        order by s.registration_id, s.position limit 100`,
      { size: 'coalesce(octet_length(r.cmi::text), 0)', order: 'r.registration_id, r.position' },
    )} d order by registration_id, position`,
})
