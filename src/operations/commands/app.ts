import { ALGORITHMS, AUTH_METHODS } from '../../apps/apps/algorithms.ts'
import {
  addApp,
  addAppSecret,
  BLOCK_BYTES,
  changeAppByClientId,
  dropOldAppSecrets,
  listAppSecrets,
  listApps,
  makeClientId,
  type OpenIdSettings,
  removeApp,
  resealSecrets,
  setAppStatus,
  setAppStorage,
  setAppSwitches,
  showApp,
} from '../../apps/apps/apps.ts'
import { proofOf } from '../../apps/apps/proof.ts'
import type { PublicJwk } from '../../apps/apps/public-keys.ts'
import { secretKeys, secretSeal } from '../../apps/apps/secrets.ts'
import { resealProviders } from '../../apps/providers/providers.ts'
import { resealSigningKeys } from '../../apps/signing/keys.ts'
import { ENVIRONMENTS, type EnvironmentName } from '../../kernel/config.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import {
  type CommandGroup,
  command,
  DROP_OLD_OPTION,
  ENVIRONMENT_OPTION,
  IN_PRODUCTION as environment,
  JSON_OPTION,
  layOut,
  print,
  printList,
  readSwitch,
  UsageError,
  YES_OPTION,
} from './command.ts'
import { readEnvironmentName, withEnvironment } from './database.ts'
import { readBounded } from './import-file.ts'
import { operator } from './operator.ts'

/** Environment option for commands that take a client ID, which already implies the environment. */
const implied = { ...ENVIRONMENT_OPTION, about: 'production or sandbox; needed only for a key of the sandbox' } as const

const MAX_KEY_FILE_BYTES = 64 * 1024

const LAUNCH = 'URL at which lessons open the app: a redirect URI, with or without a query'

const OPENID_OPTIONS = {
  'post-logout-redirect-uri': {
    type: 'string',
    multiple: true,
    value: 'URI',
    about: 'URL to which the platform may send users after the app has signed them out',
  },
  'backchannel-logout-uri': {
    type: 'string',
    value: 'URI',
    about: "URL that receives a logout token when a user is signed out; '' for none",
  },
  'backchannel-logout-session-required': {
    type: 'string',
    value: 'on|off',
    about: 'Whether the app needs sid in logout tokens',
  },
  'auth-method': {
    type: 'string',
    value: AUTH_METHODS.join('|'),
    about: 'How the app proves itself',
  },
  'public-keys': {
    type: 'string',
    value: 'FILE',
    about: "File with all public keys of the app: JWK, JWK Set or PEM; '' for none",
  },
  'id-token-algorithm': {
    type: 'string',
    value: ALGORITHMS.join('|'),
    about: 'Algorithm of its ID tokens',
  },
} as const

async function openIdSettingsIn(values: {
  readonly 'post-logout-redirect-uri'?: readonly string[] | undefined
  readonly 'backchannel-logout-uri'?: string | undefined
  readonly 'backchannel-logout-session-required'?: string | undefined
  readonly 'auth-method'?: string | undefined
  readonly 'public-keys'?: string | undefined
  readonly 'id-token-algorithm'?: string | undefined
}): Promise<OpenIdSettings> {
  const file = values['public-keys']
  return {
    postLogoutRedirectUris: values['post-logout-redirect-uri'],
    backchannelLogoutUri: values['backchannel-logout-uri'],
    backchannelLogoutSessionRequired: readSwitch(
      'backchannel-logout-session-required',
      values['backchannel-logout-session-required'],
    ),
    tokenEndpointAuthMethod: readChoice('auth-method', AUTH_METHODS, values['auth-method']),
    publicKeys: file && (await readBounded(file, MAX_KEY_FILE_BYTES)).toString('utf8'),
    idTokenAlgorithm: readChoice('id-token-algorithm', ALGORITHMS, values['id-token-algorithm']),
  }
}

function readChoice(name: string, choices: readonly string[], text: string | undefined): string | undefined {
  if (text !== undefined && !choices.includes(text))
    throw new UsageError(`--${name} must be ${choices.join(' or ')}, not '${text}'`)
  return text
}

/** Accepts a client ID, or an app's key together with an environment. */
function readClientId(given: string, option: string | undefined): { name: EnvironmentName; clientId: string } {
  const asked = readEnvironmentName(option)
  const own = given.startsWith('gs-sbx-') ? 'sandbox' : given.startsWith('gs-') ? 'production' : undefined
  if (own && asked && own !== asked) throw new UsageError(`${given} is a client ID of the other environment, ${own}`)
  const name = own ?? asked ?? 'production'
  return { name, clientId: own ? given : makeClientId(name, given) }
}

