import { openText, sealText } from '../seals.ts'

interface Letter {
  readonly subject: string
  readonly text: string
}

/**
 * The person and the address that an encrypted message is bound to. So an attacker who can only change database rows
 * cannot redirect a link to another address.
 */
interface Addressee {
  readonly personId: number | null
  readonly recipient: string
}

const bind = ({ personId, recipient }: Addressee): string => JSON.stringify([personId, recipient])

export const sealMessage = (key: Buffer, to: Addressee, { subject, text }: Letter): Buffer =>
  sealText(key, JSON.stringify({ subject, text }), bind(to))

/** Decrypts a message. Throws if it was encrypted with none of the keys, or for another addressee. */
export const openMessage = (keys: readonly Buffer[], to: Addressee, sealed: Buffer): Letter =>
  JSON.parse(openText(keys, sealed, bind(to))) as Letter
