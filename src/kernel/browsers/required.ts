import type { Visitor } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { type Environment, service } from '../environment.ts'
import { fail, PlatformError } from '../errors.ts'
import { openText, sealText } from '../seals.ts'
import * as store from './store.ts'

/** A person who has just proven who they are, with the epoch in which they did. */
interface ProvenPerson {
  readonly personId: number
  readonly epoch: number
}

/** Path of the page on which people sign in with the provider of their organisation. */
export const PROVIDER = '/account/provider'

/**
 * The organisation of a person requires them to sign in at its own provider. It is thrown only after they have proven
 * who they are, so it tells nobody else.
 */
export class ProviderRequired extends PlatformError {
  /** The person who has proven who they are; undefined if their account was not created after all. */
  readonly person: ProvenPerson | undefined
  /** Key of the organisation. */
  readonly organisation: string
  /** What is required, without the address. */
  readonly sentence: string

  constructor(person: ProvenPerson | undefined, { key, name, issuer }: { key: string; name: string; issuer: string }) {
    const sentence = `${name} requires its people to sign in at ${new URL(issuer).host}`
    super('forbidden', `${sentence}: open ${PROVIDER}?${new URLSearchParams({ organisation: key })}`)
    this.person = person
    this.organisation = key
    this.sentence = sentence
  }
}

/** Returns the organisation with whose provider a person has to sign in; undefined if they are free to choose. */
export const findRequired = (db: Db, personId: number): Promise<{ name: string } | undefined> =>
  db.first(store.findRequired, { person: personId, organisation: null })

/**
 * Throws if the person has to sign in with the provider of their organisation. `organisation` is the one whose provider
 * they come from: if it is the wrong one, pass no epoch, because it proves nothing to other organisations.
 */
export async function refuseRequired(
  db: Db,
  what: { personId: number; epoch: number | undefined; organisation?: number | undefined },
): Promise<void> {
  const { personId, epoch, organisation = null } = what
  const required = await db.first(store.findRequired, { person: personId, organisation })
  if (required) throw new ProviderRequired(epoch === undefined ? undefined : { personId, epoch }, required)
}

const PROOF_MS = 10 * 60_000
const proofKeys = service(({ keysFor }) => keysFor('provider.proof'))

/** What the page of the provider is asked for. */
interface ProviderRequest {
  readonly next?: string | undefined
  readonly isKept?: boolean
}

/**
 * Returns the path at which the person continues. It contains a proof of who they are, which only this browser can use,
 * so that the provider can be connected to their account.
 */
export function providerPath(
  environment: Environment,
  who: Visitor,
  { organisation, person }: ProviderRequired,
  { next, isKept = false }: ProviderRequest = {},
): string {
  const text = person && JSON.stringify({ ...person, until: who.at.getTime() + PROOF_MS })
  const proof = text && sealText(environment.get(proofKeys)[0]!, text, who.browserToken).toString('base64url')
  const query = {
    organisation,
    ...(proof !== undefined && { proof }),
    ...(isKept && { keep: 'true' }),
    ...(next !== undefined && { next }),
  }
  return `${PROVIDER}?${new URLSearchParams(query)}`
}

/** Reads a proof; undefined if it was made for another browser, or has expired. */
export function readProof(environment: Environment, who: Visitor, proof: string): ProvenPerson | undefined {
  try {
    const text = openText(environment.get(proofKeys), Buffer.from(proof, 'base64url'), who.browserToken)
    const { personId, epoch, until } = JSON.parse(text)
    return until > who.at.getTime() ? { personId, epoch } : undefined
  } catch {
    return undefined
  }
}

/** Adds the address with the proof to the error, for clients that show its message. Rethrows all errors. */
export const tellProvider =
  (environment: Environment, who: Visitor) =>
  (error: unknown): never => {
    if (!(error instanceof ProviderRequired)) throw error
    throw fail('forbidden', `${error.sentence}: open ${environment.url}${providerPath(environment, who, error)}`)
  }
