import { person } from '../../kernel/http/callers/callers.ts'
import { administrator, recentSignIn } from '../../kernel/http/callers/needs.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { STORE_KEY } from '../../kernel/samples.ts'
import { recordStore } from './caller.ts'
import { describeCaller } from './credentials.ts'
import {
  addSecret,
  changeCredential,
  dropOldSecrets,
  listCredentials,
  makeCredential,
  revokeCredential,
} from './managing.ts'
import {
  ChangeCredential,
  Credential,
  CredentialPage,
  ListCredentials,
  MakeCredential,
  NameCredential,
  NewCredential,
  NewStoreSecret,
  StoreIdentity,
} from './schema.ts'

const op = operationsIn({ area: 'Record store', who: person })

const needs = [recentSignIn, administrator]

export const credentialOperations: readonly Operation[] = [
  op('GET /lrs/v1/whoami', {
    name: 'readStoreIdentity',
    summary: 'Get your record store identity',
    description:
      'Returns how the record store identifies the caller: the key, its scopes, and the authority that its statements get. Call this first if a tool is refused; users of apps and administrators can call it too.',
    who: recordStore,
    scope: 'statements',
    input: Nothing,
    output: json(StoreIdentity),
    run: async ({ who }) => describeCaller(who),
  }),
  op('PUT /lrs/v1/credentials', {
    name: 'makeCredential',
    summary: 'Create a record store key',
    description:
      'Creates a key for a tool, which sends key and secret as user name and password (Basic). The secret is shown only once. Give each tool its own key, with only the scopes that it needs.',
    example: { request: { name: 'Simulator 3', scopes: ['statements/write', 'statements/read/mine'] }, as: 'ellis' },
    needs,
    input: MakeCredential,
    // The secret is returned only once and not stored, so the response cannot be repeated.
    refusesIdempotencyKey: true,
    output: json(NewCredential),
    errors: ['validationFailed'],
    run: ({ environment, db, who }, input) => makeCredential(db, who, input, environment),
  }),
  op('GET /lrs/v1/credentials', {
    name: 'listCredentials',
    summary: 'List record store keys',
    description:
      'Returns the keys of the record store, newest first, including revoked ones. Secrets are not shown, only when each was created and last used, to the minute.',
    example: { request: { limit: 1 }, as: 'ellis' },
    needs: [administrator],
    input: ListCredentials,
    output: json(CredentialPage),
    run: ({ environment, db, who }, input) => listCredentials(db, who, input, environment),
  }),
  op('POST /lrs/v1/credentials', {
    name: 'changeCredential',
    summary: 'Update a record store key',
    description:
      'Changes the fields that are sent, and suspends or resumes the key; all other fields stay the same. A suspended key is refused until it is resumed. Changes take effect immediately.',
    example: { request: { key: STORE_KEY, suspended: true, usesLibrary: true }, as: 'ellis' },
    needs,
    input: ChangeCredential,
    output: json(Credential),
    errors: ['validationFailed', 'impossibleNow', 'notFound'],
    run: ({ environment, db, who }, input) => changeCredential(db, who, input, environment),
  }),
  op('POST /lrs/v1/credentials/revoke', {
    name: 'revokeCredential',
    summary: 'Revoke a record store key',
    description:
      'Revokes a key permanently; it is refused immediately. The statements that it has sent stay, and so does its entry in the list.',
    example: { request: { key: STORE_KEY }, as: 'ellis' },
    needs,
    input: NameCredential,
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => revokeCredential(db, who, input),
  }),
  op('PUT /lrs/v1/credentials/secret', {
    name: 'addCredentialSecret',
    summary: 'Create a secret for a key',
    description:
      'Creates a second secret for a key of the record store; it is shown only once. Both secrets work until the old one is revoked, so that tools can be switched over one by one.',
    example: { request: { key: STORE_KEY }, as: 'ellis' },
    needs,
    input: NameCredential,
    refusesIdempotencyKey: true,
    output: json(NewStoreSecret),
    errors: ['impossibleNow', 'notFound'],
    run: ({ environment, db, who }, input) => addSecret(db, who, input, environment),
  }),
  op('POST /lrs/v1/credentials/secret/drop', {
    name: 'dropOldCredentialSecret',
    summary: 'Revoke old secrets of a key',
    description:
      'Revokes all secrets of a key except the newest. Tools that still send an old one lose access immediately.',
    example: { request: { key: STORE_KEY }, as: 'ellis' },
    needs,
    input: NameCredential,
    output: json(Credential),
    errors: ['impossibleNow', 'notFound'],
    run: ({ environment, db, who }, input) => dropOldSecrets(db, who, input, environment),
  }),
]
