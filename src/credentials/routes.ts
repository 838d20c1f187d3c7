import { person } from '../http/callers/callers.ts'
import { aRecentSignIn } from '../http/callers/needs.ts'
import { Nothing } from '../http/input/fields.ts'
import { type Operation, operation } from '../http/operation.ts'
import { json, success } from '../http/output/output.ts'
import { anAdministrator, recordStore } from './caller.ts'
import { describeCaller } from './credentials.ts'
import { examples } from './examples.ts'
import {
  addSecret,
  type CheckAgent,
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
  NewSecret,
  StoreIdentity,
} from './schema.ts'

const area = 'Record store'
const path = '/lrs/v1/credentials'
const needs = [aRecentSignIn, anAdministrator]

/** What an agent must be is said by the room of statements, which lets keys in: so it is handed over. */
export const credentialOperations = (checkAgent: CheckAgent): readonly Operation[] => [
  operation({
    name: 'readStoreIdentity',
    summary: 'Says as whom the record store sees the caller',
    ...examples.readStoreIdentity,
    method: 'GET',
    path: '/lrs/v1/whoami',
    area,
    who: recordStore,
    role: 'whoever may speak to the record store',
    input: Nothing,
    from: 'query',
    output: json(StoreIdentity),
    errors: [],
    run: async ({ who }) => describeCaller(who),
  }),
  operation({
    name: 'makeCredential',
    summary: 'Makes a key of the record store',
    ...examples.makeCredential,
    method: 'PUT',
    path,
    area,
    who: person,
    needs,
    input: MakeCredential,
    from: 'body',
    // The secret is shown once, and not kept.
    isUnrepeatable: true,
    output: json(NewCredential),
    errors: ['validationFailed'],
    run: ({ environment, db, who }, input) => makeCredential(environment, db, who, input, checkAgent),
  }),
  operation({
    name: 'listCredentials',
    summary: 'Lists the keys of the record store',
    ...examples.listCredentials,
    method: 'GET',
    path,
    area,
    who: person,
    needs: [anAdministrator],
    input: ListCredentials,
    from: 'query',
    output: json(CredentialPage),
    errors: [],
    run: ({ environment, db, who }, input) => listCredentials(environment, db, who, input),
  }),
  operation({
    name: 'changeCredential',
    summary: 'Changes, suspends or resumes a key of the record store',
    ...examples.changeCredential,
    method: 'POST',
    path,
    area,
    who: person,
    needs,
    input: ChangeCredential,
    from: 'body',
    output: json(Credential),
    errors: ['validationFailed', 'impossibleNow', 'notFound'],
    run: ({ environment, db, who }, input) => changeCredential(environment, db, who, input),
  }),
  operation({
    name: 'revokeCredential',
    summary: 'Revokes a key of the record store for good',
    ...examples.revokeCredential,
    method: 'POST',
    path: `${path}/revoke`,
    area,
    who: person,
    needs,
    input: NameCredential,
    from: 'body',
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => revokeCredential(db, who, input),
  }),
  operation({
    name: 'addCredentialSecret',
    summary: 'Gives a key of the record store a second secret',
    ...examples.addCredentialSecret,
    method: 'PUT',
    path: `${path}/secret`,
    area,
    who: person,
    needs,
    input: NameCredential,
    from: 'body',
    isUnrepeatable: true,
    output: json(NewSecret),
    errors: ['impossibleNow', 'notFound'],
    run: ({ environment, db, who }, input) => addSecret(environment, db, who, input),
  }),
  operation({
    name: 'dropOldCredentialSecret',
    summary: 'Ends all secrets of a key but the newest',
    ...examples.dropOldCredentialSecret,
    method: 'POST',
    path: `${path}/secret/drop`,
    area,
    who: person,
    needs,
    input: NameCredential,
    from: 'body',
    output: json(Credential),
    errors: ['impossibleNow', 'notFound'],
    run: ({ environment, db, who }, input) => dropOldSecrets(environment, db, who, input),
  }),
]
