import type { Db, Tx } from '../../../kernel/database/database.ts'
import * as store from './store.ts'

/** A statement, as far as it counts for a share of storage. */
interface ChargedStatement {
  readonly sender: {
    readonly credentialId?: number | undefined
    readonly personId?: number | undefined
    readonly appId?: number | undefined
  }
  readonly links?: { readonly own?: boolean; readonly person?: number }
  /** The bytes that it counts for. */
  readonly charge: number
}

interface Share {
  readonly no: number
  /** The bytes that may still be stored. */
  room: number
}

/** The shares that statements count for, keyed by payer. */
export type Shares = ReadonlyMap<string, Share>

/** The storage of a statement's row, and of each of its keys with their index (bytes). */
const ROW_BYTES = 512
const REF_BYTES = 64

/** Statements count in whole KiB, as all records do. An attachment counts for every statement that has it. */
export const chargeOf = (what: { readonly text: string; readonly refs: number; readonly attached: number }): number =>
  Math.ceil((ROW_BYTES + Buffer.byteLength(what.text) + REF_BYTES * what.refs + what.attached) / 1024) * 1024

/**
 * Returns whose share a statement counts for: that of the key or the person that sent it. Statements that the platform
 * makes from an event count for their actor. Statements that operators import count for nobody.
 */
function payerOf({ sender, links }: ChargedStatement) {
  const { credentialId: credential, personId: person, appId: app } = sender
  if (credential !== undefined) return { name: `credential ${credential}`, credential }
  if (person !== undefined) return { name: `person ${person} app ${app}`, person, app }
  return links?.own ? { name: `person ${links.person} app ${undefined}`, person: links.person } : undefined
}

/** Finds the shares of statements, or makes them. */
export async function findShares(tx: Tx, statements: readonly ChargedStatement[]): Promise<Shares> {
  const payers = new Map(statements.flatMap((one) => payerOf(one) ?? []).map((payer) => [payer.name, payer]))
  if (payers.size === 0) return new Map()
  const rows = await tx.all(store.findShares, { payers: JSON.stringify([...payers.values()]) })
  return new Map(rows.map(({ name, share_no: no, room }) => [name, { no, room: room ?? Number.POSITIVE_INFINITY }]))
}

export function findShare(shares: Shares, one: ChargedStatement): Share | undefined {
  const payer = payerOf(one)
  return payer && shares.get(payer.name)
}

function addUp(shares: Shares, statements: readonly ChargedStatement[]): Map<Share, number> {
  const sums = new Map<Share, number>()
  for (const one of statements) {
    const share = findShare(shares, one)
    if (share) sums.set(share, (sums.get(share) ?? 0) + one.charge)
  }
  return sums
}

/**
 * Takes the room for the statements of one request. Returns false and takes none if a share has too little. Statements
 * of the platform itself are never refused, because they record what has happened already.
 */
export function takeRoom(shares: Shares, statements: readonly ChargedStatement[]): boolean {
  const sums = addUp(shares, statements)
  const isOwn = statements.every(({ links }) => links?.own)
  if (!isOwn && [...sums].some(([{ room }, bytes]) => bytes > room)) return false
  for (const [share, bytes] of sums) share.room -= bytes
  return true
}

/** Adds stored statements to their shares. */
export async function chargeShares(tx: Tx, shares: Shares, statements: readonly ChargedStatement[]): Promise<void> {
  const sums = [...addUp(shares, statements)]
  if (sums.length === 0) return
  const charged = { shares: sums.map(([{ no }]) => no), bytes: sums.map(([, bytes]) => bytes) }
  await tx.all(store.chargeShares, charged)
}

/** The maximum number of shares that one transaction changes. */
const PART = 2000

/** Gives the bytes of removed statements back to their shares. */
export async function giveBack(
  db: Db,
  removed: readonly { readonly share_no: number | null; readonly bytes: number }[],
): Promise<void> {
  const charged = removed.flatMap(({ share_no: no, bytes }) => (no === null ? [] : { no, bytes }))
  for (let from = 0; from < charged.length; from += PART) {
    const part = charged.slice(from, from + PART)
    await db.all(store.chargeShares, { shares: part.map(({ no }) => no), bytes: part.map(({ bytes }) => -bytes) })
  }
}
