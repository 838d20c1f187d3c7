import type { Db, Tx } from '../../../kernel/database/database.ts'
import * as store from './store.ts'

/** The parts of a statement that decide whose share of storage it counts for. */
interface PaidStatement {
  readonly sender: {
    readonly credentialId?: number | undefined
    readonly personId?: number | undefined
    readonly appId?: number | undefined
  }
  readonly links?: { readonly own?: boolean; readonly person?: number } | undefined
}

interface ChargedStatement extends PaidStatement {
  /** The bytes that it counts for. */
  readonly charge: number
}

/** The shares that statements of one transaction count for. */
export interface Shares {
  /** Numbers of shares, by `shareNameOf` their payer. */
  readonly numbers: ReadonlyMap<string, number>
  /** The bytes that may still be stored, by `roomNamesOf` a payer. */
  readonly rooms: Map<string, number>
}

/** The storage of a statement's row, and of each of its keys with their index (bytes). */
const ROW_BYTES = 512
const REF_BYTES = 64

/** Statements count in whole KiB, as all records do. An attachment counts for every statement that has it. */
export const chargeOf = (what: { readonly text: string; readonly refs: number; readonly attached: number }): number =>
  Math.ceil((ROW_BYTES + Buffer.byteLength(what.text) + REF_BYTES * what.refs + what.attached) / 1024) * 1024

interface Payer {
  readonly person?: number | undefined
  readonly app?: number | undefined
  readonly credential?: number | undefined
}

/**
 * Returns whose share a statement counts for: that of the key or the person that sent it. Statements that the platform
 * makes from an event count for their actor. Statements that operators import count for nobody.
 */
function payerOf({ sender, links }: PaidStatement): Payer | undefined {
  const { credentialId: credential, personId: person, appId: app } = sender
  if (credential !== undefined) return { credential }
  if (person !== undefined) return { person, app }
  return links?.own && links.person !== undefined ? { person: links.person } : undefined
}

const shareNameOf = ({ person, app, credential }: Payer): string =>
  credential === undefined ? `person ${person} app ${app}` : `key ${credential}`

/**
 * A person has one room for all their apps, and an app has one for all people. The SQL makes the same names (`SHARES`
 * in store.ts).
 */
const roomNamesOf = ({ person, app, credential }: Payer): string[] =>
  credential === undefined ? [`person ${person}`, `app ${app}`] : [`key ${credential}`]

/** Finds the shares of statements, or makes them. */
export async function findShares(tx: Tx, statements: readonly PaidStatement[]): Promise<Shares> {
  const payers = payersOf(statements)
  const shares = await readShares(tx, payers)
  const missing = [...payers].flatMap(([name, payer]) => (shares.numbers.has(name) ? [] : payer))
  if (missing.length === 0) return shares
  await tx.all(store.makeShares, { payers: JSON.stringify(missing) })
  return readShares(tx, payers)
}

/** Finds the shares of statements. Returns undefined if one of them is missing. */
export async function findAllShares(tx: Tx, statements: readonly PaidStatement[]): Promise<Shares | undefined> {
  const payers = payersOf(statements)
  const shares = await readShares(tx, payers)
  return [...payers.keys()].every((name) => shares.numbers.has(name)) ? shares : undefined
}

type Payers = ReadonlyMap<string, Payer>

/** Returns the different payers of statements, by `shareNameOf` them. */
const payersOf = (statements: readonly PaidStatement[]): Payers =>
  new Map(statements.flatMap((one) => payerOf(one) ?? []).map((payer) => [shareNameOf(payer), payer]))

/** Converts payers to the arrays that the SQL of shares takes. */
function toShareColumns(payers: Payers) {
  const all = [...payers.values()]
  const distinct = (values: readonly (number | undefined)[]) => [...new Set(values.filter((one) => one !== undefined))]
  return {
    people: distinct(all.map(({ person }) => person)),
    apps: distinct(all.map(({ app }) => app)),
    credentials: distinct(all.map(({ credential }) => credential)),
  }
}

async function readShares(tx: Tx, payers: Payers): Promise<Shares> {
  const [numbers, rooms] = [new Map<string, number>(), new Map<string, number>()]
  const rows = payers.size > 0 ? await tx.all(store.findShares, toShareColumns(payers)) : []
  for (const { share_no, person_id, app_id, credential_id, room_name, room } of rows) {
    const payer = { person: person_id ?? undefined, app: app_id ?? undefined, credential: credential_id ?? undefined }
    const isTotal = person_id === null && app_id !== null
    if (!isTotal) numbers.set(shareNameOf(payer), share_no)
    if (room !== null) rooms.set(room_name, room)
  }
  return { numbers, rooms }
}

/** Returns the number of the share that a statement counts for; undefined if it counts for nobody. */
export function findShare({ numbers }: Shares, one: PaidStatement): number | undefined {
  const payer = payerOf(one)
  return payer && numbers.get(shareNameOf(payer))
}

/** Adds up what statements count for, by the names or numbers that `keysOf` returns for each. */
function addUp<Key>(
  statements: readonly ChargedStatement[],
  keysOf: (one: ChargedStatement) => readonly Key[],
): Map<Key, number> {
  const sums = new Map<Key, number>()
  for (const one of statements) for (const key of keysOf(one)) sums.set(key, (sums.get(key) ?? 0) + one.charge)
  return sums
}

/**
 * Takes the room for the statements of one request. Returns false and takes none if a share has too little. Statements
 * of the platform itself are never refused, because they record what has happened already.
 */
export function takeRoom({ rooms }: Shares, statements: readonly ChargedStatement[]): boolean {
  const needed = needsOf(statements)
  const roomOf = (name: string) => rooms.get(name) ?? Number.POSITIVE_INFINITY
  const isOwn = statements.every(({ links }) => links?.own)
  if (!isOwn && [...needed].some(([name, bytes]) => bytes > roomOf(name))) return false
  for (const [name, bytes] of needed) rooms.set(name, roomOf(name) - bytes)
  return true
}

/** Adds up the bytes that statements need, by the names of the rooms. */
const needsOf = (statements: readonly ChargedStatement[]): Map<string, number> =>
  addUp(statements, (one) => {
    const payer = payerOf(one)
    return payer ? roomNamesOf(payer) : []
  })

/** Returns the rooms that statements need, as the arrays by which the SQL checks that the shares still have them. */
export function toNeeds(statements: readonly ChargedStatement[]) {
  const needs = needsOf(statements)
  return { ...toShareColumns(payersOf(statements)), rooms: [...needs.keys()], needs: [...needs.values()] }
}

/** Returns what statements add to their shares, as the arrays that the SQL unnests as columns. */
export function toCharges(shares: Shares, statements: readonly ChargedStatement[]) {
  const sums = addUp(statements, (one) => [findShare(shares, one) ?? []].flat())
  return { shares: [...sums.keys()], charges: [...sums.values()] }
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
