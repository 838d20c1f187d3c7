import { sortedBy } from '../../kernel/database/orders.ts'
import { c, nullable, read, report, write } from '../../kernel/database/statement.ts'
import { contains } from '../../kernel/database/words.ts'

const SHOWN = {
  id: c.int8,
  client_id: c.text,
  name: c.text,
  organisation: nullable(c.text),
  organisation_name: nullable(c.text),
  owner: nullable(c.text),
  status: c.text,
  status_reason: nullable(c.text),
  public_client: c.bool,
  redirect_uris: c.textArray,
  launch_uri: nullable(c.text),
  origins: c.textArray,
  post_logout_redirect_uris: c.textArray,
  backchannel_logout_uri: nullable(c.text),
  backchannel_logout_session_required: c.bool,
  scopes: nullable(c.textArray),
  secrets: c.text,
  users: c.int8,
  blocks_used: c.int8,
  blocks_limit: c.int8,
  records_bytes: c.int8,
  created_at: c.instant,
  token_auth_method: nullable(c.text),
  public_keys: nullable(c.json),
  id_token_algorithm: nullable(c.text),
}
const shown = `
  a.id, a.client_id, a.name, o.key as organisation, o.name as organisation_name, w.handle as owner, a.status, a.public_client,
  case when a.status = 'suspended' then
    (select e.detail->>'reason' from audit_entries e where e.app_id = a.id and e.action = 'app.suspended' order by e.at desc, e.id desc limit 1)
  end as status_reason,
  array(select uri from app_redirect_uris where app_id = a.id order by uri) as redirect_uris, a.launch_uri,
  array(select origin from app_origins where app_id = a.id order by origin) as origins,
  coalesce(a.post_logout_redirect_uris, '{}') as post_logout_redirect_uris, a.backchannel_logout_uri,
  coalesce(a.backchannel_logout_session_required, false) as backchannel_logout_session_required, a.scopes,
  (select coalesce(json_agg(json_build_object('createdDate', s.created_at, 'lastUsedDate', s.last_used_at) order by s.id), '[]')
     from app_secrets s where s.app_id = a.id)::text as secrets,
  (select count(*) from app_users u where u.app_id = a.id and u.withdrawn_at is null and u.allowed_at is not null) as users,
  g.blocks_used, g.blocks_limit, a.created_at, a.token_auth_method, a.public_keys, a.id_token_algorithm,
  coalesce((select h.bytes from shares h where h.app_id = a.id and h.person_id is null), 0) as records_bytes`
/** SQL: the apps that the person may manage. Leaves out plugins, which are also apps but have their own operations. */
const from = `
  apps a join app_storage g on g.app_id = a.id left join organisations o on o.id = a.organisation_id
  left join people w on w.id = a.owner_id, lateral develops(:person, a) r
  where r.develops and not exists (select from plugins p where p.app_id = a.id)`

export const findManaged = read('apps.findManaged', {
  params: { person: c.int8, client: c.text },
  row: SHOWN,
  gather: false,
  text: `select ${shown} from ${from} and a.client_id = :client`,
})

export const listManaged = report('apps.listManaged', {
  params: { person: c.int8, organisation: nullable(c.text), status: nullable(c.text), limit: c.int8, offset: c.int8 },
  row: { ...SHOWN, total: c.int8 },
  text: `
    select ${shown}, count(*) over () as total from ${from}
       and (:organisation is null or o.key = :organisation) and (:status is null or a.status = :status)
     order by a.name, a.client_id limit :limit offset :offset`,
})

export const findByName = report('apps.findByName', {
  params: { person: c.int8, words: c.textArray, limit: c.int8 },
  row: { id: c.text, name: c.text, about: c.text },
  text: `
    select a.client_id as id, a.name, a.client_id as about from ${from} and ${contains(`a.name || ' ' || a.client_id`)}
     order by a.name, a.client_id limit :limit`,
})

/** Locks the app until the transaction ends. */
export const holdApp = write('apps.hold', {
  params: { client: c.text },
  row: { id: c.int8, changed_at: nullable(c.timestamptz) },
  text: `select id, changed_at from apps where client_id = :client for update`,
})

/** Lists approved apps that await review, with their audit entries since the last decision or review. */
export const listChanged = report('apps.listChanged', {
  params: { limit: c.int8, offset: c.int8 },
  row: {
    client_id: c.text,
    name: c.text,
    organisation_name: nullable(c.text),
    owner: nullable(c.text),
    changed_at: nullable(c.instant),
    changes: c.text,
    total: c.int8,
  },
  text: `
    with changed as materialized (
      select a.*, count(*) over () as total from apps a
       where a.changed_at is not null and a.status = 'approved' and not exists (select from plugins p where p.app_id = a.id)
       order by a.changed_at, a.id limit :limit offset :offset
    ), entries as materialized (
      select e.app_id, e.id, e.at, e.action, e.detail from audit_entries e
       where e.action collate "C" in ('app.added', 'app.approved', 'app.suspended', 'app.looked-at', 'app.changed')
         and e.app_id in (select id from changed)
    )
    select c.client_id, c.name, o.name as organisation_name, w.handle as owner, c.changed_at, c.total,
           (select coalesce(json_agg(json_build_object('at', e.at, 'by', p.handle, 'detail', e.detail) order by e.id desc), '[]')
              from (select e.* from entries e
                     where e.app_id = c.id and e.action = 'app.changed'
                       and e.id > coalesce((select max(d.id) from entries d where d.app_id = c.id and d.action <> 'app.changed'), 0)
                     order by e.id desc limit 50) e
              left join people p on p.id = (e.detail->>'by')::bigint)::text as changes
      from changed c left join organisations o on o.id = c.organisation_id left join people w on w.id = c.owner_id
     order by c.changed_at, c.id`,
})

export const clearChanged = write('apps.clearChanged', {
  params: { app: c.int8 },
  row: { id: c.int8 },
  text: `update apps set changed_at = null where id = :app returning id`,
})

/** Finds an organisation. `develops` says whether the person may create apps for it. */
export const findOrganisation = read('apps.findOrganisation', {
  params: { person: c.int8, organisation: c.text, developers: c.textArray },
  row: { id: c.int8, develops: c.bool },
  text: `
    select o.id, r.owns or r.administers or exists (
             select from organisation_members m where m.organisation_id = o.id and m.person_id = :person and m.role = any(:developers)) as develops
      from organisations o, lateral roles_in_organisation(:person, o.id) r
     where o.key = :organisation`,
})

/** Condition for the users who have allowed the app. The index `app_users_by_consent` has it too. */
const allowed = 'u.app_id = :app and u.withdrawn_at is null and u.allowed_at is not null'

/** Lists the users who have allowed the app. `last_seen` is computed only for the rows of the page. */
export const listUsers = sortedBy({ since: ['u.consented_at', 'u.user_id'] }, (order, suffix) =>
  report(`apps.listUsers${suffix}`, {
    params: { app: c.int8, limit: c.int8, offset: c.int8 },
    row: {
      user_id: c.text,
      consented_at: c.instant,
      anonymous: c.bool,
      last_seen: nullable(c.instant),
      total: c.int8,
    },
    text: `
    select u.user_id, u.consented_at, p.anonymous, (select count(*) from app_users u where ${allowed}) as total,
           (select max(s.refreshed_at) from sessions s where s.user_id = u.user_id) as last_seen
      from (select u.* from app_users u where ${allowed} order by ${order} limit :limit offset :offset) u
      join people p on p.id = u.person_id
     order by ${order}`,
  }),
)
