import { deleteOlder } from '../../kernel/database/retention.ts'
import { c, nullable, read, write } from '../../kernel/database/statement.ts'

/** Finds out whether people can sign in with any provider. */
export const findAny = read('providers.findAny', {
  params: {},
  row: { organisation_id: c.int8 },
  text: `select organisation_id from providers where mode <> 'off' order by organisation_id limit 1`,
})

/** Finds out whether an organisation has proven an e-mail domain. */
export const findDomain = read('providers.findDomain', {
  params: { organisation: c.int8, domain: c.text },
  row: { domain: c.text },
  text: `
    select domain from organisation_domains
     where organisation_id = :organisation and domain = :domain and proven_at is not null`,
})

export const insertSignIn = write('providers.insertSignIn', {
  params: {
    hash: c.bytea,
    organisation: c.int8,
    browser: c.bytea,
    version: c.int4,
    purpose: c.text,
    person: nullable(c.int8),
    epoch: nullable(c.int4),
    next: nullable(c.text),
    isKept: c.bool,
    isFresh: c.bool,
    now: c.timestamptz,
    expires: c.timestamptz,
  },
  row: { organisation_id: c.int8 },
  text: `
    insert into provider_sign_ins
      (state_hash, organisation_id, browser_hash, version, purpose, person_id, epoch, next, is_kept, is_fresh, created_at, expires_at)
    values (:hash, :organisation, :browser, :version, :purpose, :person, :epoch, :next, :isKept, :isFresh, :now, :expires)
    returning organisation_id`,
})

/** Takes a sign-in that this browser has started. If several requests do so at once, one of them gets the row. */
export const takeSignIn = write('providers.takeSignIn', {
  params: { hash: c.bytea, browser: c.bytea, organisation: c.text, now: c.timestamptz },
  row: {
    version: c.int4,
    purpose: c.text,
    person_id: nullable(c.int8),
    epoch: nullable(c.int4),
    next: nullable(c.text),
    is_kept: c.bool,
    is_fresh: c.bool,
    created_at: c.timestamptz,
  },
  text: `
    delete from provider_sign_ins s using organisations o
     where s.state_hash = :hash and s.browser_hash = :browser and s.expires_at > :now
       and o.id = s.organisation_id and o.key = :organisation
    returning s.version, s.purpose, s.person_id, s.epoch, s.next, s.is_kept, s.is_fresh, s.created_at`,
})

export const deleteOldSignIns = deleteOlder('providers.deleteOldSignIns', {
  table: 'provider_sign_ins',
  key: { state_hash: c.bytea },
  by: 'expires_at',
})

/** Waits for other transactions that sign in the same subject, so that two of them do not create two accounts. */
export const takeSubjectTurn = write('providers.takeSubjectTurn', {
  params: { subject: c.text },
  row: { is_taken: c.bool },
  text: `
    select pg_advisory_xact_lock(hashtextextended('groundschool.provider.' || current_schema() || '.' || :subject, 0)) is not null as is_taken`,
})

/** Finds the person of a subject, who is a member of the organisation. */
export const findIdentity = read('providers.findIdentity', {
  params: { organisation: c.int8, issuer: c.text, subject: c.text },
  row: { person_id: c.int8, handle: c.text, epoch: c.int4, is_disabled: c.bool, role: c.text },
  text: `
    select i.person_id, p.handle, p.epoch, p.disabled_at is not null as is_disabled, m.role
      from provider_identities i join people p on p.id = i.person_id
      join organisation_members m on m.organisation_id = i.organisation_id and m.person_id = i.person_id
     where i.organisation_id = :organisation and i.issuer = :issuer and i.subject = :subject`,
})

