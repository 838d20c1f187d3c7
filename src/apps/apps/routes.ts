import type { Environment } from '../../kernel/environment.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { administrator, recentSignIn } from '../../kernel/http/callers/needs.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { outbound } from '../../kernel/outbound/outbound.ts'
import { CLIENT_ID, MOMENT } from '../../kernel/samples.ts'
import { APP_DEVELOPERS, DEVELOPERS } from '../organisations/roles.ts'
import { listChangedApps, markLookedAt } from './changes.ts'
import {
  addOwnSecret,
  changeOwnApp,
  decideApp,
  dropOwnSecrets,
  listManagedApps,
  listUsersOfApp,
  readOwnApp,
  registerOwnApp,
} from './management.ts'
import {
  AppPage,
  AppRecord,
  AppUserPage,
  ChangeApp,
  ChangedAppPage,
  ListApps,
  ListAppUsers,
  ListChangedApps,
  NameApp,
  NewApp,
  NewAppSecret,
  RegisterApp,
  ReviewApp,
  SetAppStatus,
} from './schema.ts'
import { secretKeys } from './secrets.ts'

const op = operationsIn({ area: 'Apps', who: person })

const needs = [recentSignIn]

/** In production, logout tokens are never sent to the machine of the platform. */
const receiversOf = ({ name, get }: Environment) => ({
  allowsLoopback: name === 'sandbox' && get(outbound).allowsLoopback,
})

export const appOperations: readonly Operation[] = [
  op('PUT /app/v1/app', {
    name: 'registerApp',
    summary: 'Create an app',
    description:
      'Creates an app for an organisation, as one of its owners or developers. In the sandbox an app works immediately; in production an administrator approves it first. The client secret is shown only once.',
    example: {
      request: {
        organisation: 'northwind',
        name: 'Logbook',
        key: 'logbook',
        redirectUris: ['https://logbook.example.org/callback'],
        launchUri: 'https://logbook.example.org/callback',
      },
      as: 'ellis',
    },
    needs,
    roles: DEVELOPERS,
    input: RegisterApp,
    // The secret is shown only once and must not be stored with an idempotency key.
    refusesIdempotencyKey: true,
    output: json(NewApp),
    errors: ['duplicate'],
    run: ({ environment, db, who }, input) =>
      registerOwnApp(db, who, input, environment.get(secretKeys), receiversOf(environment)),
  }),
  op('POST /app/v1/app', {
    name: 'changeApp',
    summary: 'Update an app',
    description:
      'Changes the fields that are sent; all others stay the same. Redirect URIs, post-logout redirect URIs and origins replace the whole list: entries that are left out are removed.',
    example: { request: { clientId: 'gs-logbook', name: 'Flight log' }, as: 'ellis', after: 'registerApp' },
    needs,
    roles: APP_DEVELOPERS,
    input: ChangeApp,
    output: json(AppRecord),
    run: ({ environment, db, who }, input) => changeOwnApp(db, who, input, environment.name, receiversOf(environment)),
  }),
  op('GET /app/v1/app', {
    name: 'readApp',
    summary: 'Get an app',
    description:
      'Returns an app with its number of users and its storage use. Its client secrets are not shown, only when each was created and last used.',
    example: { request: { clientId: 'gs-logbook' }, as: 'ellis', after: 'registerApp' },
    roles: APP_DEVELOPERS,
    input: NameApp,
    output: json(AppRecord),
    errors: ['forbidden'],
    run: ({ db, who }, input) => readOwnApp(db, who, input),
  }),
  op('GET /app/v1/app/list', {
    name: 'listApps',
    summary: 'List apps',
    description:
      'Returns the apps that the caller works on, sorted by name. Administrators see all apps, and with `status=pending` those that are waiting for approval.',
    example: { request: { status: 'pending' }, as: 'ellis', after: 'registerApp' },
    input: ListApps,
    output: json(AppPage),
    run: ({ db, who }, input) => listManagedApps(db, who, input),
  }),
  op('GET /app/v1/app/users', {
    name: 'listAppUsers',
    summary: 'List app users',
    description:
      'Returns the users who have allowed an app, newest first. It shows only what the app itself can read: the user id, when they allowed the app, and when they were last seen.',
    example: { request: { clientId: CLIENT_ID }, as: 'ellis' },
    roles: APP_DEVELOPERS,
    input: ListAppUsers,
    output: json(AppUserPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listUsersOfApp(db, who, input),
  }),
  op('PUT /app/v1/app/secret', {
    name: 'addAppSecret',
    summary: 'Create a client secret',
    description:
      'Creates a second client secret for an app; it is shown only once. Both secrets work until the old one is revoked, so that you can switch your servers one by one.',
    example: { request: { clientId: 'gs-logbook' }, as: 'ellis', after: 'registerApp' },
    needs,
    roles: APP_DEVELOPERS,
    input: NameApp,
    refusesIdempotencyKey: true,
    output: json(NewAppSecret),
    errors: ['impossibleNow'],
    run: ({ environment, db, who }, input) => addOwnSecret(db, who, input, environment.get(secretKeys)),
  }),
  op('POST /app/v1/app/secret/drop', {
    name: 'dropOldAppSecret',
    summary: 'Revoke old client secrets',
    description:
      'Revokes all client secrets of an app except the newest. Servers that still use an old one lose access immediately.',
    example: { request: { clientId: 'gs-logbook' }, as: 'ellis', after: 'addAppSecret' },
    needs,
    roles: APP_DEVELOPERS,
    input: NameApp,
    output: json(AppRecord),
    run: ({ db, who }, input) => dropOwnSecrets(db, who, input),
  }),
  op('POST /app/v1/app/status', {
    name: 'setAppStatus',
    summary: 'Approve or suspend an app',
    description:
      'Approves an app, so that users can sign in to it, or suspends it. All tokens of a suspended app are refused until it is approved again; its developers can read the `reason`.',
    example: { request: { clientId: 'gs-logbook', status: 'approved' }, as: 'ellis', after: 'registerApp' },
    needs: [recentSignIn, administrator],
    input: SetAppStatus,
    output: json(AppRecord),
    errors: ['noSuchApp'],
    run: ({ db, who }, input) => decideApp(db, who, input),
  }),
  op('GET /app/v1/app/changed', {
    name: 'listChangedApps',
    summary: 'List changed apps',
    description:
      'Returns the approved apps that were changed since an administrator last reviewed them, with who changed them and when. Developers can change an approved app, and the change takes effect immediately. Changes by administrators are not listed.',
    example: { request: {}, as: 'ellis' },
    needs: [administrator],
    input: ListChangedApps,
    output: json(ChangedAppPage),
    run: ({ db }, input) => listChangedApps(db, input),
  }),
  op('POST /app/v1/app/changed', {
    name: 'markAppLookedAt',
    summary: 'Mark an app as reviewed',
    description:
      'Removes an app from the list of changed apps. If it was changed again after `changedDate`, the request is refused with 409, so that no change goes unreviewed.',
    example: { request: { clientId: 'gs-logbook', changedDate: MOMENT }, as: 'ellis' },
    needs: [recentSignIn, administrator],
    input: ReviewApp,
    output: success(),
    errors: ['noSuchApp', 'conflict'],
    run: ({ db, who }, input) => markLookedAt(db, who, input),
  }),
]
