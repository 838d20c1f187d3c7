import { deleteOlder } from '../../kernel/database/retention.ts'
import { c, list, nullable, type RowOf, read, write } from '../../kernel/database/statement.ts'

/** A provider with its organisation. */
const providerRow = {
  id: c.int8,
  key: c.text,
  name: c.text,
  issuer: c.text,
  client_id: c.text,
  sealed_secret: c.bytea,
  metadata: c.json,
  read_at: c.timestamptz,
  mode: c.text,
  creates_accounts: c.bool,
  groups_claim: nullable(c.text),
  group_roles: c.json,
  version: c.int4,
  tested_version: nullable(c.int4),
}
const providerColumns = `
    select o.id, o.key, o.name, v.issuer, v.client_id, v.sealed_secret, v.metadata, v.read_at, v.mode, v.creates_accounts, v.groups_claim,
           v.group_roles, v.version, v.tested_version
      from providers v join organisations o on o.id = v.organisation_id`

export const findProvider = read('providers.find', {
  params: { organisation: c.text },
  row: providerRow,
  text: `${providerColumns} where o.key = :organisation`,
})
export type ProviderRow = RowOf<typeof findProvider>

/** Finds the provider of the organisation that has proven an e-mail domain, unless the provider is off. */
export const findProviderByDomain = read('providers.findByDomain', {
  params: { domain: c.text },
  row: providerRow,
  text: `${providerColumns} join organisation_domains d on d.organisation_id = v.organisation_id
     where d.domain = :domain and d.proven_at is not null and v.mode <> 'off'`,
})

/** Reads what the owners see of a provider, in addition to its settings. */
export const findUse = read('providers.findUse', {
  params: { organisation: c.int8 },
  row: { tested_at: nullable(c.instant), people: c.int8 },
  text: `
    select v.tested_at, (select count(*) from provider_identities i where i.organisation_id = v.organisation_id and i.issuer = v.issuer) as people
      from providers v where v.organisation_id = :organisation`,
})

export const setProvider = write('providers.set', {
  params: {
    organisation: c.int8,
    issuer: c.text,
    client: c.text,
    secret: c.bytea,
    metadata: c.json,
    readAt: c.timestamptz,
    mode: c.text,
    creates: c.bool,
    claim: nullable(c.text),
    roles: c.json,
    version: c.int4,
    isTested: c.bool,
    now: c.timestamptz,
  },
  row: { version: c.int4 },
  text: `
    insert into providers as v (organisation_id, issuer, client_id, sealed_secret, metadata, read_at, mode, creates_accounts, groups_claim,
                                group_roles, version, created_at, changed_at)
    values (:organisation, :issuer, :client, :secret, :metadata, :readAt, :mode, :creates, :claim, :roles, :version, :now, :now)
    on conflict (organisation_id) do update
       set issuer = excluded.issuer, client_id = excluded.client_id, sealed_secret = excluded.sealed_secret, metadata = excluded.metadata,
           read_at = excluded.read_at, mode = excluded.mode, creates_accounts = excluded.creates_accounts,
           groups_claim = excluded.groups_claim, group_roles = excluded.group_roles, version = excluded.version,
           tested_version = case when :isTested then v.tested_version end, changed_at = :now
    returning v.version`,
})

export const setMode = write('providers.setMode', {
  params: { organisation: c.int8, mode: c.text, now: c.timestamptz },
  row: { organisation_id: c.int8 },
  text: `update providers set mode = :mode, changed_at = :now where organisation_id = :organisation returning organisation_id`,
})

/** Deletes a provider with everything that belongs to it, except for the domains. */
export const deleteProvider = write('providers.delete', {
  params: { organisation: c.int8 },
  row: { issuer: c.text, people: c.int8 },
  text: `
    with identities as (delete from provider_identities where organisation_id = :organisation returning 1),
         sign_ins as (delete from provider_sign_ins where organisation_id = :organisation),
         opened as (delete from provider_browsers where organisation_id = :organisation),
         kept as (delete from break_glass_accounts where organisation_id = :organisation)
    delete from providers where organisation_id = :organisation returning issuer, (select count(*) from identities) as people`,
})

/** Lists the owners who can sign in without the provider. `is_usable`: they have a password or a passkey. */
export const listBreakGlass = read('providers.listBreakGlass', {
  params: { organisation: c.int8 },
  row: { person_id: c.int8, handle: c.text, is_usable: c.bool },
  gather: false,
  text: `
    select b.person_id, p.handle,
           p.disabled_at is null and (p.password_hash is not null or exists (select from passkeys k where k.person_id = p.id)) as is_usable
      from break_glass_accounts b
      join organisation_members m on m.organisation_id = b.organisation_id and m.person_id = b.person_id
      join people p on p.id = b.person_id
     where b.organisation_id = :organisation and m.role = 'owner' order by p.handle_key`,
})

export const findOwners = read('providers.findOwners', {
  params: { organisation: c.int8, handles: c.textArray },
  row: { person_id: c.int8, handle_key: c.text },
  gather: false,
  text: `
    select p.id as person_id, p.handle_key from people p join organisation_members m on m.person_id = p.id
     where p.handle_key = any(:handles) and m.organisation_id = :organisation and m.role = 'owner'`,
})

/** Makes these people the only break-glass accounts. */
export const replaceBreakGlass = write('providers.replaceBreakGlass', {
  params: { organisation: c.int8, people: c.int8Array },
  row: { person_id: c.int8 },
  text: `
    with gone as (delete from break_glass_accounts where organisation_id = :organisation and person_id <> all(:people))
    insert into break_glass_accounts (organisation_id, person_id) select :organisation, unnest(:people)
    on conflict do nothing returning person_id`,
})