const withApp = (
  given: string,
  option: string | undefined,
  work: (environment: Environment, clientId: string) => Promise<void>,
): Promise<void> => {
  const { name, clientId } = readClientId(given, option)
  return withEnvironment(name, (found) => work(found, clientId))
}

const add = command({
  about: 'Create and approve an app, and print its client ID and client secret. The secret is shown only once.',
  args: ['KEY'],
  options: {
    name: { type: 'string', value: 'TEXT', about: 'Name that users see when they sign in (required)' },
    'redirect-uri': { type: 'string', multiple: true, value: 'URI', about: 'URL to which sign-in can redirect' },
    'launch-uri': { type: 'string', value: 'URI', about: LAUNCH },
    origin: { type: 'string', multiple: true, value: 'ORIGIN', about: 'Origin of web pages that may call the API' },
    ...OPENID_OPTIONS,
    scope: { type: 'string', multiple: true, value: 'SCOPE', about: 'Scope that the app may ask for (default: all)' },
    basic: { type: 'boolean', default: false, about: 'Allow sign-in with handle and password at /auth/basic' },
    implicit: { type: 'boolean', default: false, about: 'Allow the implicit flow' },
    device: { type: 'boolean', default: false, about: 'Allow sign-in on devices without a browser' },
    public: {
      type: 'boolean',
      default: false,
      about: 'Public client (browser or mobile app), which has no secret and uses PKCE',
    },
    owner: { type: 'string', value: 'HANDLE', about: 'Owner of the app' },
    environment,
  },
  examples: ["app add logbook --name 'Logbook' --redirect-uri https://logbook.example.org/callback --owner @drew"],
  run: async ([key], values) => {
    const { name } = values
    if (name === undefined) throw new UsageError('--name is missing')
    const openId = await openIdSettingsIn(values)
    await withEnvironment(
      values.environment,
      async (found) => {
        const { clientId, secret } = await addApp(
          found.db,
          operator(),
          {
            key: key!,
            name,
            owner: values.owner,
            redirectUris: values['redirect-uri'] ?? [],
            launchUri: values['launch-uri'],
            origins: values.origin ?? [],
            ...openId,
            scopes: values.scope,
            isBasicEnabled: values.basic,
            isImplicitEnabled: values.implicit,
            isDeviceEnabled: values.device,
            isPublic: values.public,
          },
          found.get(secretKeys),
        )
        print(`client ID      ${clientId}`)
        print(
          `client secret  ${secret ?? (values.public ? 'none: a public client uses PKCE' : 'none: the app uses its key')}`,
        )
      },
      { mayMakeKey: true },
    )
  },
})

const secret = command({
  about: 'Create a second client secret. Both work until --drop-old revokes the old one.',
  args: ['KEY'],
  options: {
    'drop-old': DROP_OLD_OPTION,
    list: { type: 'boolean', default: false, about: 'List when each secret was created and last used; create none' },
    json: { ...JSON_OPTION, about: 'With --list: prints JSON' },
    environment: implied,
  },
  examples: ['app secret logbook', 'app secret logbook --list', 'app secret logbook --drop-old'],
  run: async ([key], values) => {
    if (values.json && !values.list) throw new UsageError('--json works only with --list')
    if (values.list && values['drop-old']) throw new UsageError('Use either --list or --drop-old, not both')
    await withApp(key!, values.environment, async ({ db, get }, clientId) => {
      if (values.list) {
        const secrets = await listAppSecrets(db, { clientId })
        if (secrets.length === 0 && !values.json) return print('There is no secret.')
        return printList(secrets, values.json, {
          line: ({ createdAt, lastUsedAt }) =>
            `created ${createdAt}\t${lastUsedAt ? `last used ${lastUsedAt}` : 'never used'}`,
          json: ({ createdAt, lastUsedAt }) => ({ createdDate: createdAt, lastUsedDate: lastUsedAt ?? null }),
        })
      }
      if (values['drop-old']) {
        const dropped = await dropOldAppSecrets(db, operator(), { clientId })
        print(dropped === 0 ? 'There was no old secret.' : 'Only the newest secret is left.')
        return
      }
      const made = await addAppSecret(db, operator(), { clientId }, get(secretKeys))
      print(`client secret  ${made}`)
    })
  },
})

const approve = command({
  about: 'Approve an app, so that users can sign in to it.',
  args: ['CLIENT_ID'],
  options: { environment: implied },
  examples: ['app approve gs-logbook'],
  run: ([given], values) =>
    withApp(given!, values.environment, async ({ db }, clientId) => {
      await setAppStatus(db, operator(), { clientId, status: 'approved' })
      print(`${clientId} is approved.`)
    }),
})

