import type { Db } from '../../kernel/database/database.ts'
import { cleanLine, isMailAddress } from '../../kernel/lines.ts'
import { roleIn } from './groups.ts'
import { type Problem, ProviderProblem } from './problems.ts'
import { showValue } from './rules.ts'
import { findDomain } from './sign-in-store.ts'
import type { ProviderRow } from './store.ts'

const MAX_NAME_LENGTH = 100

export type Claims = Readonly<Record<string, unknown>>

/** The e-mail address of a person, if it counts. Otherwise `problem` says why it does not. */
interface Address {
  readonly email: string | null
  readonly problem?: Problem
}

/** A person as a provider has identified them. Names are clean, but nobody has checked that they are true. */
export interface Identified {
  readonly issuer: string
  readonly subject: string
  readonly address: Address
  readonly firstName: string
  readonly lastName: string
  /** The user name at the provider, from which a handle is derived. */
  readonly userName: string
  /** The role that the groups give; undefined if roles are set by hand. */
  readonly role: string | undefined
}

const textIn = (claims: Claims, name: string): string => {
  const value = Object.hasOwn(claims, name) ? claims[name] : ''
  return typeof value === 'string' ? value.slice(0, 1000) : ''
}

/** Reads who has signed in. Throws a `ProviderProblem` if the claims cannot identify anybody. */
export async function readIdentity(db: Db, provider: ProviderRow, claims: Claims): Promise<Identified> {
  const subject = claims.sub
  // OpenID Connect Core §2: at most 255 ASCII characters.
  if (typeof subject !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(subject))
    throw new ProviderProblem({
      problem: 'The subject of the ID token cannot be used',
      claim: 'sub',
      found: showValue(subject),
      expected: '1 to 255 ASCII characters',
    })
  const given = cleanLine(textIn(claims, 'given_name'), MAX_NAME_LENGTH)
  const family = cleanLine(textIn(claims, 'family_name'), MAX_NAME_LENGTH)
  const whole = cleanLine(textIn(claims, 'name'), MAX_NAME_LENGTH)
  return {
    issuer: provider.issuer,
    subject,
    address: await readAddress(db, provider, claims),
    firstName: given === '' && family === '' ? whole : given,
    lastName: family,
    userName: textIn(claims, 'preferred_username'),
    role: roleIn(claims, provider),
  }
}

/** An address counts if the provider has verified it and the organisation has proven its domain. */
async function readAddress(db: Db, { id: organisation }: ProviderRow, claims: Claims): Promise<Address> {
  const email = textIn(claims, 'email').trim().normalize('NFC')
  if (!isMailAddress(email))
    return {
      email: null,
      problem: {
        problem: 'The provider sends no e-mail address by which an account could be found',
        claim: 'email',
        found: claims.email === undefined ? 'nothing' : showValue(claims.email),
        expected: 'an address in a proven domain',
      },
    }
  if (claims.email_verified !== true)
    return {
      email: null,
      problem: {
        problem: 'The provider does not say that it has verified the e-mail address',
        claim: 'email_verified',
        found: claims.email_verified === undefined ? 'nothing' : showValue(claims.email_verified),
        expected: 'true',
      },
    }
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  if (!(await db.first(findDomain, { organisation, domain })))
    return {
      email: null,
      problem: {
        problem: 'The e-mail address is not in a domain that the organisation has proven',
        claim: 'email',
        found: showValue(email),
        expected: 'an address in a proven domain',
      },
    }
  return { email }
}
