import { c, nullable, read, report } from '../../kernel/database/statement.ts'
import { contains } from '../../kernel/database/words.ts'

const appRow = {
  client_id: c.text,
  name: c.text,
  owner: nullable(c.text),
  is_public: c.bool,
  status: c.text,
}
const appColumns = 'a.client_id, a.name, coalesce(o.name, w.handle) as owner, a.public_client as is_public, a.status'
/** The apps that can deliver lessons of an organisation: its own, and approved ones of others. Plugins cannot. */
const lessonApps = `
      apps a left join organisations o on o.id = a.organisation_id left join people w on w.id = a.owner_id
     where (a.status = 'approved' or o.key = :organisation) and not exists (select from plugins p where p.app_id = a.id)`

/** Lists apps by name, those of the organisation first. */
export const listApps = report('courses.listApps', {
  params: { organisation: c.text, words: c.textArray, limit: c.int8, offset: c.int8 },
  row: { ...appRow, total: c.int8 },
  text: `
    select ${appColumns}, count(*) over () as total
      from ${lessonApps} and ${contains(`a.name || ' ' || a.client_id`)}
     order by coalesce(o.key = :organisation, false) desc, a.name, a.client_id limit :limit offset :offset`,
})

export const findApp = read('courses.findApp', {
  params: { organisation: c.text, client: c.text },
  row: { id: c.int8, ...appRow, uris: c.textArray },
  gather: false,
  text: `
    select a.id, ${appColumns}, array(select u.uri from app_redirect_uris u where u.app_id = a.id order by u.uri) as uris
      from ${lessonApps} and a.client_id = :client`,
})
