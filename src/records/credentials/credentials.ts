import type { AppUser, Caller, PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { bases } from '../statements/capture.ts'
import type { Agent } from '../statements/statement.ts'
import { accountAgent } from './agents.ts'
import type { KeyHolder } from './authenticate.ts'
import type { StoreIdentity } from './schema.ts'
import { expand, type Scope, USER_SCOPES } from './scopes.ts'
import * as store from './store.ts'

/** Who speaks to the record store. */
export interface StoreCaller extends Caller {
  /** `all` is expanded: it has every scope. */
  readonly scopes: ReadonlySet<Scope>
  /** What their statements get as authority. */
  readonly authority: Agent
  /** What "mine" means: `credential 12`, `app 3 person 7`, `person 7` (a page). Statements get a ref by it. */
  readonly senderKey: string
  /** A key, as number and as it is sent. */
  readonly credentialId: number | undefined
  readonly key: string | undefined
  /** A Bearer token of an app. */
  readonly appId: number | undefined
  /** The id of the person in that app. */
  readonly userId: string | undefined
  /** A Bearer token or a cookie. */
  readonly personId: number | undefined
  /** Of that person. */
  readonly handle: string | undefined
  /** The key asks for the verb library to be enforced. */
  readonly usesLibrary: boolean
}

type Parts = Pick<Environment, 'get'>
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

/** A user of an app. The authority is the app and the user together (xAPI-Data 2.4.9). */
export async function callAsUser({ get }: Parts, db: Db, who: AppUser): Promise<StoreCaller> {
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
    senderKey: `app ${appId} person ${personId}`,
    usesLibrary: false,
  }
}

/** Nobody else sees it in a browser. */
export function refuseOthers({ isAdministrator }: Pick<PersonCaller, 'isAdministrator'>): void {
  if (!isAdministrator) throw fail('forbidden', 'On the platform’s own pages only administrators see the record store')
}

/** An administrator, on the platform's own pages. */
export function callAsAdministrator({ get }: Parts, who: PersonCaller): StoreCaller {
  refuseOthers(who)
  const { at, requestId, address, personId, handle } = who
  return {
    ...{ at, requestId, address, ...NOBODY, personId, handle },
    scopes: expand(['all']),
    authority: accountAgent(get(bases).homePage, handle),
    senderKey: `person ${personId}`,
    usesLibrary: false,
  }
}

/** As whom the record store sees a caller. */
export const describeCaller = ({ key, appId, scopes, authority, usesLibrary }: StoreCaller): StoreIdentity => ({
  kind: key !== undefined ? 'key' : appId !== undefined ? 'user' : 'administrator',
  key: key ?? null,
  scopes: [...scopes],
  authority,
  usesLibrary,
})
