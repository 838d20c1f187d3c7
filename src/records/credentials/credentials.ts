import type { AppUser, Caller, PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import type { LaunchRow } from '../registrations/registrations.ts'
import { accountAgent, bases, senderKeyOf } from '../statements/model/names.ts'
import type { Agent } from '../statements/model/statement.ts'
import type { KeyHolder } from './authenticate.ts'
import type { StoreIdentity } from './schema.ts'
import { expand, LAUNCH_SCOPES, type Scope, USER_SCOPES } from './scopes.ts'
import * as store from './store.ts'

/** A caller of the record store: a key, a user of an app, content of a package, or an administrator. */
export interface StoreCaller extends Caller {
  /** The scope `all` is expanded: the set then contains every scope. */
  readonly scopes: ReadonlySet<Scope>
  /** The `authority` that is set on the caller's statements. */
  readonly authority: Agent
  /**
   * Identifies the sender of statements, for the scope `statements/read/mine`: `credential 12` for a key, `app 3 person
   * 7` for a user of an app, `registration 9` for content of a package, `person 7` for an administrator on the
   * platform's own pages.
   */
  readonly senderKey: string
  /** Both are set if the caller is a key: its internal id, and the key itself. */
  readonly credentialId: number | undefined
  readonly key: string | undefined
  /** Both are set if the caller is a user of an app, with an access token. */
  readonly appId: number | undefined
  readonly userId: string | undefined
  /** Both are set if the caller is a person, with an access token or a cookie, or content that a person has opened. */
  readonly personId: number | undefined
  readonly handle: string | undefined
  /** Whether the caller's statements may use only verbs of the library. */
  readonly usesLibrary: boolean
  /** The session of content that a person has opened; undefined for all other callers. */
  readonly launch?: LaunchRow
}

type Services = Pick<Environment, 'get'>
const NOBODY = {
  credentialId: undefined,
  key: undefined,
  appId: undefined,
  userId: undefined,
  personId: undefined,
  handle: undefined,
}

export const callAsKey = (
  who: Caller,
  { credentialId, key, scopes, authority, usesLibrary }: KeyHolder,
): StoreCaller => ({
  ...who,
  ...NOBODY,
  ...{ credentialId, key, scopes, authority, usesLibrary },
  senderKey: `credential ${credentialId}`,
})

/** Makes the `StoreCaller` for a user of an app. Its authority is a group of the app and the user (xAPI-Data 2.4.9). */
export async function callAsUser(db: Db, who: AppUser, { get }: Services): Promise<StoreCaller> {
  const { appId, personId, userId } = who
  const row = await db.first(store.findAppUser, { app: appId, person: personId })
  if (!row) throw fail('tokenInvalid')
  const { handle } = row
  const { homePage } = get(bases)
  const { at, requestId, address } = who
  return {
    ...{ at, requestId, address, ...NOBODY, appId, personId, userId, handle },
    scopes: expand(USER_SCOPES),
    authority: {
      objectType: 'Group',
      member: [accountAgent(homePage, row.client_id, row.app_name), accountAgent(homePage, handle)],
    },
    senderKey: senderKeyOf({ appId, personId }),
    usesLibrary: false,
  }
}

/**
 * Makes the `StoreCaller` for content that a person has opened. It speaks for this person and this session only. Its
 * authority is the package.
 */
export const callAsLaunch = (who: Caller, launch: LaunchRow, { get }: Services): StoreCaller => ({
  ...who,
  ...NOBODY,
  ...{ launch, personId: launch.person_id, handle: launch.handle },
  // Content of SCORM has its own operations, and uses no record store.
  scopes: expand(launch.standard === 'cmi5' ? LAUNCH_SCOPES : []),
  authority: accountAgent(get(bases).homePage, `package:${launch.package}`),
  senderKey: `registration ${launch.registration_id}`,
  usesLibrary: false,
})

/**
 * Refuses a person who is not an administrator: on the platform's own pages only administrators use the record store.
 */
export function refuseOthers({ isAdministrator }: Pick<PersonCaller, 'isAdministrator'>): void {
  if (!isAdministrator)
    throw fail('forbidden', "On the platform's own pages only administrators can read the record store")
}

/** Makes the `StoreCaller` for an administrator on the platform's own pages. Throws for any other person. */
export function callAsAdministrator(who: PersonCaller, { get }: Services): StoreCaller {
  refuseOthers(who)
  const { at, requestId, address, personId, handle } = who
  return {
    ...{ at, requestId, address, ...NOBODY, personId, handle },
    scopes: expand(['all']),
    authority: accountAgent(get(bases).homePage, handle),
    senderKey: senderKeyOf({ appId: undefined, personId }),
    usesLibrary: false,
  }
}

export const describeCaller = ({ key, appId, launch, scopes, authority, usesLibrary }: StoreCaller): StoreIdentity => ({
  kind: key !== undefined ? 'key' : appId !== undefined ? 'user' : launch ? 'content' : 'administrator',
  key: key ?? null,
  scopes: [...scopes],
  authority,
  usesLibrary,
})