/** Records a use. Updates no row if the account was disconnected meanwhile. */
export const touchIdentity = write('providers.touchIdentity', {
  params: { organisation: c.int8, issuer: c.text, subject: c.text, person: c.int8, now: c.timestamptz },
  row: { person_id: c.int8 },
  text: `
    update provider_identities set last_used_at = :now
     where organisation_id = :organisation and issuer = :issuer and subject = :subject and person_id = :person
    returning person_id`,
})

const accountRow = {
  id: c.int8,
  handle: c.text,
  epoch: c.int4,
  is_disabled: c.bool,
  is_confirmed: c.bool,
  born: nullable(c.text),
  is_claimable: c.bool,
  administrator: c.bool,
  is_member: c.bool,
  is_break_glass: c.bool,
  connected_issuer: nullable(c.text),
}
const accountColumns = `
    select p.id, p.handle, p.epoch, p.disabled_at is not null as is_disabled, p.email_confirmed_at is not null as is_confirmed,
           p.administrator, to_char(p.date_of_birth, 'YYYY-MM-DD') as born,
           p.unclaimed and coalesce(p.managed_by = :organisation, false) as is_claimable, m.role is not null as is_member,
           b.person_id is not null as is_break_glass, i.issuer as connected_issuer
      from people p left join organisation_members m on m.organisation_id = :organisation and m.person_id = p.id
      left join provider_identities i on i.organisation_id = :organisation and i.person_id = p.id
      left join break_glass_accounts b on b.organisation_id = :organisation and b.person_id = p.id`

/**
 * Finds the account of an address: one that has confirmed it or, if there is none, one that waits for the person to
 * open a link sent to it. An address that somebody typed into their profile proves nothing, and neither does one for
 * which another organisation has created an account.
 */
export const findByAddress = read('providers.findByAddress', {
  params: { organisation: c.int8, email: c.text },
  row: accountRow,
  text: `${accountColumns}
     where lower(p.email) collate "C" = lower(:email) and not p.anonymous and p.email is not null
       and (p.email_confirmed_at is not null or p.unclaimed and coalesce(p.managed_by = :organisation, true))
     order by p.email_confirmed_at is null, p.managed_by is null, p.id limit 1`,
})

export const findAccount = read('providers.findAccount', {
  params: { organisation: c.int8, person: c.int8 },
  row: accountRow,
  text: `${accountColumns} where p.id = :person`,
})

/** Deletes the connection of a person to an issuer that the organisation no longer uses. */
export const deleteFormerIdentity = write('providers.deleteFormerIdentity', {
  params: { organisation: c.int8, person: c.int8, issuer: c.text },
  row: { person_id: c.int8 },
  text: `
    delete from provider_identities where organisation_id = :organisation and person_id = :person and issuer <> :issuer
    returning person_id`,
})

/** Connects an account. Inserts no row if the subject or the account is connected already. */
export const insertIdentity = write('providers.insertIdentity', {
  params: { organisation: c.int8, issuer: c.text, subject: c.text, person: c.int8, now: c.timestamptz },
  row: { person_id: c.int8 },
  text: `
    insert into provider_identities (organisation_id, issuer, subject, person_id, linked_at, last_used_at)
    values (:organisation, :issuer, :subject, :person, :now, :now) on conflict do nothing returning person_id`,
})

export const findBreakGlass = read('providers.findBreakGlass', {
  params: { organisation: c.int8, person: c.int8 },
  row: { person_id: c.int8 },
  text: `select person_id from break_glass_accounts where organisation_id = :organisation and person_id = :person`,
})

/** Records that the settings were tested. Updates no row if they were changed meanwhile. */
export const setTested = write('providers.setTested', {
  params: {
    organisation: c.int8,
    version: c.int4,
    secret: c.bytea,
    claim: nullable(c.text),
    roles: c.text,
    now: c.timestamptz,
  },
  row: { organisation_id: c.int8 },
  text: `
    update providers set tested_version = :version, tested_at = :now
     where organisation_id = :organisation and version = :version and sealed_secret = :secret
       and groups_claim is not distinct from :claim and group_roles::text = :roles
    returning organisation_id`,
})

