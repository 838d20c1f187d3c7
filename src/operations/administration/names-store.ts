import { c, report } from '../../kernel/database/statement.ts'
import { fullNameOf } from './audit-log-store.ts'

export const listNamesOfPeople = report('administration.listNamesOfPeople', {
  params: { handles: c.textArray },
  row: { handle: c.text, name: c.text },
  text: `
    select p.handle, ${fullNameOf('p')} as name
      from people p where p.handle_key = any(:handles) and ${fullNameOf('p')} is not null`,
})

/** Lists the current names of records by type and key. A course that was never published has the name of its draft. */
export const listNamesOfRecords = report('administration.listNamesOfRecords', {
  params: { types: c.textArray, keys: c.textArray },
  row: { type: c.text, key: c.text, name: c.text },
  text: `
    select r.type, r.key, r.name
      from (select w.type, w.key,
                   case w.type
                     when 'course' then (select coalesce(v.name, c.draft ->> 'name') from courses c
                                           left join course_versions v on v.id = c.version_id where c.key = w.key)
                     when 'lesson' then (select v.name from lessons l join lesson_versions v on v.lesson_id = l.id
                                          where l.key = w.key order by v.version_id desc limit 1)
                     when 'objective' then (select v.name from objectives o join objective_versions v on v.objective_id = o.id
                                             where o.key = w.key order by v.version_id desc limit 1)
                     when 'education-class' then (select c.name from classes c where c.key = w.key)
                   end as name
              from unnest(:types, :keys) as w(type, key)) r
     where r.name is not null`,
})
