import { person } from '../../kernel/http/callers/callers.ts'
import { recentSignIn } from '../../kernel/http/callers/needs.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { PROVIDER_ISSUER } from '../../kernel/samples.ts'
import { MANAGERS } from '../organisations/roles.ts'
import { addDomain, proveDomain, removeDomain } from './domains.ts'
import {
  listFailures,
  readProvider,
  removeProvider,
  setProvider,
  setProviderMode,
  unlinkIdentity,
} from './providers.ts'
import {
  ListFailures,
  NameDomain,
  NameIdentity,
  NameProvider,
  Provider,
  ProviderFailures,
  SetProvider,
  SetProviderMode,
} from './schema.ts'

const op = operationsIn({ area: 'Sign-in providers', who: person })
const roles = MANAGERS
const needs = [recentSignIn]
const organisation = 'sandhills'

export const providerOperations: readonly Operation[] = [
  op('GET /edu/v1/organisation/provider', {
    name: 'readProvider',
    summary: 'Get the sign-in provider',
    description:
      'Returns the OpenID provider with which people of an organisation can sign in, its e-mail domains, and the addresses to register at the provider. The issuer is null if none is connected.',
    example: { request: { organisation }, as: 'ellis' },
    roles,
    input: NameProvider,
    output: json(Provider),
    errors: ['forbidden'],
    run: ({ db, who, environment }, input) => readProvider(db, who, input, environment),
  }),
  op('POST /edu/v1/organisation/provider', {
    name: 'setProvider',
    summary: 'Set the sign-in provider',
    description:
      'Connects the OpenID provider of an organisation, or changes its settings; fields that are left out stay the same. The platform reads the configuration of the provider, and says in words what is wrong with it. After another issuer or client ID the provider is off until it is tested; after another secret or other groups the mode stays, and cannot be raised until it is tested.',
    example: {
      request: {
        organisation,
        issuer: PROVIDER_ISSUER,
        clientId: 'groundschool',
        clientSecret: 'secret',
      },
      as: 'ellis',
      fill: { issuer: 'The issuer of your provider', clientSecret: 'The client secret that your provider has created' },
    },
    needs,
    roles,
    input: SetProvider,
    output: json(Provider),
    errors: ['forbidden', 'impossibleNow'],
    // It waits for another server, and its input is a secret.
    refusesIdempotencyKey: true,
    run: ({ db, who, environment }, input) => setProvider(db, who, input, environment),
  }),
  op('POST /edu/v1/organisation/provider/mode', {
    name: 'setProviderMode',
    summary: 'Set the mode of the sign-in provider',
    description:
      'Turns the sign-in provider of an organisation on or off. It must have been tested to raise the mode, and enforcing it needs an owner with a password or passkey as a break-glass account. Nobody is signed out.',
    example: {
      request: { organisation, mode: 'allowed' },
      as: 'ellis',
      after: 'setProvider',
      fill: { organisation: 'An organisation whose provider was tested' },
    },
    needs,
    roles,
    input: SetProviderMode,
    output: json(Provider),
    errors: ['forbidden', 'impossibleNow'],
    run: ({ db, who, environment }, input) => setProviderMode(db, who, input, environment),
  }),
  op('POST /edu/v1/organisation/provider/remove', {
    name: 'removeProvider',
    summary: 'Remove the sign-in provider',
    description:
      'Disconnects the provider of an organisation and all accounts from it. People keep their accounts; those without a password or passkey set a password by e-mail. The domains stay.',
    example: {
      request: { organisation },
      as: 'ellis',
      after: 'setProvider',
      fill: { organisation: 'An organisation with a provider' },
    },
    needs,
    roles,
    input: NameProvider,
    output: success(),
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => removeProvider(db, who, input),
  }),
  op('POST /edu/v1/organisation/provider/domain', {
    name: 'addProviderDomain',
    summary: 'Add an e-mail domain',
    description: 'Adds an e-mail domain of an organisation. The response has the TXT record that proves the domain.',
    example: { request: { organisation, domain: 'sandhills.example' }, as: 'ellis' },
    needs,
    roles,
    input: NameDomain,
    output: json(Provider),
    errors: ['forbidden', 'impossibleNow'],
    run: ({ db, who, environment }, input) => addDomain(db, who, input, environment),
  }),
  op('POST /edu/v1/organisation/provider/domain/prove', {
    name: 'proveProviderDomain',
    summary: 'Check an e-mail domain',
    description:
      'Looks up the TXT record of a domain now. A domain belongs to one organisation: the proof of another one moves only if its record is gone.',
    example: {
      request: { organisation, domain: 'sandhills.example' },
      as: 'ellis',
      after: 'addProviderDomain',
      fill: { domain: 'A domain of the organisation that has the TXT record' },
    },
    needs,
    roles,
    input: NameDomain,
    output: json(Provider),
    errors: ['forbidden', 'notFound', 'conflict', 'impossibleNow'],
    // It waits for name servers.
    refusesIdempotencyKey: true,
    run: ({ db, who, environment }, input) => proveDomain(db, who, input, environment),
  }),
  op('POST /edu/v1/organisation/provider/domain/remove', {
    name: 'removeProviderDomain',
    summary: 'Remove an e-mail domain',
    description:
      'Removes an e-mail domain of an organisation. Addresses in it no longer lead to its provider, and accounts that are connected stay connected.',
    example: { request: { organisation, domain: 'sandhills.example' }, as: 'ellis', after: 'addProviderDomain' },
    needs,
    roles,
    input: NameDomain,
    output: json(Provider),
    errors: ['forbidden', 'notFound'],
    run: ({ db, who, environment }, input) => removeDomain(db, who, input, environment),
  }),
  op('GET /edu/v1/organisation/provider/failures', {
    name: 'listProviderFailures',
    summary: 'List failed sign-ins with the provider',
    description:
      'Returns sign-ins with the provider of an organisation that failed, newest first, with the claim that was wrong. They are kept for 30 days, and 1,000 at most.',
    example: { request: { organisation, limit: 5 }, as: 'ellis' },
    roles,
    input: ListFailures,
    output: json(ProviderFailures),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listFailures(db, who, input),
  }),
  op('POST /edu/v1/organisation/provider/unlink', {
    name: 'unlinkProviderIdentity',
    summary: 'Remove a member from the sign-in provider',
    description:
      'Disconnects the account of a member from the sign-in provider and signs the member out everywhere. The account can be connected again.',
    example: {
      request: { organisation, handle: '@drew' },
      as: 'ellis',
      fill: { handle: 'A member who has signed in with the provider' },
    },
    needs,
    roles,
    input: NameIdentity,
    output: success(),
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => unlinkIdentity(db, who, input),
  }),
]
