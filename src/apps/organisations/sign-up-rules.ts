import { domainToASCII } from 'node:url'
import { fail } from '../../kernel/errors.ts'

/** How people can join an organisation without an invitation: with an address in a domain, or with the code. */
export interface SignUpSettings {
  readonly domains: readonly string[]
  readonly code: string | null
}

const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Normalizes domains, as `example.org`. Throws if one is not a domain. */
export function readDomains(texts: readonly string[]): string[] {
  const domains = texts.map((text) => {
    const domain = toDomain(text.trim().replace(/^@/, ''))
    if (!DOMAIN.test(domain))
      throw fail('validationFailed', `${text} is not a domain: write it as example.org, without * and without names`)
    return domain
  })
  return [...new Set(domains)].sort()
}

/** Non-ASCII domains are compared in their ASCII form, so that each has one spelling. */
const toDomain = (text: string): string => domainToASCII(text).toLowerCase()

/**
 * Whether the address is in one of the domains. Subdomains do not count: `a@mail.example.org` is not in `example.org`.
 */
export const isInDomains = (email: string, { domains }: SignUpSettings): boolean =>
  domains.includes(toDomain(email.slice(email.lastIndexOf('@') + 1)))

export const isOpen = ({ domains, code }: SignUpSettings): boolean => domains.length > 0 || code !== null

/** Codes are typed by hand: case, spaces and dashes do not matter. */
export const isCode = (typed: string, { code }: SignUpSettings): boolean =>
  code !== null && foldCode(typed) === foldCode(code)

const foldCode = (code: string): string => code.toUpperCase().replaceAll(/[\s-]/g, '')

/** The error for somebody who has neither an address in a domain nor typed a code. */
export const needMore = ({ domains, code }: SignUpSettings) => {
  const addresses = `an e-mail address at ${domains.join(' or ')}`
  if (domains.length === 0) return fail('forbidden', 'Enter the code; the organisation can tell it to you')
  return fail('forbidden', code === null ? `Use ${addresses}` : `Use ${addresses}, or enter the code`)
}