/** Lists the domains of an organisation. There are 50 at most. */
export const listDomains = read('providers.listDomains', {
  params: { organisation: c.int8 },
  row: { domain: c.text, challenge: c.text, proven_at: nullable(c.instant) },
  gather: false,
  text: `select domain, challenge, proven_at from organisation_domains where organisation_id = :organisation order by domain`,
})

/** Adds a domain. Returns no row if the organisation has it already. */
export const insertDomain = write('providers.insertDomain', {
  params: { organisation: c.int8, domain: c.text, challenge: c.text, now: c.timestamptz },
  row: { domain: c.text },
  text: `
    insert into organisation_domains (organisation_id, domain, challenge, created_at) values (:organisation, :domain, :challenge, :now)
    on conflict (organisation_id, domain) do nothing returning domain`,
})

export const deleteDomain = write('providers.deleteDomain', {
  params: { organisation: c.int8, domain: c.text },
  row: { is_proven: c.bool },
  text: `
    delete from organisation_domains where organisation_id = :organisation and domain = :domain returning proven_at is not null as is_proven`,
})

/** Waits for others who prove this domain. */
export const takeDomain = write('providers.takeDomain', {
  params: { domain: c.text },
  row: { is_taken: c.bool },
  text: `
    select pg_advisory_xact_lock(hashtextextended('groundschool.domain.' || current_schema() || '.' || :domain, 0)) is not null as is_taken`,
})

/** Finds the organisation that has proven a domain. */
export const findHolder = read('providers.findHolder', {
  params: { domain: c.text },
  row: { organisation_id: c.int8, key: c.text, challenge: c.text },
  text: `
    select d.organisation_id, o.key, d.challenge from organisation_domains d join organisations o on o.id = d.organisation_id
     where d.domain = :domain and d.proven_at is not null`,
})

export const setProven = write('providers.setProven', {
  params: { organisation: c.int8, domain: c.text, at: nullable(c.timestamptz) },
  row: { domain: c.text },
  text: `update organisation_domains set proven_at = :at where organisation_id = :organisation and domain = :domain returning domain`,
})

/** Lists failed sign-ins, newest first. */
export const listFailures = list('providers.listFailures', {
  params: { organisation: c.int8, limit: c.int8, offset: c.int8 },
  row: {
    at: c.instant,
    reference: c.text,
    problem: c.text,
    claim: nullable(c.text),
    found: nullable(c.text),
    expected: nullable(c.text),
    total: c.int8,
  },
  text: `
    select at, reference, problem, claim, found, expected,
           (select count(*) from provider_failures where organisation_id = :organisation) as total
      from provider_failures where organisation_id = :organisation order by id desc limit :limit offset :offset`,
})

/** Disconnects a member from the provider. Returns no row if they are not connected. */
export const deleteIdentity = write('providers.deleteIdentity', {
  params: { organisation: c.int8, handle: c.text },
  row: { person_id: c.int8, handle: c.text },
  text: `
    delete from provider_identities i using people p
     where i.organisation_id = :organisation and p.id = i.person_id and p.handle_key = :handle returning p.id as person_id, p.handle`,
})

/** Lists encrypted secrets, which are encrypted again when the key changes. */
export const listSealed = read('providers.listSealed', {
  params: { after: c.int8, limit: c.int8 },
  row: { id: c.int8, key: c.text, sealed_secret: c.bytea },
  gather: false,
  text: `
    select o.id, o.key, v.sealed_secret from providers v join organisations o on o.id = v.organisation_id
     where v.organisation_id > :after order by v.organisation_id limit :limit`,
})

/** Stores a secret that was encrypted again. Updates no row if the secret was changed meanwhile. */
export const reseal = write('providers.reseal', {
  params: { organisation: c.int8, before: c.bytea, sealed: c.bytea },
  row: { organisation_id: c.int8 },
  text: `
    update providers set sealed_secret = :sealed where organisation_id = :organisation and sealed_secret = :before returning organisation_id`,
})

/** Stores what a provider now says about itself. Updates no row if its issuer or client was changed meanwhile. */
export const setMetadata = write('providers.setMetadata', {
  params: { organisation: c.int8, version: c.int4, metadata: c.json, now: c.timestamptz },
  row: { organisation_id: c.int8 },
  text: `
    update providers set metadata = :metadata, read_at = :now where organisation_id = :organisation and version = :version
    returning organisation_id`,
})

/** Number of failures that are kept for an organisation. */
const KEPT_FAILURES = 1000

/** Stores a failed sign-in, and deletes the oldest if there are too many. */
export const insertFailure = write('providers.insertFailure', {
  params: {
    organisation: c.int8,
    now: c.timestamptz,
    reference: c.text,
    problem: c.text,
    claim: nullable(c.text),
    found: nullable(c.text),
    expected: nullable(c.text),
  },
  row: { id: c.int8 },
  text: `
    with gone as (
      delete from provider_failures where id in (
        select id from provider_failures where organisation_id = :organisation and id <= (
          select id from provider_failures where organisation_id = :organisation order by id desc limit 1 offset ${KEPT_FAILURES - 1})
           for update skip locked)
    )
    insert into provider_failures (organisation_id, at, reference, problem, claim, found, expected)
    values (:organisation, :now, :reference, :problem, :claim, :found, :expected) returning id`,
})

export const deleteOldFailures = deleteOlder('providers.deleteOldFailures', {
  table: 'provider_failures',
  key: { id: c.int8 },
  by: 'at',
})
