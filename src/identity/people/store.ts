import { estimateRows } from '../../kernel/database/estimates.ts'
import { deleteOlder } from '../../kernel/database/retention.ts'
import { c, nullable, read, write } from '../../kernel/database/statement.ts'

/** SQL: finds the person with this handle or this confirmed e-mail address. No handle has the form of an address. */
const named = (columns: string): string => `
    select ${columns} from people where handle_key = :handle and not anonymous
    union all
    select ${columns} from people where lower(email) = :handle and email_confirmed_at is not null`

export const findForSignIn = read('people.findForSignIn', {
  params: { handle: c.text },
  row: {
    id: c.int8,
    epoch: c.int4,
    handle_key: c.text,
    password_hash: nullable(c.text),
    disabled_at: nullable(c.timestamptz),
  },
  text: named('id, epoch, handle_key, password_hash, disabled_at'),
})

export const lockForSignIn = write('people.lockForSignIn', {
  params: { id: c.int8, epoch: c.int4 },
  row: { id: c.int8 },
  text: `select id from people where id = :id and epoch = :epoch and disabled_at is null for share`,
})

export const findByHandle = read('people.findByHandle', {
  params: { handle: c.text },
  row: { id: c.int8, handle: c.text, administrator: c.bool, developer: c.bool, disabled_at: nullable(c.timestamptz) },
  text: `select id, handle, administrator, developer, disabled_at from people where handle_key = :handle`,
})

/** Locks an account, so that signing in and other changes wait until the transaction ends. */
export const lockForChange = write('people.lockForChange', {
  params: { id: c.int8, epoch: c.int4 },
  row: { id: c.int8 },
  text: `select id from people where id = :id and epoch = :epoch and disabled_at is null for no key update`,
})

export const setPassword = write('people.setPassword', {
  params: { id: c.int8, hash: c.text },
  row: { epoch: c.int4, handle: c.text, handle_key: c.text },
  text: `
    update people set password_hash = :hash, epoch = epoch + 1, unclaimed = false, invited_until = null
     where id = :id returning epoch, handle, handle_key`,
})

/** Removes the password of a person, and an address that nobody has confirmed. */
export const dropCredentials = write('people.dropCredentials', {
  params: { id: c.int8 },
  row: { epoch: c.int4, handle: c.text, handle_key: c.text },
  text: `
    update people set password_hash = null, epoch = epoch + 1, unclaimed = false, invited_until = null,
                      email = case when email_confirmed_at is not null then email end
     where id = :id returning epoch, handle, handle_key`,
})

/**
 * Replaces an imported hash with our own hash of the same password, so the epoch and the sessions stay. Updates no row
 * if a new password was set meanwhile.
 */
export const replaceImportedHash = write('people.replaceImportedHash', {
  params: { person: c.int8, imported: c.text, hash: c.text },
  row: { id: c.int8 },
  text: `update people set password_hash = :hash where id = :person and password_hash = :imported returning id`,
})

/** Reads all columns of a person except the password hash. */
export const findWhole = read('people.findWhole', {
  params: { id: c.int8 },
  row: {
    handle: c.text,
    first_name: c.text,
    last_name: c.text,
    email: nullable(c.text),
    email_confirmed_at: nullable(c.timestamptz),
    country: nullable(c.text),
    date_of_birth: nullable(c.text),
    gender: nullable(c.text),
    position: nullable(c.text),
    account_kind: nullable(c.text),
    service: c.json,
    public_search: c.bool,
    camera_disabled: c.bool,
    proximity_friends: c.bool,
    administrator: c.bool,
    developer: c.bool,
    has_password: c.bool,
    invited_until: nullable(c.timestamptz),
    managed_by: nullable(c.text),
    created_at: c.timestamptz,
    organisations: c.json,
  },
  text: `
    select handle, first_name, last_name, email, email_confirmed_at, country, to_char(date_of_birth, 'YYYY-MM-DD') as date_of_birth, gender,
           position, account_kind, service, public_search, camera_disabled, proximity_friends, administrator, developer,
           password_hash is not null as has_password, invited_until,
           (select o.key from organisations o where o.id = people.managed_by) as managed_by, created_at,
           (select coalesce(json_agg(json_build_object('key', o.key, 'name', o.name, 'role', m.role) order by o.key), '[]')
              from organisation_members m join organisations o on o.id = m.organisation_id
             where m.person_id = people.id) as organisations
      from people where id = :id`,
})

