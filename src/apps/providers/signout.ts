import { buildEndSessionUrl } from 'openid-client'
import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { openText, sealText } from '../../kernel/seals.ts'
import { openProvider } from './discovery.ts'
import * as store from './sign-in-store.ts'
import { findProvider } from './store.ts'

const tokenKeys = service(({ keysFor }) => keysFor('provider.id-token'))
const offerKeys = service(({ keysFor }) => keysFor('provider.sign-out'))

/** An ID token that is longer does not fit into the address of a sign-out. */
const MAX_HINT = 6000
const OFFER_MS = 30 * 60_000
const SIGNED_OUT = '/account/provider/signed-out'

/** Stores the ID token of a browser, with which the person can be signed out at the provider. */
export async function keepIdToken(
  tx: Tx,
  environment: Environment,
  { browserId, organisationId, idToken }: { browserId: string; organisationId: number; idToken: string },
): Promise<void> {
  const hint = idToken.length > MAX_HINT ? '' : idToken
  const sealed = sealText(environment.get(tokenKeys)[0]!, hint, browserId)
  await tx.first(store.insertBrowser, { browser: browserId, organisation: organisationId, sealed })
}

/** The provider through which a browser was signed in. */
export interface BrowserProvider {
  readonly organisation: string
  /** Empty if it was too long. */
  readonly idToken: string
}

/** Finds the provider through which a browser was signed in. Call it before the browser is signed out. */
export async function findProviderOf(
  db: Db,
  environment: Environment,
  { browserId }: { browserId: string },
): Promise<BrowserProvider | undefined> {
  const found = await db.first(store.findBrowser, { browser: browserId })
  if (!found) return undefined
  const provider = await db.first(findProvider, { organisation: found.key })
  const metadata = provider && (JSON.parse(provider.metadata) as { end_session_endpoint?: string })
  if (metadata?.end_session_endpoint === undefined) return undefined
  return { organisation: found.key, idToken: openOrEmpty(environment, found.sealed_id_token, browserId) }
}

function openOrEmpty(environment: Environment, sealed: Buffer, browserId: string): string {
  try {
    return openText(environment.get(tokenKeys), sealed, browserId)
  } catch {
    // The secret key was changed, and the old one is gone.
    return ''
  }
}

interface Offer extends Partial<BrowserProvider> {
  /** An address that an app has registered for the time after signing out. */
  readonly continueAt?: string | undefined
}

function sealOffer(environment: Environment, who: Caller, offer: Offer): string {
  const text = JSON.stringify({ ...offer, until: who.at.getTime() + OFFER_MS })
  return sealText(environment.get(offerKeys)[0]!, text).toString('base64url')
}

function openOffer(environment: Environment, who: Caller, sealed: string): Offer | undefined {
  try {
    const { until, ...offer } = JSON.parse(openText(environment.get(offerKeys), Buffer.from(sealed, 'base64url')))
    return until > who.at.getTime() ? offer : undefined
  } catch {
    return undefined
  }
}

/** Returns the path of the page that offers to sign out at the provider too. */
export const offerSignOut = (environment: Environment, who: Caller, offer: Offer): string =>
  `${SIGNED_OUT}?${new URLSearchParams({ offer: sealOffer(environment, who, offer) })}`

/** What the page after signing out shows. */
export interface SignedOut {
  /** The provider at which the person is still signed in. */
  readonly provider?: { readonly name: string; readonly host: string; readonly address: string }
  readonly continueAt?: string | undefined
}

/** Reads what the page after signing out shows: before the provider, or after it has sent the browser back. */
export async function readSignedOut(
  environment: Environment,
  who: Caller,
  { offer, state }: { offer?: string | undefined; state?: string | undefined },
): Promise<SignedOut> {
  const given = openOffer(environment, who, offer ?? state ?? '')
  if (!given) return {}
  const { organisation, idToken, continueAt } = given
  const provider =
    offer === undefined || organisation === undefined
      ? undefined
      : await environment.db.first(findProvider, { organisation })
  if (!provider) return { continueAt }
  const configuration = await openProvider(environment, provider)
  const address = buildEndSessionUrl(configuration, {
    ...(idToken && { id_token_hint: idToken }),
    post_logout_redirect_uri: `${environment.url}${SIGNED_OUT}`,
    ...(continueAt !== undefined && { state: sealOffer(environment, who, { continueAt }) }),
  })
  const { name, issuer } = provider
  return { provider: { name, host: new URL(issuer).host, address: address.href }, continueAt }
}