const suspend = command({
  about: 'Suspend an app. Its tokens are refused immediately.',
  args: ['CLIENT_ID'],
  options: { environment: implied },
  examples: ['app suspend gs-logbook'],
  run: ([given], values) =>
    withApp(given!, values.environment, async ({ db }, clientId) => {
      await setAppStatus(db, operator(), { clientId, status: 'suspended' })
      print(`${clientId} is suspended.`)
    }),
})

const storage = command({
  about: "Set the storage limit of an app's buckets, in bytes. Data above the limit stays, but cannot grow.",
  args: ['CLIENT_ID', 'BYTES'],
  options: { environment: implied },
  examples: ['app storage gs-logbook 209715200'],
  run: async ([given, text], values) => {
    const bytes = Number(text)
    if (!/^\d+$/.test(text!) || !Number.isSafeInteger(bytes))
      throw new UsageError(`BYTES must be a whole number, not '${text}'`)
    await withApp(given!, values.environment, async ({ db }, clientId) => {
      await setAppStorage(db, operator(), { clientId, bytes })
      print(`${clientId} can store ${Math.floor(bytes / BLOCK_BYTES) * BLOCK_BYTES} bytes.`)
    })
  },
})

const set = command({
  about: 'Turn features of an app on or off. Options that you leave out stay the same.',
  args: ['CLIENT_ID'],
  options: {
    anonymous: { type: 'string', value: 'on|off', about: 'Allow use without an account (default: on)' },
    'shared-buckets': {
      type: 'string',
      value: 'on|off',
      about: 'Let all users of the app write to its public buckets (default: off)',
    },
    environment: implied,
  },
  examples: ['app set gs-logbook --anonymous off', 'app set gs-logbook --shared-buckets on'],
  run: async ([given], values) => {
    const switches = {
      hasAnonymous: readSwitch('anonymous', values.anonymous),
      sharesBuckets: readSwitch('shared-buckets', values['shared-buckets']),
    }
    if (Object.values(switches).every((one) => one === undefined))
      throw new UsageError('Use at least one option: --anonymous or --shared-buckets')
    await withApp(given!, values.environment, async ({ db }, clientId) => {
      const now = await setAppSwitches(db, operator(), { clientId, ...switches })
      print(`${clientId}: use without an account is ${now.hasAnonymous ? 'on' : 'off'}.`)
      print(`Public buckets can be changed by ${now.sharesBuckets ? 'all users of the app' : 'their members only'}.`)
    })
  },
})

const reseal = command({
  about: 'Re-encrypt the stored secrets of plugins, and the keys of ID tokens, with the first of SEAL_KEYS.',
  args: [],
  options: {},
  notes: 'It works on both environments. Afterwards you can remove the other keys.',
  examples: ['app reseal'],
  run: async () => {
    for (const name of ENVIRONMENTS)
      await withEnvironment(name, async ({ db, get }) => {
        const seal = get(secretSeal)
        const count =
          (await resealSecrets(db, seal)) + (await resealSigningKeys(db, seal)) + (await resealProviders(db, seal))
        print(`${name}\t${count} re-encrypted`)
      })
  },
})

const list = command({
  about: 'List all apps, separated by tabs: client ID, status, storage used and allowed in bytes, owner, name.',
  args: [],
  options: { environment, json: JSON_OPTION },
  examples: ['app list', 'app list --environment sandbox --json'],
  run: (_args, values) =>
    withEnvironment(values.environment, async ({ db }) =>
      printList(await listApps(db), values.json, {
        line: (app) => {
          const { storageUsed, storageLimit } = storageOf(app)
          return [app.client_id, app.status, `${storageUsed} of ${storageLimit}`, app.owner ?? '-', app.name].join('\t')
        },
        json: (app) => ({
          clientId: app.client_id,
          name: app.name,
          status: app.status,
          owner: app.owner,
          ...storageOf(app),
        }),
      }),
    ),
})

const storageOf = ({ blocks_used, blocks_limit }: { blocks_used: number; blocks_limit: number }) => ({
  storageUsed: blocks_used * BLOCK_BYTES,
  storageLimit: blocks_limit * BLOCK_BYTES,
})

