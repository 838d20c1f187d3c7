import { type Static, Type } from 'typebox'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { peopleSection } from '../../identity/people/import.ts'
import { notify } from '../../kernel/database/listener.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { type Field, Flag, Key, Line, OrNull, PLAIN, Texts } from '../../kernel/imports/fields.ts'
import {
  given,
  type ImportSection,
  type ImportTie,
  lineOf,
  readInBatches,
  textsIn,
} from '../../kernel/imports/section.ts'
import { findUriMistake } from '../../kernel/outbound/outbound.ts'
import { isScope, readScopes, SCOPES } from '../../kernel/scopes.ts'
import { REVOKED, type Revocation } from '../../kernel/sessions/sessions.ts'
import { organisationSection } from '../organisations/import.ts'
import { ALGORITHMS, AUTH_METHODS } from './algorithms.ts'
import { APPS_CHANGED, BLOCK_BYTES, DEFAULT_STORAGE_BLOCKS, enrolUsers, makeClientId } from './apps.ts'
import * as store from './import-store.ts'
import { findKeysMistake, readPublicKeys } from './public-keys.ts'
import { findLaunchMistake, findRedirectUriMistake, isLaunchOf } from './redirect-uris.ts'
import { isAppKey, isOrigin } from './rules.ts'
import { hashSecret, MAX_SECRETS, secretKeys } from './secrets.ts'

const DEFAULT_STORAGE_BYTES = DEFAULT_STORAGE_BLOCKS * BLOCK_BYTES
const MAX_APPS = 100

const ImportedApp = Type.Object({
  key: Key(
    'The client ID without its prefix: `demo-app` is `gs-demo-app` in production and `gs-sbx-demo-app` in the sandbox',
    '1 to 60 lower-case letters, digits or -, not beginning with sbx-',
  ),
  name: Line(200, 'Shown to users when they sign in', { minLength: 1 }),
  organisation: Type.Optional(OrNull(Key('Key of the organisation that owns it; none by default'))),
  owner: Type.Optional(OrNull(Line(31, 'Handle of its owner; none by default', { minLength: 1 }))),
  status: Type.Optional(
    Type.Union([Type.Literal('pending'), Type.Literal('approved'), Type.Literal('suspended')], {
      must: 'pending, approved or suspended',
      about: '`approved` by default',
    } satisfies Field),
  ),
  redirectUris: Type.Optional(
    Texts(
      100,
      2000,
      'a list of at most 100 URLs',
      'URLs to which sign-in can redirect: https, http on loopback, or a scheme of the app; without fragment, user name, and query parameters that sign-in itself uses',
    ),
  ),
  launchUri: Type.Optional(
    OrNull({
      ...Line(2000, 'URL at which the app opens for lessons without a launch URL; none by default', {
        minLength: 1,
      }),
      must: 'one of the redirectUris of the same entry, with or without a query',
    }),
  ),
  origins: Type.Optional(
    Texts(
      100,
      2000,
      'a list of at most 100 origins',
      'Origins of web pages that may call the API, such as https://app.example.org',
    ),
  ),
  postLogoutRedirectUris: Type.Optional(
    Texts(
      10,
      2000,
      'a list of at most 10 URLs',
      'URLs to which the platform may send users after the app has signed them out; the same rules as for redirectUris',
    ),
  ),
  backchannelLogoutUri: Type.Optional(
    OrNull(Line(2000, 'URL that receives a logout token when a user is signed out; none by default', { minLength: 1 })),
  ),
  backchannelLogoutSessionRequired: Type.Optional(
    Flag('Whether the app needs `sid` in logout tokens; false by default'),
  ),
  publicKeys: Type.Optional(
    OrNull(
      Type.String({
        maxLength: 20_000,
        must: 'a JWKS document, one JWK, or public keys in PEM, as text',
        about: 'Public keys of the app for `private_key_jwt`, at most 10; others are removed',
      } satisfies Field),
    ),
  ),
  tokenEndpointAuthMethod: Type.Optional(
    Type.Union(
      AUTH_METHODS.map((method) => Type.Literal(method)),
      {
        must: 'client_secret, or private_key_jwt with publicKeys in the same entry',
        about: 'How the app proves that it is the app; `client_secret` by default, and without keys',
      } satisfies Field,
    ),
  ),
  idTokenAlgorithm: Type.Optional(
    Type.Union(
      ALGORITHMS.map((algorithm) => Type.Literal(algorithm)),
      {
        must: ALGORITHMS.join(' or '),
        about: `The algorithm of its ID tokens; ${ALGORITHMS[0]} by default`,
      } satisfies Field,
    ),
  ),
  scopes: Type.Optional(
    OrNull(
      Texts(
        SCOPES.length,
        100,
        'a list of scopes',
        `The scopes that it may ask for: ${SCOPES.join(', ')}; all by default`,
      ),
    ),
  ),
  basic: Type.Optional(Flag('Sign-in with handle and password at `/auth/basic`; false by default')),
  device: Type.Optional(Flag('Sign-in on a device without a browser; false by default')),
  implicit: Type.Optional(Flag('The implicit flow; false by default')),
  pkce: Type.Optional(Flag('Whether sign-in requires PKCE; true by default')),
  public: Type.Optional(Flag('A public client, such as a browser or mobile app; false by default')),
  anonymous: Type.Optional(Flag('Whether it can be used without an account; true by default')),
  sharedBuckets: Type.Optional(Flag('Whether every user of the app can write to its public buckets; false by default')),
  secrets: Type.Optional(
    Type.Array(Type.String({ pattern: PLAIN, minLength: 8, maxLength: 200 }), {
      maxItems: MAX_SECRETS,
      must: `a list of at most ${MAX_SECRETS} texts of 8 to 200 characters`,
      about: 'All client secrets, in plain text here and stored hashed; others are revoked',
    } satisfies Field),
  ),
  storageBytes: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2 ** 50,
      must: 'a whole number of bytes, of which whole KiB count',
      about: `Storage limit of its buckets; ${DEFAULT_STORAGE_BYTES} by default`,
    } satisfies Field),
  ),
})

