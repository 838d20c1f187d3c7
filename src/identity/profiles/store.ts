import { shareLimit } from '../../kernel/database/share-limit.ts'
import { c, nullable, read, write } from '../../kernel/database/statement.ts'

/** SQL: whether a person is the parent of a child born after `:born`. */
const hasChildren = (id: string): string => `
    exists (select from guardians g join people c on c.id = g.child_id
             where g.parent_id = ${id} and c.date_of_birth > to_date(:born, 'YYYY-MM-DD')) as has_children`

/** The columns of an entry, some from the app user and some from the person. */
const entry = {
  row: {
    user_id: c.text,
    handle: c.text,
    first_name: c.text,
    last_name: c.text,
    date_of_birth: nullable(c.text),
    account_kind: nullable(c.text),
    has_children: c.bool,
    country: nullable(c.text),
    picture_version: c.int4,
    cover_version: c.int4,
    anonymous: c.bool,
    camera_disabled: c.bool,
    proximity_friends: c.bool,
    service: c.json,
  },
  columns: ({ user, person, id, anonymous }: Record<'user' | 'person' | 'id' | 'anonymous', string>): string => `
    ${user}.user_id, ${person}.handle, ${person}.first_name, ${person}.last_name, ${person}.date_of_birth::text as date_of_birth,
    ${person}.account_kind,
    ${hasChildren(id)},
    ${person}.country, ${person}.picture_version, ${person}.cover_version, ${anonymous} as anonymous, ${person}.camera_disabled,
    ${person}.proximity_friends, ${person}.service`,
}
const ofUser = entry.columns({ user: 'u', person: 'p', id: 'p.id', anonymous: 'p.anonymous' })
/** `findable_users` holds all columns in one row and never contains anonymous users. */
const ofFindable = entry.columns({ user: 'f', person: 'f', id: 'f.person_id', anonymous: 'false' })

/** SQL: active users of the app, whose consent is not withdrawn and whose account is not disabled. */
const user = `people p join app_users u on u.person_id = p.id and u.app_id = :app and is_there(u, p)`

/**
 * Reads the entries of people in the given order, without inactive users. The lateral join looks up each person by
 * index; a plain join, planned while the app had few users, would scan all its users for each person.
 */
export const listEntries = read('profiles.listEntries', {
  params: { app: c.int8, people: c.int8Array, born: c.text },
  row: entry.row,
  text: `
    select found.* from unnest(:people) with ordinality as asked(id, place)
     cross join lateral (select ${ofUser} from ${user} where p.id = asked.id offset 0) found
     order by asked.place`,
})

type Params = Parameters<typeof read>[1]['params']

/**
 * SQL of another room that selects findable people. `asked` is the last part of the `with` clause; each condition in
 * `where` is one way to match rows of `asked` with `findable_users f`; `end` sets order and limit.
 */
export interface Choice<P extends Params> {
  readonly params: P
  readonly asked: string
  readonly where: readonly string[]
  readonly end: string
}

/** Builds a statement that reads the entries of the chosen people. People who can no longer be found have no row. */
export const findableEntries = <P extends Params>(name: string, { params, asked, where, end }: Choice<P>) =>
  read(name, {
    params: { ...params, app: c.int8, born: c.text },
    row: entry.row,
    text: `
    with ${asked.trim()}
    select found.* from asked cross join lateral (
      ${where.map((which) => `select ${ofFindable} from findable_users f where f.app_id = :app and ${which}`).join(' union all ')} offset 0
    ) found ${end}`,
  })

/** Reads the entry of the caller, or of another user whom the caller can find. */
export const findEntry = read('profiles.findEntry', {
  params: { app: c.int8, user: c.text, me: c.int8, born: c.text },
  row: entry.row,
  text: `
    select ${ofUser} from ${user} cross join lateral sight(:me, p.id, is_findable(p)) where u.user_id = :user and sight.may_find`,
})

/** Filters these people to those whom `:me` can find, including those whom `:me` has blocked. */
export const listOpen = read('profiles.listOpen', {
  params: { me: c.int8, people: c.int8Array },
  row: { id: c.int8 },
  text: `
    select p.id from people p
     where p.id = any(:people) and is_findable(p)
       and not exists (select from hidden_from(:me) h where h.person_id = p.id and not h.by_viewer offset 0)`,
})

export const findOwn = read('profiles.findOwn', {
  params: { app: c.int8, person: c.int8, born: c.text, trainers: c.textArray, trainees: c.textArray },
  row: {
    ...entry.row,
    email: nullable(c.text),
    gender: nullable(c.text),
    position: nullable(c.text),
    administrator: c.bool,
    developer: c.bool,
    organisation_roles: c.json,
    trainer: c.bool,
    trainee: c.bool,
  },
  text: `
    select ${ofUser}, p.email, p.gender, p.position, p.administrator, p.developer,
           coalesce(m.roles, '{}') as organisation_roles, coalesce(m.trainer, false) as trainer,
           coalesce(m.trainee, false) as trainee
      from ${user} left join lateral (
        select json_object_agg(o.key, m.role order by o.key) as roles, bool_or(lower(m.role) = any(:trainers)) as trainer,
               bool_or(lower(m.role) = any(:trainees)) as trainee
          from organisation_members m join organisations o on o.id = m.organisation_id where m.person_id = p.id
      ) m on true
     where p.id = :person`,
})

const settings = {
  handle: c.text,
  first_name: c.text,
  last_name: c.text,
  date_of_birth: nullable(c.text),
  account_kind: nullable(c.text),
  has_children: c.bool,
  country: nullable(c.text),
  gender: nullable(c.text),
  position: nullable(c.text),
  email: nullable(c.text),
  public_search: c.bool,
  has_password: c.bool,
  has_parent: c.bool,
  has_picture: c.bool,
  has_cover: c.bool,
  used_bytes: c.int8,
  limit_bytes: nullable(c.int8),
}
/** SQL: whether the person has uploaded an image of this kind. */
const hasImage = (kind: 'picture' | 'cover'): string => `
           exists (select from pictures i where i.person_id = p.id and i.kind = '${kind}') as has_${kind}`
const settingsOf = `
    select p.handle, p.first_name, p.last_name, p.date_of_birth::text as date_of_birth, p.account_kind,
           ${hasChildren('p.id')},
           p.country, p.gender, p.position, p.email, p.public_search, p.password_hash is not null as has_password,
           coalesce(p.date_of_birth > to_date(:born, 'YYYY-MM-DD'), false) and exists (
             select from guardians g join people q on q.id = g.parent_id and q.disabled_at is null where g.child_id = p.id
           ) as has_parent,${hasImage('picture')},${hasImage('cover')},
           (select coalesce(sum(s.bytes), 0)::int8 from shares s where s.person_id = p.id) as used_bytes,
           ${shareLimit('person')} as limit_bytes
      from people p where p.id = :person`

export const findSettings = read('profiles.findSettings', {
  params: { person: c.int8, born: c.text },
  row: settings,
  text: settingsOf,
})

/** Like `findSettings`, but locks the account until the transaction ends. */
export const lockSettings = write('profiles.lockSettings', {
  params: { person: c.int8, born: c.text },
  row: settings,
  text: `${settingsOf} for no key update`,
})