const show = command({
  about: 'Show the settings, the owner and the storage use of an app.',
  args: ['CLIENT_ID'],
  options: { environment: implied, json: JSON_OPTION },
  examples: ['app show gs-logbook', 'app show gs-logbook --json'],
  run: ([given], values) =>
    withApp(given!, values.environment, async ({ db }, clientId) => {
      const row = await showApp(db, { clientId })
      const shown = {
        clientId: row.client_id,
        name: row.name,
        status: row.status,
        kind: row.is_plugin ? 'plugin' : row.public_client ? 'public client' : 'app',
        owner: row.owner,
        organisation: row.organisation,
        redirectUris: row.redirect_uris,
        launchUri: row.launch_uri,
        origins: row.origins,
        scopes: row.scopes ?? [],
        basic: row.basic_enabled,
        implicit: row.implicit_enabled,
        device: row.device_enabled,
        anonymous: row.anonymous_enabled,
        sharedBuckets: row.shared_buckets,
        postLogoutRedirectUris: row.post_logout_redirect_uris,
        backchannelLogoutUri: row.backchannel_logout_uri,
        backchannelLogoutSessionRequired: row.backchannel_logout_session_required,
        ...proofOf(row),
        users: row.users,
        ...storageOf(row),
        createdDate: row.created_at,
      }
      if (values.json) return print(JSON.stringify(shown, null, 2))
      print(layOut(Object.entries(shown).map(([name, value]) => [name, describe(value)])).join('\n'))
    }),
})

/** Returns the id of a public key, or its type if it has none. */
const nameOf = (item: unknown): string =>
  typeof item === 'object' ? ((item as PublicJwk).kid ?? (item as PublicJwk).kty) : String(item)

const describe = (value: unknown): string => {
  if (Array.isArray(value)) return value.length > 0 ? value.map(nameOf).join(' ') : '-'
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value ?? '-')
}

const update = command({
  about: 'Update an app. Options that you leave out stay the same.',
  args: ['CLIENT_ID'],
  options: {
    name: { type: 'string', value: 'TEXT', about: 'Name that users see when they sign in' },
    owner: { type: 'string', value: 'HANDLE', about: 'Owner of the app' },
    'redirect-uri': {
      type: 'string',
      multiple: true,
      value: 'URI',
      about: 'URL to which sign-in can redirect',
    },
    'launch-uri': { type: 'string', value: 'URI', about: `${LAUNCH}; '' for none` },
    origin: { type: 'string', multiple: true, value: 'ORIGIN', about: 'Origin of web pages that may call the API' },
    ...OPENID_OPTIONS,
    scope: { type: 'string', multiple: true, value: 'SCOPE', about: "Scope that the app may ask for; '' for all" },
    basic: { type: 'string', value: 'on|off', about: 'Allow sign-in with handle and password at /auth/basic' },
    implicit: { type: 'string', value: 'on|off', about: 'Allow the implicit flow' },
    device: { type: 'string', value: 'on|off', about: 'Allow sign-in on devices without a browser' },
    environment: implied,
  },
  notes:
    '--redirect-uri, --post-logout-redirect-uri, --origin and --scope replace the whole list: repeat all that should stay.',
  examples: ["app update gs-logbook --name 'Pilot Logbook'", 'app update gs-logbook --basic on --owner @drew'],
  run: async ([given], values) => {
    const openId = await openIdSettingsIn(values)
    const change = {
      name: values.name,
      owner: values.owner,
      redirectUris: values['redirect-uri'],
      launchUri: values['launch-uri'],
      origins: values.origin,
      ...openId,
      scopes: values.scope?.filter((scope) => scope !== ''),
      isBasicEnabled: readSwitch('basic', values.basic),
      isImplicitEnabled: readSwitch('implicit', values.implicit),
      isDeviceEnabled: readSwitch('device', values.device),
    }
    if (Object.values(change).every((one) => one === undefined))
      throw new UsageError('Use at least one option, such as --name')
    await withApp(given!, values.environment, async ({ db }, clientId) => {
      await changeAppByClientId(db, operator(), { clientId, ...change })
      print(`${clientId} was updated. To see it: npx groundschool app show ${clientId}`)
    })
  },
})

const remove = command({
  about: 'Delete an app or a plugin permanently, with its secrets, users, tokens and buckets.',
  args: ['CLIENT_ID'],
  options: { yes: YES_OPTION, environment: implied },
  notes: 'User accounts and the statements that the app sent stay. To stop an app for a while, suspend it instead.',
  examples: ['app remove gs-logbook --yes'],
  run: async ([given], values) => {
    if (!values.yes) throw new UsageError(`Deleting ${given} cannot be undone: repeat the command with --yes`)
    await withApp(given!, values.environment, async ({ db }, clientId) => {
      if (!(await removeApp(db, operator(), { clientId }))) throw fail('noSuchApp')
      print(`${clientId} was deleted.`)
    })
  },
})

export const app: CommandGroup = {
  about: 'Manage apps: creation, approval, secrets, storage.',
  verbs: { add, list, show, update, remove, secret, approve, suspend, storage, set, reseal },
}