/** An app in the import file. Before the app is written, its plain secrets are replaced with `hiddenSecrets`. */
type AppEntry = Static<typeof ImportedApp> & {
  readonly hiddenSecrets?: readonly HiddenSecret[]
  /**
   * Handled by the plugins module. The platform itself sends the secrets of a plugin, so they are also stored
   * encrypted.
   */
  readonly plugin?: unknown
}

/** A secret as hash and as encrypted text, both in hexadecimal. */
interface HiddenSecret {
  readonly hash: string
  readonly sealed: string
}

type FoundApp = RowOf<typeof store.findApps> & { readonly key: string }

interface PlannedApp {
  readonly clientId: string
  readonly row: Readonly<Record<string, string | boolean | null>>
  readonly organisation: Owner
  readonly owner: Owner
  readonly blocksLimit: number
  readonly redirectUris: readonly string[]
  readonly origins: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  /** Null for all. */
  readonly scopes: readonly string[] | null
  /** The new secrets; undefined if the stored secrets stay. */
  readonly secrets: readonly HiddenSecret[] | undefined
  /** Whether its tokens may be used for something else after the import, or for nothing. */
  readonly concernsTokens: boolean
}

/** The owner as the key in the import file or, if the file has none, as the stored id. */
type Owner = { readonly key: string } | { readonly id: number | null }

const ownerOf = (key: string | null | undefined, stored: number | null | undefined): Owner =>
  key ? { key } : { id: key === undefined ? (stored ?? null) : null }

