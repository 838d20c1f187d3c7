import { deleteOlder } from '../../kernel/database/retention.ts'
import { c, nullable, type RowOf, read, write } from '../../kernel/database/statement.ts'

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