export const findEmail = read('people.findEmail', {
  params: { id: c.int8 },
  row: { email: nullable(c.text) },
  text: `select email from people where id = :id`,
})

/** Disables or enables an account. A person whose removal has begun stays disabled. */
export const setDisabled = write('people.setDisabled', {
  params: { id: c.int8, at: nullable(c.timestamptz) },
  row: { id: c.int8 },
  text: `
    update people set disabled_at = coalesce(:at, leaving_at), epoch = epoch + 1 where id = :id returning id`,
})

export const insertPerson = write('people.insert', {
  params: {
    handle: c.text,
    key: c.text,
    first: c.text,
    last: c.text,
    email: nullable(c.text),
    born: nullable(c.text),
    passwordHash: nullable(c.text),
    administrator: c.bool,
    developer: c.bool,
    unclaimed: c.bool,
    manager: nullable(c.int8),
    keys: c.textArray,
    version: c.int4,
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    insert into people (handle, handle_key, first_name, last_name, email, date_of_birth, password_hash, administrator, developer,
                        unclaimed, managed_by, search_keys, search_version, created_at)
    values (:handle, :key, :first, :last, :email, to_date(:born, 'YYYY-MM-DD'), :passwordHash, :administrator, :developer,
            :unclaimed, :manager, :keys, :version, :now)
    on conflict (handle_key) do nothing returning id`,
})

/** Reads a page of people sorted by handle, starting after `:after`. */
export const listPeople = read('people.list', {
  params: { after: c.text, limit: c.int8 },
  row: {
    handle: c.text,
    handle_key: c.text,
    first_name: c.text,
    last_name: c.text,
    administrator: c.bool,
    developer: c.bool,
    has_password: c.bool,
    disabled_at: nullable(c.timestamptz),
  },
  text: `
    select handle, handle_key, first_name, last_name, administrator, developer,
           password_hash is not null as has_password, disabled_at
      from people where handle_key > :after and not anonymous order by handle_key limit :limit`,
})

/**
 * Tries to take the lock for reset requests of this handle, whether or not the handle exists. Does not wait if another
 * request holds it.
 */
export const takeResetTurn = write('people.takeResetTurn', {
  params: { handle: c.text },
  row: { is_free: c.bool },
  text: `
    select pg_try_advisory_xact_lock(hashtextextended('groundschool.reset.' || current_schema() || '.' || :handle, 0)) as is_free`,
})

export const findForReset = read('people.findForReset', {
  params: { handle: c.text },
  row: { id: c.int8, handle: c.text, email: nullable(c.text) },
  text: named('id, handle, email'),
})

/** Filters these people to those with an e-mail address and neither a password nor a valid link. */
export const findUninvited = read('people.findUninvited', {
  params: { handles: c.textArray, now: c.timestamptz },
  row: { id: c.int8, handle: c.text, key: c.text, email: nullable(c.text) },
  gather: false,
  text: `
    select p.id, p.handle, p.handle_key as key, p.email from people p
     where p.handle_key = any(:handles) and p.password_hash is null and p.email is not null and p.disabled_at is null
       and not p.anonymous and not exists (
         select from password_resets r
          where r.person_id = p.id and r.epoch = p.epoch and r.used_at is null and r.expires_at > :now)
     order by p.id`,
})

/**
 * Inserts a reset link. Inserts no row if the person is disabled or already has `:most` links created since `:since`.
 */
export const insertReset = write('people.insertReset', {
  params: {
    hash: c.bytea,
    person: c.int8,
    now: c.timestamptz,
    expires: c.timestamptz,
    since: c.timestamptz,
    most: c.int8,
    sentTo: nullable(c.text),
  },
  row: { person_id: c.int8 },
  text: `
    insert into password_resets (code_hash, person_id, epoch, created_at, expires_at, sent_to)
    select :hash, p.id, p.epoch, :now, :expires, :sentTo from people p
     where p.id = :person and p.disabled_at is null
       and (select count(*) from password_resets r where r.person_id = p.id and r.created_at > :since) < :most
    returning person_id`,
})

export const findReset = read('people.findReset', {
  params: { hash: c.bytea },
  row: {
    person_id: c.int8,
    epoch: c.int4,
    expires_at: c.timestamptz,
    used_at: nullable(c.timestamptz),
    handle: c.text,
    name: c.text,
    is_current: c.bool,
    has_credentials: c.bool,
  },
  text: `
    select r.person_id, r.epoch, r.expires_at, r.used_at, p.handle, trim(p.first_name || ' ' || p.last_name) as name,
           p.epoch = r.epoch and p.disabled_at is null as is_current,
           p.password_hash is not null or exists (select from passkeys k where k.person_id = p.id) as has_credentials
      from password_resets r join people p on p.id = r.person_id where r.code_hash = :hash`,
})

/** Marks a link as used. If several requests use it concurrently, only one gets the row. */
export const takeReset = write('people.takeReset', {
  params: { hash: c.bytea, epoch: c.int4, now: c.timestamptz },
  row: { person_id: c.int8, sent_to: nullable(c.text) },
  text: `
    update password_resets set used_at = :now
     where code_hash = :hash and epoch = :epoch and used_at is null and expires_at > :now returning person_id, sent_to`,
})

export const deleteOldResets = deleteOlder('people.deleteOldResets', {
  table: 'password_resets',
  key: { code_hash: c.bytea },
  by: 'expires_at',
})

/** Inserts an anonymous person, who can use only the session that is created together with the account. */
export const insertAnonymous = write('people.insertAnonymous', {
  params: { handle: c.text, key: c.text, born: c.text, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into people (handle, handle_key, date_of_birth, anonymous, created_at)
    values (:handle, :key, to_date(:born, 'YYYY-MM-DD'), true, :now) returning id`,
})

/**
 * Locks a person who is about to be removed or disabled, so that nobody can sign in as them until the transaction ends.
 * Also locks the children in their care, who may have to be hidden. Locks in ascending order of id, to avoid deadlocks.
 */
export const lockForRemoval = write('people.lockForRemoval', {
  params: { id: c.int8 },
  row: {
    id: c.int8,
    handle: c.text,
    handle_key: c.text,
    email: nullable(c.text),
    date_of_birth: nullable(c.text),
    anonymous: c.bool,
    epoch: c.int4,
    is_disabled: c.bool,
    is_leaving: c.bool,
    created_at: c.timestamptz,
  },
  text: `
    select id, handle, handle_key, email, to_char(date_of_birth, 'YYYY-MM-DD') as date_of_birth, anonymous, epoch,
           disabled_at is not null as is_disabled, leaving_at is not null as is_leaving, created_at
      from people where id = any(array(select child_id from guardians where parent_id = :id) || :id)
     order by id for update`,
})

/** Marks the person as leaving. From now on nobody can sign in as them, and earlier proofs of identity are invalid. */
export const startLeaving = write('people.startLeaving', {
  params: { id: c.int8, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update people set leaving_at = :now, disabled_at = coalesce(disabled_at, :now), epoch = epoch + 1
     where id = :id returning id`,
})

export const listLeaving = read('people.listLeaving', {
  params: { limit: c.int8 },
  row: { id: c.int8 },
  text: `select id from people where leaving_at is not null order by id limit :limit`,
})

export const retireHandle = write('people.retireHandle', {
  params: { key: c.text, until: c.timestamptz },
  row: { until: c.timestamptz },
  text: `
    insert into retired_handles (handle_hash, until) values (sha256(convert_to(:key, 'UTF8')), :until)
    on conflict (handle_hash) do update set until = excluded.until returning until`,
})

export const findRetired = read('people.findRetired', {
  params: { key: c.text, now: c.timestamptz },
  row: { until: c.timestamptz },
  text: `select until from retired_handles where handle_hash = sha256(convert_to(:key, 'UTF8')) and until > :now`,
})

export const deleteOldRetired = deleteOlder('people.deleteOldRetired', {
  table: 'retired_handles',
  key: { handle_hash: c.bytea },
  by: 'until',
})

export const findHasPassword = read('people.findHasPassword', {
  params: { id: c.int8 },
  row: { has_password: c.bool },
  text: `select password_hash is not null as has_password from people where id = :id`,
})

/**
 * Locks the app users of a person, so that nobody can give them access to anything until the transaction ends. Locks in
 * ascending order of app id, so that two concurrent removals cannot deadlock on the storage of the apps.
 */
export const lockUsersForRemoval = write('people.lockUsersForRemoval', {
  params: { person: c.int8 },
  row: { app_id: c.int8, user_id: c.text },
  text: `select app_id, user_id from app_users where person_id = :person order by app_id for update`,
})

/**
 * Deletes a person. The deletion cascades to everything that belongs to them alone: app users, sessions, tokens, codes,
 * browsers, passkeys, messages.
 */
export const deletePerson = write('people.delete', {
  params: { id: c.int8 },
  row: { id: c.int8 },
  text: `delete from people where id = :id returning id`,
})

/** Updates the columns that each row contains; other columns keep their values. */
export const changePeople = write('people.change', {
  params: { rows: c.json },
  row: { id: c.int8 },
  text: `
    update people p
       set (handle, first_name, last_name, email, country, date_of_birth, gender, position, account_kind, service,
            public_search, camera_disabled, proximity_friends, administrator, developer, password_hash, search_keys,
            search_version, epoch, email_confirmed_at, unclaimed, invited_until) = (
         select n.handle, n.first_name, n.last_name, n.email, n.country, n.date_of_birth, n.gender, n.position, n.account_kind, n.service,
                n.public_search, n.camera_disabled, n.proximity_friends, n.administrator, n.developer, n.password_hash, n.search_keys,
                n.search_version, p.epoch + (n.password_hash is distinct from p.password_hash)::int,
                case when n.email is not distinct from p.email then p.email_confirmed_at end,
                p.unclaimed and n.password_hash is null,
                case when n.password_hash is null and n.email is not distinct from p.email then p.invited_until end
           from json_populate_record(p, r.change) n)
      from json_array_elements(:rows) as r(change) where p.id = (r.change ->> 'id')::int8 returning p.id`,
})

export const endResets = write('people.endResets', {
  params: { person: c.int8, now: c.timestamptz },
  row: { person_id: c.int8 },
  text: `update password_resets set used_at = :now where person_id = :person and used_at is null returning person_id`,
})

export const countImage = write('people.countImage', {
  params: { kind: c.text, person: c.int8, epoch: c.int4 },
  row: { id: c.int8 },
  text: `
    update people set picture_version = picture_version + (:kind = 'picture')::int,
                      cover_version = cover_version + (:kind = 'cover')::int
     where id = :person and epoch = :epoch and disabled_at is null returning id`,
})

export const startEpoch = write('people.startEpoch', {
  params: { person: c.int8, epoch: c.int4 },
  row: { epoch: c.int4 },
  text: `update people set epoch = epoch + 1 where id = :person and epoch = :epoch returning epoch`,
})

export const raiseEpoch = write('people.raiseEpoch', {
  params: { id: c.int8 },
  row: { id: c.int8 },
  text: `update people set epoch = epoch + 1 where id = :id returning id`,
})

/** Lists people whose search keys an older version of the rules produced. */
export const listOutdated = read('people.listOutdated', {
  params: { version: c.int4, limit: c.int8 },
  row: { id: c.int8, handle: c.text, first_name: c.text, last_name: c.text },
  text: `
    select id, handle, first_name, last_name from people
     where search_version < :version and not anonymous order by search_version limit :limit`,
})

/** Stores new search keys. Updates no row if the names have changed since the keys were computed. */
export const renewKeys = write('people.renewKeys', {
  params: { id: c.int8, handle: c.text, first: c.text, last: c.text, keys: c.textArray, version: c.int4 },
  row: { id: c.int8 },
  text: `
    update people set search_keys = :keys, search_version = :version
     where id = :id and handle = :handle and first_name = :first and last_name = :last returning id`,
})

export const estimatePeople = estimateRows('people.estimate', 'people')
