import { openText, sealText } from '../seals.ts'

interface Letter {
  readonly subject: string
  readonly text: string
}

/** Whom it is for is part of the seal, so that somebody who can only change rows cannot send a link to another address. */
interface Addressee {
  readonly personId: number | null
  readonly recipient: string
}

const bind = ({ personId, recipient }: Addressee): string => JSON.stringify([personId, recipient])

export const sealMessage = (key: Buffer, to: Addressee, { subject, text }: Letter): Buffer =>
  sealText(key, JSON.stringify({ subject, text }), bind(to))

/** Throws where the seal was made with another key or for somebody else. */
export const openMessage = (key: Buffer, to: Addressee, sealed: Buffer): Letter =>
  JSON.parse(openText(key, sealed, bind(to))) as Letter