export const appSection: ImportSection<AppEntry, FoundApp, PlannedApp> = {
  name: 'apps',
  one: 'app',
  key: 'key',
  schema: ImportedApp,

  *check(app, place) {
    if (typeof app.key === 'string' && app.key.startsWith('sbx-') && !isAppKey(app.key))
      yield `${place}.key: must not start with sbx-, which marks the client IDs of the sandbox`
    if (app.public === true && Array.isArray(app.secrets) && app.secrets.length > 0)
      yield `${place}.secrets: must be left out, because a public client has no secrets`
    if (app.public === true && app.pkce === false)
      yield `${place}.pkce: must be true, because a public client needs PKCE`
    for (const [i, uri] of textsIn(app.redirectUris)) {
      const mistake = findRedirectUriMistake(uri)
      if (mistake) yield `${place}.redirectUris[${i}]: must ${mistake}`
    }
    for (const [i, uri] of textsIn(app.postLogoutRedirectUris)) {
      const mistake = findRedirectUriMistake(uri)
      if (mistake) yield `${place}.postLogoutRedirectUris[${i}]: must ${mistake}`
    }
    if (typeof app.backchannelLogoutUri === 'string') {
      const mistake = findUriMistake(app.backchannelLogoutUri, { allowsLoopback: true })
      if (mistake) yield `${place}.backchannelLogoutUri: must ${mistake}`
    }
    if (app.publicKeys !== undefined) yield* checkKeys(app, place)
    else if (app.tokenEndpointAuthMethod === 'private_key_jwt')
      yield `${place}.tokenEndpointAuthMethod: must be client_secret, or private_key_jwt with publicKeys in the same entry`
    if (typeof app.launchUri === 'string') {
      const { launchUri } = app
      const mistake = findLaunchMistake(launchUri)
      if (mistake) yield `${place}.launchUri: must ${mistake}`
      else if (![...textsIn(app.redirectUris)].some(([, uri]) => isLaunchOf(launchUri, uri)))
        yield `${place}.launchUri: must be one of the redirectUris of the same entry, with or without a query`
    }
    for (const [i, origin] of textsIn(app.origins)) {
      if (!isOrigin(origin)) yield `${place}.origins[${i}]: must be an origin, such as https://app.example.org`
    }
    for (const [i, scope] of textsIn(app.scopes)) {
      if (!isScope(scope)) yield `${place}.scopes[${i}]: must be one of ${SCOPES.join(', ')}`
    }
  },

  *refer({ organisation, owner }, place) {
    if (typeof organisation === 'string')
      yield { place: `${place}.organisation`, to: organisationSection, key: organisation }
    if (typeof owner === 'string') yield { place: `${place}.owner`, to: peopleSection, key: normaliseHandle(owner) }
  },

  async find(db, keys, environment) {
    const keyOf = new Map(keys.map((key) => [makeClientId(environment, key), key]))
    const rows = await db.all(store.findApps, { clients: [...keyOf.keys()] })
    return rows.map((row) => ({ ...row, key: keyOf.get(row.client_id)! }))
  },

  lock: (tx, { own }, environment) =>
    tx.all(store.lockApps, { clients: own.map((key) => makeClientId(environment, key)) }),

  prepare: async () => ({
    hide({ secrets, ...app }, _known, get) {
      if (secrets === undefined) return app
      const { environment, hashKey, seal } = get(secretKeys)
      const clientId = makeClientId(environment, app.key)
      const hiddenSecrets = [...new Set(secrets)].map((secret) => ({
        hash: hashSecret(secret, hashKey).toString('hex'),
        sealed: seal.seal(clientId, secret).toString('hex'),
      }))
      return { ...app, hiddenSecrets }
    },
  }),

  plan(app, found, { environment }) {
    const isPublic = app.public ?? found?.public_client ?? false
    const redirectUris = sortedSet(app.redirectUris ?? found?.redirect_uris ?? [])
    const launchUri = app.launchUri === undefined ? (found?.launch_uri ?? null) : app.launchUri
    const row = {
      name: lineOf(app.name),
      status: app.status ?? found?.status ?? 'approved',
      public_client: isPublic,
      pkce_required: isPublic || (app.pkce ?? found?.pkce_required ?? true),
      implicit_enabled: app.implicit ?? found?.implicit_enabled ?? false,
      basic_enabled: app.basic ?? found?.basic_enabled ?? false,
      device_enabled: app.device ?? found?.device_enabled ?? false,
      anonymous_enabled: app.anonymous ?? found?.anonymous_enabled ?? true,
      shared_buckets: app.sharedBuckets ?? found?.shared_buckets ?? false,
      secrets_sealed: app.plugin !== undefined || (found?.secrets_sealed ?? false),
      // Remove the launch URI if it no longer belongs to any of the redirect URIs.
      launch_uri: redirectUris.some((uri) => launchUri && isLaunchOf(launchUri, uri)) ? launchUri : null,
      backchannel_logout_uri: given(app.backchannelLogoutUri, found?.backchannel_logout_uri) ?? null,
      backchannel_logout_session_required:
        app.backchannelLogoutSessionRequired ?? found?.backchannel_logout_session_required ?? false,
      ...planProof(app, found, isPublic),
    }
    const owner = app.owner && normaliseHandle(app.owner)
    const stored = readScopes(found?.scopes ?? null) ?? null
    const scopes = app.scopes === undefined ? stored : app.scopes?.length ? readScopes(app.scopes)! : null
    const hasSameScopes = scopes?.join() === stored?.join()
    const change = {
      clientId: makeClientId(environment, app.key),
      row,
      organisation: ownerOf(app.organisation, found?.organisation_id),
      owner: ownerOf(owner, found?.owner_id),
      blocksLimit:
        app.storageBytes === undefined
          ? (found?.blocks_limit ?? DEFAULT_STORAGE_BLOCKS)
          : Math.floor(app.storageBytes / BLOCK_BYTES),
      redirectUris,
      origins: sortedSet(app.origins ?? found?.origins ?? []),
      postLogoutRedirectUris: sortedSet(app.postLogoutRedirectUris ?? found?.post_logout_redirect_uris ?? []),
      scopes,
      secrets: isPublic ? [] : app.hiddenSecrets,
      concernsTokens: found?.status === 'approved' && (row.status !== 'approved' || !hasSameScopes),
    }
    const isSame =
      found !== undefined &&
      Object.entries(row).every(([column, value]) => found[column as keyof typeof row] === value) &&
      found.organisation === given(app.organisation, found.organisation) &&
      found.owner === given(owner, found.owner) &&
      found.blocks_limit === change.blocksLimit &&
      isSameList(found.redirect_uris, change.redirectUris) &&
      isSameList(found.origins, change.origins) &&
      isSameList(found.post_logout_redirect_uris, change.postLogoutRedirectUris) &&
      hasSameScopes &&
      (change.secrets === undefined ||
        isSameList(
          change.secrets.map(({ hash }) => hash),
          found.secrets,
        ))
    return { change, isSame }
  },

  async write(tx, who, changes, { idOf }) {
    const rows = changes.map(({ id, change: { clientId, row, scopes, organisation, owner } }) => ({
      id,
      client_id: clientId,
      ...row,
      scopes,
      organisation_id: 'key' in organisation ? idOf(organisationSection, organisation.key) : organisation.id,
      owner_id: 'key' in owner ? idOf(peopleSection, owner.key) : owner.id,
    }))
    const made = await tx.all(store.insertApps, {
      rows: JSON.stringify(rows.filter(({ id }) => id === undefined)),
      now: who.at,
    })
    await tx.all(store.updateApps, { rows: JSON.stringify(rows.filter(({ id }) => id !== undefined)) })
    const ids = new Map(made.map(({ client_id, id }) => [client_id, id]))
    const planned = changes.map(({ id, change }) => ({ ...change, id: id ?? ids.get(change.clientId)! }))
    const apps = planned.map(({ id }) => id)
    const listRows = (list: (app: PlannedApp) => readonly string[]) =>
      JSON.stringify(planned.flatMap((app) => list(app).map((value) => ({ app_id: app.id, value }))))
    const storage = planned.map(({ id, blocksLimit }) => ({ app_id: id, blocks_limit: blocksLimit }))
    await tx.all(store.setStorageLimits, { rows: JSON.stringify(storage) })
    await tx.all(store.replaceRedirectUris, { apps, rows: listRows((app) => app.redirectUris) })
    await tx.all(store.replaceOrigins, { apps, rows: listRows((app) => app.origins) })
    await tx.all(store.replacePostLogoutUris, { apps, rows: listRows((app) => app.postLogoutRedirectUris) })
    const given = planned.filter(({ secrets }) => secrets !== undefined)
    const secrets = given.flatMap(({ id, row, secrets = [] }) =>
      secrets.map(({ hash, sealed }) => ({ app_id: id, hash, sealed: row.secrets_sealed ? sealed : null })),
    )
    const renewed = given.map(({ id }) => id)
    await tx.all(store.replaceSecrets, { apps: renewed, rows: JSON.stringify(secrets), now: who.at })
    for (const { id, concernsTokens } of planned)
      if (concernsTokens) await notify(tx, REVOKED, { appId: id } satisfies Revocation)
    await notify(tx, APPS_CHANGED)
    return changes.flatMap(({ key, id, change }) => (id === undefined ? [{ key, id: ids.get(change.clientId)! }] : []))
  },
}

