import { person } from '../../kernel/http/callers/callers.ts'
import { administrator, recentSignIn } from '../../kernel/http/callers/needs.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
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

export const appOperations: readonly Operation[] = [
  op('PUT /app/v1/app', {
    name: 'registerApp',
    summary: 'Registers an app',
    description:
      'Owners and developers of an organisation register apps for it. In the sandbox an app works at once; in production an administrator approves it first. The client secret is shown only once.',
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
    run: ({ environment, db, who }, input) => registerOwnApp(db, who, input, environment.get(secretKeys)),
  }),
  op('POST /app/v1/app', {
    name: 'changeApp',
    summary: 'Changes an app',
    description:
      'Changes the fields that are sent; the rest stays. Redirect URIs and origins replace the whole list: entries that are left out are removed.',
    example: { request: { clientId: 'gs-logbook', name: 'Flight log' }, as: 'ellis', after: 'registerApp' },
    needs,
    roles: APP_DEVELOPERS,
    input: ChangeApp,
    output: json(AppRecord),
    run: ({ environment, db, who }, input) => changeOwnApp(db, who, input, environment.name),
  }),
  op('GET /app/v1/app', {
    name: 'readApp',
    summary: 'Reads an app',
    description:
      'Everything about an app except its secrets, which are listed with their creation and last use. It also has the number of users and the storage in use.',
    example: { request: { clientId: 'gs-logbook' }, as: 'ellis', after: 'registerApp' },
    roles: APP_DEVELOPERS,
    input: NameApp,
    output: json(AppRecord),
    errors: ['forbidden'],
    run: ({ db, who }, input) => readOwnApp(db, who, input),
  }),
  op('GET /app/v1/app/list', {
    name: 'listApps',
    summary: 'Lists the apps that the caller works on',
    description:
      'The apps that the caller works on, by name. Administrators see all of them: with `status=pending` those that wait to be approved.',
    example: { request: { status: 'pending' }, as: 'ellis', after: 'registerApp' },
    input: ListApps,
    output: json(AppPage),
    run: ({ db, who }, input) => listManagedApps(db, who, input),
  }),
  op('GET /app/v1/app/users', {
    name: 'listAppUsers',
    summary: 'Lists the users of an app',
    description:
      'People who have allowed the app, newest first. It shows only what the app itself may know: the user id, since when, and when they were last seen.',
    example: { request: { clientId: CLIENT_ID }, as: 'ellis' },
    roles: APP_DEVELOPERS,
    input: ListAppUsers,
    output: json(AppUserPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listUsersOfApp(db, who, input),
  }),
  op('PUT /app/v1/app/secret', {
    name: 'addAppSecret',
    summary: 'Gives an app a second client secret',
    description:
      'The new secret is shown only once. Both work until the old one is dropped, so that you can switch servers one by one.',
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
    summary: 'Drops all secrets of an app except the newest',
    description: 'Only the newest secret keeps working. Callers that still use another one are refused at once.',
    example: { request: { clientId: 'gs-logbook' }, as: 'ellis', after: 'addAppSecret' },
    needs,
    roles: APP_DEVELOPERS,
    input: NameApp,
    output: json(AppRecord),
    run: ({ db, who }, input) => dropOwnSecrets(db, who, input),
  }),
  op('POST /app/v1/app/status', {
    name: 'setAppStatus',
    summary: 'Approves an app, or suspends it',
    description:
      'People can sign in to an approved app. Tokens of a suspended app are refused at once, until it is approved again; its developers read the `reason`.',
    example: { request: { clientId: 'gs-logbook', status: 'approved' }, as: 'ellis', after: 'registerApp' },
    needs: [recentSignIn, administrator],
    input: SetAppStatus,
    output: json(AppRecord),
    errors: ['noSuchApp'],
    run: ({ db, who }, input) => decideApp(db, who, input),
  }),
  op('GET /app/v1/app/changed', {
    name: 'listChangedApps',
    summary: 'Lists the approved apps that were changed since an administrator reviewed them',
    description:
      'Developers may change an app that is approved, and the change takes effect at once. Here administrators see what was changed since they approved it or last reviewed it, with who and when; changes by administrators do not count.',
    example: { request: {}, as: 'ellis' },
    needs: [administrator],
    input: ListChangedApps,
    output: json(ChangedAppPage),
    run: ({ db }, input) => listChangedApps(db, input),
  }),
  op('POST /app/v1/app/changed', {
    name: 'markAppLookedAt',
    summary: 'Marks the changes of an app as reviewed',
    description:
      'Takes the app off the list of changed apps. If it was changed again after `changedDate`, this is refused with 409, so that no change goes unreviewed.',
    example: { request: { clientId: 'gs-logbook', changedDate: MOMENT }, as: 'ellis' },
    needs: [recentSignIn, administrator],
    input: ReviewApp,
    output: success(),
    errors: ['noSuchApp', 'conflict'],
    run: ({ db, who }, input) => markLookedAt(db, who, input),
  }),
]
