import { c, nullable, read } from '../../kernel/database/statement.ts'

/**
 * Lists the lessons and objectives of classes, and of the newest versions of courses. An objective has one row for each
 * of its lessons.
 */
export const listContents = read('classes.listContents', {
  params: { classes: c.int8Array, courses: c.textArray },
  row: { owner: c.text, lesson: c.text, lesson_kind: c.text, parent: nullable(c.text), objective: c.text },
  gather: false,
  text: `
    with owners as (
      select 'class ' || c.key as owner, c.version_id from classes c where c.id = any(:classes)
      union all select 'course ' || k.key, k.version_id from courses k where k.key = any(:courses)
    )
    select o.owner, l.key as lesson, v.kind as lesson_kind, p.key as parent, '' as objective
      from owners o join lesson_versions v on v.version_id = o.version_id join lessons l on l.id = v.lesson_id left join lessons p on p.id = v.parent_id
    union all
    select o.owner, l.key, '', null, b.key
      from owners o join objective_versions v on v.version_id = o.version_id join objectives b on b.id = v.objective_id
      join lessons l on l.id = any(v.lessons)`,
})
