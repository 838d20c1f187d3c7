import type { Db } from '../../kernel/database/database.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { openText, sealText } from '../../kernel/seals.ts'
import { KIND_NAMES, KINDS, type NotificationKind } from './kinds.ts'
import * as store from './store.ts'

/** A link's subject: one kind, or all kinds that the person gets in the digest. */
export type Unsubscribed = NotificationKind | 'digest'

interface UnsubscribeLinks {
  makeUrl(personId: number, what: Unsubscribed): string
  /** Undefined if the token was not made here. */
  open(token: string): { readonly personId: number; readonly what: Unsubscribed } | undefined
}

/** Tokens in links with which people turn off e-mail without signing in. They do not expire (RFC 8058 §3.1). */
export const unsubscribeLinks = service(({ url, keysFor }: Environment): UnsubscribeLinks => {
  const keys = keysFor('unsubscribe')
  return {
    makeUrl: (personId, what) => {
      const token = sealText(keys[0]!, `${personId} ${what}`).toString('base64url')
      return `${url}/account/unsubscribe?token=${token}`
    },
    open: (token) => {
      try {
        const [person, what] = openText(keys, Buffer.from(token, 'base64url')).split(' ')
        return { personId: Number(person), what: what as Unsubscribed }
      } catch {
        return undefined
      }
    },
  }
})

const DIGESTED = KIND_NAMES.filter((kind) => KINDS[kind].email === 'digest')

export const nameOf = (what: Unsubscribed): string => (what === 'digest' ? 'The daily digest' : KINDS[what].about)

export function readToken(links: UnsubscribeLinks, token: string) {
  const found = links.open(token)
  if (!found || (found.what !== 'digest' && (!KINDS[found.what] || KINDS[found.what].isFixed)))
    throw fail('notFound', 'This link is incomplete or not valid; copy all of it from the e-mail')
  return found
}

/** Turns off the e-mail that a link is for. It can be repeated, and does nothing for a person who no longer exists. */
export async function unsubscribe(db: Db, links: UnsubscribeLinks, token: string): Promise<Unsubscribed> {
  const { personId, what } = readToken(links, token)
  const isDigest = what === 'digest'
  const kinds = isDigest ? KIND_NAMES.filter((kind) => !KINDS[kind].isFixed) : [what]
  await db.all(store.turnOff, { person: personId, kinds, digestOnly: isDigest, digested: DIGESTED })
  return what
}