export const insertBrowser = write('providers.insertBrowser', {
  params: { browser: c.uuid, organisation: c.int8, sealed: c.bytea },
  row: { browser_id: c.uuid },
  text: `
    insert into provider_browsers (browser_id, organisation_id, sealed_id_token) values (:browser, :organisation, :sealed)
    on conflict (browser_id) do update
      set organisation_id = excluded.organisation_id, sealed_id_token = excluded.sealed_id_token
    returning browser_id`,
})

export const findBrowser = read('providers.findBrowser', {
  params: { browser: c.uuid },
  row: { key: c.text, sealed_id_token: c.bytea },
  text: `
    select o.key, b.sealed_id_token from provider_browsers b join organisations o on o.id = b.organisation_id
     where b.browser_id = :browser`,
})

/** Lists the organisations of a person that have a provider which they use or can use. */
export const listConnections = read('providers.listConnections', {
  params: { person: c.int8 },
  row: {
    organisation: c.text,
    name: c.text,
    issuer: c.text,
    mode: c.text,
    linked_at: nullable(c.instant),
    last_used_at: nullable(c.instant),
    is_required: c.bool,
  },
  gather: false,
  text: `
    select o.key as organisation, o.name, v.issuer, v.mode, i.linked_at, i.last_used_at,
           o.id in (select required_providers(:person)) as is_required
      from organisation_members m join organisations o on o.id = m.organisation_id
      join providers v on v.organisation_id = o.id
      left join provider_identities i on i.organisation_id = o.id and i.person_id = m.person_id and i.issuer = v.issuer
     where m.person_id = :person and (v.mode <> 'off' or i.person_id is not null) order by o.name, o.key limit 100`,
})

export const exportConnections = read('providers.exportConnections', {
  params: { person: c.int8 },
  row: { organisation: c.text, issuer: c.text, subject: c.text, linked_at: c.instant, last_used_at: c.instant },
  gather: false,
  text: `
    select o.key as organisation, i.issuer, i.subject, i.linked_at, i.last_used_at
      from provider_identities i join organisations o on o.id = i.organisation_id
     where i.person_id = :person order by i.linked_at, o.key limit 1000`,
})

/** Locks a person who disconnects an account, and reads what decides whether they may. */
export const lockForRemoval = write('providers.lockForRemoval', {
  params: { person: c.int8, epoch: c.int4 },
  row: { id: c.int8 },
  text: `select id from people where id = :person and epoch = :epoch and disabled_at is null for no key update`,
})

export const findRemovable = read('providers.findRemovable', {
  params: { person: c.int8, organisation: c.text },
  row: { organisation_id: c.int8, is_required: c.bool, has_credentials: c.bool },
  text: `
    select o.id as organisation_id, o.id in (select required_providers(:person)) as is_required,
           p.password_hash is not null or exists (select from passkeys k where k.person_id = p.id) as has_credentials
      from organisations o join provider_identities i on i.organisation_id = o.id and i.person_id = :person
      join people p on p.id = i.person_id
     where o.key = :organisation`,
})

export const deleteIdentity = write('providers.deleteIdentityOfPerson', {
  params: { organisation: c.int8, person: c.int8 },
  row: { issuer: c.text },
  text: `
    delete from provider_identities where organisation_id = :organisation and person_id = :person returning issuer`,
})

/** Deletes the connections of a person whose ways in are removed: all, or all but those that they have to use. */
export const deleteIdentities = write('providers.deleteIdentitiesOfPerson', {
  params: { person: c.int8, isAll: c.bool },
  row: { organisation: c.text, issuer: c.text },
  text: `
    delete from provider_identities i using organisations o
     where i.person_id = :person and o.id = i.organisation_id
       and (:isAll or i.organisation_id not in (select required_providers(:person)))
    returning o.key as organisation, i.issuer`,
})