function* checkKeys({ publicKeys, tokenEndpointAuthMethod, ...app }: Partial<AppEntry>, place: string) {
  const hasKeys = typeof publicKeys === 'string' && publicKeys.trim() !== ''
  const mistake = hasKeys ? findKeysMistake(publicKeys) : undefined
  if (mistake) yield `${place}.publicKeys: must ${mistake}`
  if (hasKeys && app.public === true)
    yield `${place}.publicKeys: must be left out, because a public client cannot keep a private key`
  if (!hasKeys && tokenEndpointAuthMethod === 'private_key_jwt')
    yield `${place}.publicKeys: must have a key, because the app uses private_key_jwt`
}

/** Plans how the app proves itself. Without a key, it uses a secret. */
function planProof(app: AppEntry, found: FoundApp | undefined, isPublic: boolean) {
  const given = app.publicKeys === undefined ? undefined : readPublicKeys(app.publicKeys ?? '')
  const stored = found?.public_keys ?? null
  const keys = given === undefined ? stored : given.length > 0 ? JSON.stringify(given) : null
  const method = app.tokenEndpointAuthMethod ?? found?.token_auth_method
  return {
    public_keys: isPublic ? null : keys,
    token_auth_method: !isPublic && keys !== null && method === 'private_key_jwt' ? method : null,
    id_token_algorithm: app.idTokenAlgorithm ?? found?.id_token_algorithm ?? null,
  }
}

