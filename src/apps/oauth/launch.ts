import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { TokenPolicy } from '../../kernel/sessions/sessions.ts'
import { ensureAppUser, findConsent } from '../apps/apps.ts'
import { type Client, readClient } from '../apps/clients.ts'
import { findLaunchMistake, isLaunchOf } from '../apps/redirect-uris.ts'
import { mintCode } from './codes.ts'
import { addResponseParams } from './redirects.ts'

/**
 * Returns the URL that opens an app at a lesson or a request. Unless `passesCode` is false, it contains a code for the
 * caller. `state` must already be URL-safe.
 */
export async function launchApp(
  db: Db,
  who: PersonCaller,
  what: { clientId: string; launchUri: string; passesCode?: boolean; state?: string; isAllowed?: boolean },
  policy: TokenPolicy,
): Promise<{ uri: string }> {
  const client = await readClient(db, what.clientId, 'noSuchApp', policy.environment)
  const { passesCode = true } = what
  if (client.isPublic && passesCode)
    throw fail(
      'impossibleNow',
      'A public client cannot be launched with a code, because it has no secret to redeem it with',
    )
  const mistake = findLaunchMistake(what.launchUri)
  if (mistake) throw fail('validationFailed', `launchUri must ${mistake}`)
  const registered = client.redirectUris.find((uri) => isLaunchOf(what.launchUri, uri))
  if (registered === undefined)
    throw fail(
      'validationFailed',
      'launchUri is not registered for this app; without its query it must be one of the redirect URIs',
    )
  if (!passesCode) return { uri: what.launchUri }
  if (what.isAllowed) await allow(db, who, client.id)
  const code = await mintCode(
    db,
    who,
    {
      appId: client.id,
      personId: who.personId,
      epoch: who.epoch,
      door: 'launch',
      redirectUri: registered,
      isRedirectGiven: false,
      // The platform starts the launch, so there is no PKCE challenge; the app authenticates with its secret.
      challenge: undefined,
      device: who.device,
    },
    policy,
  )
  if (!code)
    throw fail('consentMissing', `You have not allowed ${describe(client)} yet; open it once directly and allow it`)
  return { uri: addResponseParams(what.launchUri, { code, state: what.state }) }
}

/** Records the consent that the person gave on one of the platform's pages. */
const allow = (db: Db, who: PersonCaller, appId: number): Promise<void> =>
  db.transaction(async (tx) => {
    const parties = { appId, personId: who.personId }
    if (await findConsent(tx, parties)) return
    await ensureAppUser(tx, who, parties)
    await recordAudit(tx, who, { action: 'consent.given', ...parties })
  })

const describe = ({ name, owner }: Client): string => (owner === undefined ? name : `${name} by ${owner}`)
