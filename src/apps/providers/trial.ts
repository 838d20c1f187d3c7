import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { readManaged } from '../organisations/organisations.ts'
import { showValue } from './rules.ts'
import type { Tested } from './signin.ts'
import { findProvider, type ProviderRow } from './store.ts'

/** Returns the provider that a manager of the organisation tests. */
export async function readTested(db: Db, who: PersonCaller, organisation: string): Promise<ProviderRow> {
  await readManaged(db, who, organisation)
  const provider = await db.first(findProvider, { organisation })
  if (!provider) throw fail('impossibleNow', 'This organisation has no provider yet: connect one first')
  return provider
}

/** Says what each claim of a test means here. */
export function describeClaims({ provider, claims, person }: Tested) {
  const line = (name: string, meaning: string) => ({
    name,
    value: claims[name] === undefined ? '' : showValue(claims[name]),
    meaning,
  })
  const { groups_claim: groups } = provider
  const { email, problem } = person.address
  return [
    line('iss', 'The provider. It is part of who the person is.'),
    line('sub', 'Who the person is at the provider. It must never change.'),
    line(
      'email',
      email === null
        ? `It does not count. ${problem!.problem}.`
        : 'It counts: it is verified, and its domain is proven.',
    ),
    line('email_verified', 'It must be true, or the address does not count.'),
    line('name', 'The name of new accounts, if there is neither a given_name nor a family_name.'),
    line('given_name', `The first name of new accounts: ${person.firstName || 'none'}.`),
    line('family_name', `The last name of new accounts: ${person.lastName || 'none'}.`),
    line('preferred_username', 'The handle of new accounts is derived from it.'),
    ...(groups === null ? [] : [line(groups, `The groups. They give the role ${person.role}.`)]),
  ]
}

const OUTCOMES = {
  known: 'You would be signed in to the account',
  connect: 'This would connect, and delete the password and passkeys of, the account',
  claim: 'This would accept the invitation of the account',
} as const

/** Says what a sign-in would have done. */
export function sayOutcome({ outcome }: Tested): string {
  switch (outcome.kind) {
    case 'refuse':
      return `The settings can be used, but this person would not be signed in yet. ${outcome.refusal.sentence} Accounts can be connected as soon as you allow the provider.`
    case 'create':
      return `A new account would be created, ${outcome.email === null ? 'without an e-mail address' : `with the address ${outcome.email}`}.`
    default:
      return `${OUTCOMES[outcome.kind]} ${outcome.handle}.`
  }
}