const sortedSet = (items: readonly string[]): string[] => [...new Set(items)].sort()
const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  sortedSet(one).join('\n') === other.join('\n')

/**
 * Imports which apps a person uses. An import never removes a person from an app, because leaving is their own
 * decision.
 */
export const userTie: ImportTie<
  { readonly apps?: readonly string[] },
  { id: number; key: string },
  ReadonlySet<string>,
  readonly string[]
> = {
  field: 'apps',
  schema: Type.Optional(
    Texts(
      MAX_APPS,
      60,
      `a list of at most ${MAX_APPS} keys of apps`,
      'Apps that the user gets access to; none is removed, and withdrawn consent stays withdrawn',
    ),
  ),
  when: 'after',
  isAdded: true,

  *refer({ apps }, place) {
    for (const [j, key] of textsIn(apps)) yield { place: `${place}.apps[${j}]`, to: appSection, key }
  },

  /** Reads the pairs of person and app that already exist, including withdrawn consents. */
  async read(db, people, { find }) {
    const named = people.filter(({ entry }) => entry.apps !== undefined)
    const keys = new Set(named.flatMap(({ entry }) => entry.apps!))
    const apps = [...keys].flatMap((key) => find(appSection, key)?.id ?? [])
    const ids = apps.length === 0 ? [] : named.map(({ id }) => id)
    const rows = await readInBatches(ids, (batch) => db.all(store.findUsersOfApps, { people: batch, apps }))
    return new Set(rows.map((row) => `${row.person_id} ${row.app_id}`))
  },

  plan({ apps = [] }, found, users, { find }) {
    const isUser = (key: string): boolean => {
      const app = find(appSection, key)
      return found !== undefined && app !== undefined && users.has(`${found.id} ${app.id}`)
    }
    const added = [...new Set(apps)].filter((key) => !isUser(key))
    return added.length > 0 ? added : undefined
  },

  pick: (_entry, added) => added,

  write: (tx, who, changes, { idOf }) =>
    enrolUsers(
      tx,
      who,
      changes.flatMap(({ id, change }) => change.map((key) => ({ personId: id, appId: idOf(appSection, key) }))),
    ),
}
