import { APP_DEVELOPERS, DEVELOPERS, MANAGERS } from '../../apps/organisations/roles.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { administrator, recentSignIn } from '../../kernel/http/callers/needs.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import {
  activatePlugin,
  addSecret,
  changePlugin,
  dropOldSecrets,
  giveOrganisation,
  grantPermissions,
  listPlugins,
  readPlugin,
  registerPlugin,
  removePlugin,
} from './plugins.ts'
import {
  ActivatePlugin,
  ChangePlugin,
  GiveOrganisation,
  GrantPermissions,
  ListPlugins,
  NamePlugin,
  NewPlugin,
  NewPluginSecret,
  Plugin,
  PluginPage,
  RegisterPlugin,
} from './schema.ts'

const op = operationsIn({ area: 'Plugins', who: person })

const needs = [recentSignIn]

export const pluginOperations: readonly Operation[] = [
  op('PUT /plugin/v1/plugin', {
    name: 'registerPlugin',
    summary: 'Create a plugin',
    description:
      'Creates a plugin for an organisation, as one of its owners or developers. A new plugin has no permissions: an administrator grants those that it requests, and then it can be activated. The client secret is shown only once.',
    example: {
      request: {
        key: 'weather-helper',
        kind: 'ato',
        name: 'Weather helper',
        description: 'Authorises weather apps',
        organisation: 'sandhills',
        addresses: { request: 'http://localhost:4102/request' },
        redirectUris: ['http://localhost:4102/callback'],
        permissions: ['ato'],
      },
      as: 'ellis',
    },
    needs,
    roles: DEVELOPERS,
    input: RegisterPlugin,
    // With an idempotency key the response would be stored, and it contains the secret.
    refusesIdempotencyKey: true,
    output: json(NewPlugin),
    errors: ['duplicate'],
    run: ({ environment, db, who }, input) => registerPlugin(db, who, input, environment),
  }),
  op('POST /plugin/v1/plugin', {
    name: 'changePlugin',
    summary: 'Update a plugin',
    description:
      'Changes the fields that are sent; all others stay the same. Setting a URL enables it again. New permissions wait for an administrator; those that are left out are revoked.',
    example: {
      request: { clientId: 'gs-weather-helper', description: 'Authorises apps about the weather' },
      as: 'ellis',
      after: 'registerPlugin',
    },
    needs,
    roles: APP_DEVELOPERS,
    input: ChangePlugin,
    output: json(Plugin),
    errors: ['impossibleNow'],
    run: ({ environment, db, who }, input) => changePlugin(db, who, input, environment),
  }),
  op('GET /plugin/v1/plugin', {
    name: 'readPlugin',
    summary: 'Get a plugin',
    description:
      'Returns a plugin; its client secrets are not shown, only when each was created and last used. A failing URL says since when it has been failing.',
    example: { request: { clientId: 'gs-weather-helper' }, as: 'ellis', after: 'registerPlugin' },
    roles: APP_DEVELOPERS,
    input: NamePlugin,
    output: json(Plugin),
    errors: ['forbidden'],
    run: ({ db, who }, input) => readPlugin(db, who, input),
  }),
  op('GET /plugin/v1/plugin/list', {
    name: 'listPlugins',
    summary: 'List plugins',
    description: 'Returns the plugins that the caller works on, sorted by name. Administrators see all plugins.',
    example: { request: { organisation: 'sandhills' }, as: 'ellis', after: 'registerPlugin' },
    input: ListPlugins,
    output: json(PluginPage),
    run: ({ db, who }, input) => listPlugins(db, who, input),
  }),
  op('POST /plugin/v1/plugin/activate', {
    name: 'activatePlugin',
    summary: 'Activate or deactivate a plugin',
    description:
      'Activates a plugin, so that it can call the platform and is called by it, or deactivates it; users can still sign in to an inactive plugin unless it is suspended. To be activated, an ATO plugin needs the permission ato, a request URL and a redirect URI; an AI plugin needs at least one permission.',
    example: { request: { clientId: 'gs-weather-helper', active: true }, as: 'ellis', after: 'grantPluginPermissions' },
    roles: APP_DEVELOPERS,
    input: ActivatePlugin,
    output: json(Plugin),
    errors: ['impossibleNow'],
    run: ({ db, who }, input) => activatePlugin(db, who, input),
  }),
  op('POST /plugin/v1/plugin/remove', {
    name: 'removePlugin',
    summary: 'Delete a plugin',
    description: 'Deletes a plugin with its client secrets, requests, deliveries and user ids. This cannot be undone.',
    example: { request: { clientId: 'gs-weather-helper' }, as: 'ellis', after: 'registerPlugin' },
    needs,
    roles: APP_DEVELOPERS,
    input: NamePlugin,
    output: success(),
    run: ({ db, who }, input) => removePlugin(db, who, input),
  }),
  op('PUT /plugin/v1/plugin/secret', {
    name: 'addPluginSecret',
    summary: 'Create a plugin secret',
    description:
      'Creates a second client secret for a plugin; it is shown only once. Both secrets work until the old one is revoked. Until then the platform sends the older one, and signs with both.',
    example: { request: { clientId: 'gs-weather-helper' }, as: 'ellis', after: 'registerPlugin' },
    needs,
    roles: APP_DEVELOPERS,
    input: NamePlugin,
    refusesIdempotencyKey: true,
    output: json(NewPluginSecret),
    errors: ['impossibleNow'],
    run: ({ environment, db, who }, input) => addSecret(db, who, input, environment),
  }),
  op('POST /plugin/v1/plugin/secret/drop', {
    name: 'dropOldPluginSecret',
    summary: 'Revoke old plugin secrets',
    description:
      'Revokes all client secrets of a plugin except the newest. From then on the platform sends the newest one.',
    example: { request: { clientId: 'gs-weather-helper' }, as: 'ellis', after: 'addPluginSecret' },
    needs,
    roles: APP_DEVELOPERS,
    input: NamePlugin,
    output: json(Plugin),
    run: ({ db, who }, input) => dropOldSecrets(db, who, input),
  }),
  op('POST /plugin/v1/plugin/permissions', {
    name: 'grantPluginPermissions',
    summary: 'Set plugin permissions',
    description:
      'Grants the listed permissions to a plugin and revokes all others immediately. Only permissions that the plugin requests can be granted. The first grant approves the plugin.',
    example: { request: { clientId: 'gs-weather-helper', permissions: ['ato'] }, as: 'ellis', after: 'registerPlugin' },
    needs: [...needs, administrator],
    input: GrantPermissions,
    output: json(Plugin),
    errors: ['notFound'],
    run: ({ db, who }, input) => grantPermissions(db, who, input),
  }),
  op('POST /plugin/v1/plugin/organisation', {
    name: 'giveOrganisationToPlugin',
    summary: "Set a plugin's access",
    description:
      'Gives a plugin access to the users of an organisation, or revokes it. A plugin sees only users of organisations that it has access to. Owners of the organisation and administrators decide.',
    example: {
      request: { clientId: 'gs-weather-helper', organisation: 'sandhills', given: true },
      as: 'ellis',
      after: 'registerPlugin',
    },
    needs,
    roles: MANAGERS,
    input: GiveOrganisation,
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => giveOrganisation(db, who, input),
  }),
]
