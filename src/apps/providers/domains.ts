import type { AuditAction } from '../../kernel/audit/actions.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { findTexts } from '../../kernel/outbound/resolver.ts'
import { lockManaged, readManaged } from '../organisations/organisations.ts'
import { present } from './providers.ts'
import { hasChallenge, missingRecord, readDomain, recordName } from './rules.ts'
import { MAX_DOMAINS, type NameDomain, type Provider } from './schema.ts'
import * as store from './store.ts'

/** Adds an e-mail domain, which is then to be proven. */
export function addDomain(
  db: Db,
  who: PersonCaller,
  what: NameDomain,
  environment: Pick<Environment, 'url'>,
): Promise<Provider> {
  const domain = readDomain(what.domain)
  return db.transaction(async (tx) => {
    const organisation = await lockManaged(tx, who, what.organisation)
    const known = await tx.all(store.listDomains, { organisation: organisation.id })
    if (known.length >= MAX_DOMAINS && !known.some((one) => one.domain === domain))
      throw fail('impossibleNow', `An organisation can have ${MAX_DOMAINS} domains: remove one first`)
    const added = { organisation: organisation.id, domain, challenge: makeId(), now: who.at }
    if (await tx.first(store.insertDomain, added))
      await audit(tx, who, 'provider.domain-added', { organisation: organisation.key, domain })
    return present(tx, organisation, environment)
  })
}

/**
 * Looks up the TXT record that proves a domain. If another organisation has proven the domain, the proof moves only if
 * that one's record is gone.
 */
export async function proveDomain(
  db: Db,
  who: PersonCaller,
  what: NameDomain,
  environment: Environment,
): Promise<Provider> {
  const domain = readDomain(what.domain)
  await readManaged(db, who, what.organisation)
  // DNS is asked before the transaction, which must not wait for other servers.
  const found = await findTexts(environment, recordName(domain))
  if (found.problem !== undefined)
    throw fail('impossibleNow', `The records of ${domain} cannot be looked up: ${found.problem}. Try again later`)
  return db.transaction(async (tx) => {
    const organisation = await lockManaged(tx, who, what.organisation)
    await tx.first(store.takeDomain, { domain })
    const own = (await tx.all(store.listDomains, { organisation: organisation.id })).find(
      (one) => one.domain === domain,
    )
    if (!own) throw fail('notFound', 'This domain is not in the list: add it first')
    if (!hasChallenge(found.texts, own.challenge)) throw missingRecord(domain, found.texts, own.challenge)
    if (own.proven_at === null) {
      await takeProof(tx, who, { domain, texts: found.texts })
      await tx.first(store.setProven, { organisation: organisation.id, domain, at: who.at })
      await audit(tx, who, 'provider.domain-proven', { organisation: organisation.key, domain })
    }
    return present(tx, organisation, environment)
  })
}

/** Takes a domain from another organisation that has proven it. Throws if its record is still there. */
async function takeProof(
  tx: Tx,
  who: PersonCaller,
  { domain, texts }: { domain: string; texts: readonly string[] },
): Promise<void> {
  const holder = await tx.first(store.findHolder, { domain })
  if (!holder) return
  // Both organisations prove the domain at the same name, so one lookup has found the records of both.
  if (hasChallenge(texts, holder.challenge))
    throw fail(
      'conflict',
      `Another organisation has proven ${domain}, and its record is still there: delete the other groundschool-domain record, if it is yours to delete`,
    )
  await tx.first(store.setProven, { organisation: holder.organisation_id, domain, at: null })
  await audit(tx, who, 'provider.domain-lost', { organisation: holder.key, domain })
}

export function removeDomain(
  db: Db,
  who: PersonCaller,
  what: NameDomain,
  environment: Pick<Environment, 'url'>,
): Promise<Provider> {
  const domain = readDomain(what.domain)
  return db.transaction(async (tx) => {
    const organisation = await lockManaged(tx, who, what.organisation)
    const gone = await tx.first(store.deleteDomain, { organisation: organisation.id, domain })
    if (!gone) throw fail('notFound', 'This domain is not in the list')
    const detail = { organisation: organisation.key, domain, wasProven: gone.is_proven }
    await audit(tx, who, 'provider.domain-removed', detail)
    return present(tx, organisation, environment)
  })
}

const audit = (tx: Tx, who: PersonCaller, action: AuditAction, detail: Record<string, string | boolean>) =>
  recordAudit(tx, who, { action, personId: who.personId, detail })
