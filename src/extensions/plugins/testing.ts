import type { EnvironmentName } from '../../kernel/config.ts'
import type { TestApp } from '../../operations/testing/testing.ts'
import { addPlugin } from './plugins.ts'
import { PERMISSIONS, type PluginKind, type Purpose } from './schema.ts'

export interface TestPlugin {
  readonly pluginId: number
  readonly appId: number
  readonly clientId: string
  readonly secret: string
  /** Value of the Authorization header for HTTP Basic. */
  readonly basic: string
}

/**
 * Registers a plugin, which by default is active and was granted every permission of its kind. Creates organisations
 * that do not exist.
 */
export async function registerTestPlugin(
  app: TestApp,
  what: {
    kind: PluginKind
    key: string
    permissions?: readonly string[]
    /** Permissions that the plugin asks for and nobody has granted. */
    ungranted?: readonly string[]
    /** Keys of the organisations whose people the plugin may see; the first organisation owns the plugin. */
    organisations?: readonly string[]
    addresses?: Partial<Record<Purpose, string>>
    redirectUris?: readonly string[]
    isActive?: boolean
  },
  name: EnvironmentName = 'production',
): Promise<TestPlugin> {
  const environment = app.environment(name)
  const {
    kind,
    key,
    ungranted = [],
    permissions = PERMISSIONS[kind].filter((one) => !ungranted.includes(one)),
    organisations = ['school'],
    addresses = {},
    isActive = true,
  } = what
  const who = { at: environment.clock(), requestId: 'test', address: '127.0.0.1' }
  for (const one of organisations)
    await app.sql(
      `insert into organisations (key, name, created_at) values ('${one}', '${one}', now()) on conflict do nothing`,
      name,
    )
  const [own] = await app.sql(`select id::int as id from organisations where key = '${organisations[0]}'`, name)
  const made = await environment.db.transaction((tx) =>
    addPlugin(
      tx,
      who,
      {
        kind,
        key,
        name: key,
        description: '',
        organisationId: Number(own!.id),
        ownerId: undefined,
        redirectUris: what.redirectUris ?? (kind === 'ato' ? ['http://127.0.0.1/callback'] : []),
      },
      environment,
    ),
  )
  const { pluginId, appId, clientId, clientSecret } = made
  const list = (values: readonly string[]) => values.map((value) => `('${value}')`).join() || '(null)'
  await app.sql(
    `update plugins set is_active = ${isActive} where id = ${pluginId};
     update apps set status = 'approved' where id = ${appId};
     insert into plugin_permissions (plugin_id, permission, asked_at, granted_at)
     select ${pluginId}, p, now(), now() from (values ${list(permissions)}) v(p) where p is not null
     union all select ${pluginId}, p, now(), null from (values ${list(ungranted)}) v(p) where p is not null;
     insert into plugin_organisations (plugin_id, organisation_id, given_at)
     select ${pluginId}, id, now() from organisations where key in (select k from (values ${list(organisations)}) v(k));
     insert into plugin_addresses (plugin_id, purpose, uri)
     select ${pluginId}, purpose, uri from json_each_text('${JSON.stringify(addresses)}') a(purpose, uri)`,
    name,
  )
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
  return { pluginId, appId, clientId, secret: clientSecret, basic }
}
