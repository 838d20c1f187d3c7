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
    summary: 'Registers a plugin',
    description:
      'Owners and developers of an organisation register plugins for it. A new plugin has no permissions: an administrator grants what it asks for, then it can be activated. The client secret is shown only once.',
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
    summary: 'Changes a plugin',
    description:
      'Changes the fields that are sent; the rest stays. Setting an address turns it back on. New permissions wait for an administrator; those that are left out are lost.',
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
    summary: 'Reads a plugin',
    description:
      'Everything about a plugin except its secrets, which are listed with their creation and last use. A failing address says since when.',
    example: { request: { clientId: 'gs-weather-helper' }, as: 'ellis', after: 'registerPlugin' },
    roles: APP_DEVELOPERS,
    input: NamePlugin,
    output: json(Plugin),
    errors: ['forbidden'],
    run: ({ db, who }, input) => readPlugin(db, who, input),
  }),
  op('GET /plugin/v1/plugin/list', {
    name: 'listPlugins',
    summary: 'Lists the plugins that the caller works on',
    description: 'The plugins that the caller works on, by name. Administrators see all of them.',
    example: { request: { organisation: 'sandhills' }, as: 'ellis', after: 'registerPlugin' },
    input: ListPlugins,
    output: json(PluginPage),
    run: ({ db, who }, input) => listPlugins(db, who, input),
  }),
  op('POST /plugin/v1/plugin/activate', {
    name: 'activatePlugin',
    summary: 'Activates or deactivates a plugin',
    description:
      'An active plugin can call the platform, and is called by it; people can sign in to an inactive one too, unless it is suspended. To be activated, an ATO plugin needs the permission ato, a request address and a redirect URI; an AI plugin needs any permission.',
    example: { request: { clientId: 'gs-weather-helper', active: true }, as: 'ellis', after: 'grantPluginPermissions' },
    roles: APP_DEVELOPERS,
    input: ActivatePlugin,
    output: json(Plugin),
    errors: ['impossibleNow'],
    run: ({ db, who }, input) => activatePlugin(db, who, input),
  }),
  op('POST /plugin/v1/plugin/remove', {
    name: 'removePlugin',
    summary: 'Removes a plugin for good',
    description: 'Its secrets, requests, deliveries and ids of people are deleted too. This cannot be undone.',
    example: { request: { clientId: 'gs-weather-helper' }, as: 'ellis', after: 'registerPlugin' },
    needs,
    roles: APP_DEVELOPERS,
    input: NamePlugin,
    output: success(),
    run: ({ db, who }, input) => removePlugin(db, who, input),
  }),
  op('PUT /plugin/v1/plugin/secret', {
    name: 'addPluginSecret',
    summary: 'Gives a plugin a second client secret',
    description:
      'The new secret is shown only once. Both work until the old one is dropped. Until then the platform sends the older one, and signs with both.',
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
    summary: 'Drops all secrets of a plugin except the newest',
    description: 'Only the newest secret keeps working. From then on the platform sends that one.',
    example: { request: { clientId: 'gs-weather-helper' }, as: 'ellis', after: 'addPluginSecret' },
    needs,
    roles: APP_DEVELOPERS,
    input: NamePlugin,
    output: json(Plugin),
    run: ({ db, who }, input) => dropOldSecrets(db, who, input),
  }),
  op('POST /plugin/v1/plugin/permissions', {
    name: 'grantPluginPermissions',
    summary: 'Grants permissions to a plugin, or revokes them',
    description:
      'Listed permissions are granted; all others are revoked at once. Only what the plugin has asked for can be granted. The first grant approves the plugin.',
    example: { request: { clientId: 'gs-weather-helper', permissions: ['ato'] }, as: 'ellis', after: 'registerPlugin' },
    needs: [...needs, administrator],
    input: GrantPermissions,
    output: json(Plugin),
    errors: ['notFound'],
    run: ({ db, who }, input) => grantPermissions(db, who, input),
  }),
  op('POST /plugin/v1/plugin/organisation', {
    name: 'giveOrganisationToPlugin',
    summary: 'Gives a plugin access to the people of an organisation, or removes it',
    description:
      'A plugin sees only people of the organisations that it was given. Owners of the organisation and administrators decide.',
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
