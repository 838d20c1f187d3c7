import { forgetting } from '../../kernel/forget.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { anAdministrator, aRecentSignIn } from '../../kernel/http/callers/needs.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { operationFigures } from '../../kernel/http/metrics.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { examples } from './examples.ts'
import { endSessions, findPeople, readPerson, sendPasswordReset, setDisabled } from './people.ts'
import { DecideAboutPerson, FindPeople, FoundPeople, KnownPerson, NamePerson, System } from './schema.ts'
import { readSystem } from './system.ts'

const area = 'Administration'
const path = '/admin/v1'
const needs = [aRecentSignIn, anAdministrator]

export const administrationOperations: readonly Operation[] = [
  operation({
    name: 'findPeople',
    summary: 'Finds people by handle, name or e-mail address',
    ...examples.findPeople,
    method: 'GET',
    path: `${path}/person/list`,
    area,
    who: person,
    needs: [anAdministrator],
    input: FindPeople,
    from: 'query',
    output: json(FoundPeople),
    errors: [],
    run: ({ db }, input) => findPeople(db, input),
  }),
  operation({
    name: 'readPerson',
    summary: 'Reads what an administrator can see of a person',
    ...examples.readPerson,
    method: 'GET',
    path: `${path}/person`,
    area,
    who: person,
    needs: [anAdministrator],
    input: NamePerson,
    from: 'query',
    output: json(KnownPerson),
    errors: ['notFound'],
    run: ({ db, who }, input) => readPerson(db, who, input),
  }),
  operation({
    name: 'disablePerson',
    summary: 'Disables a person and ends all their sessions',
    ...examples.disablePerson,
    method: 'POST',
    path: `${path}/person/disable`,
    area,
    who: person,
    needs,
    input: DecideAboutPerson,
    from: 'body',
    output: json(KnownPerson),
    errors: ['notFound', 'impossibleNow'],
    run: ({ db, who, environment }, input) =>
      setDisabled(db, who, { ...input, isDisabled: true }, environment.get(forgetting)),
  }),
  operation({
    name: 'enablePerson',
    summary: 'Lets a disabled person sign in again',
    ...examples.enablePerson,
    method: 'POST',
    path: `${path}/person/enable`,
    area,
    who: person,
    needs,
    input: DecideAboutPerson,
    from: 'body',
    output: json(KnownPerson),
    errors: ['notFound'],
    run: ({ db, who, environment }, input) =>
      setDisabled(db, who, { ...input, isDisabled: false }, environment.get(forgetting)),
  }),
  operation({
    name: 'endSessionsOfPerson',
    summary: 'Signs a person out in all browsers and all apps',
    ...examples.endSessionsOfPerson,
    method: 'POST',
    path: `${path}/person/sessions/end`,
    area,
    who: person,
    needs,
    input: DecideAboutPerson,
    from: 'body',
    output: json(KnownPerson),
    errors: ['notFound'],
    run: ({ db, who }, input) => endSessions(db, who, input),
  }),
  operation({
    name: 'sendPasswordReset',
    summary: 'Sends a person a password reset link',
    ...examples.sendPasswordReset,
    method: 'POST',
    path: `${path}/person/password/reset`,
    area,
    who: person,
    needs,
    input: NamePerson,
    from: 'body',
    output: success(),
    errors: ['notFound', 'impossibleNow'],
    run: ({ db, who, environment }, input) => sendPasswordReset(db, who, input, environment.get(messagePolicy)),
  }),
  operation({
    name: 'readSystem',
    summary: 'Reads the state of the platform',
    ...examples.readSystem,
    method: 'GET',
    path: `${path}/system`,
    area,
    who: person,
    needs: [anAdministrator],
    input: Nothing,
    from: 'query',
    output: json(System),
    errors: [],
    run: ({ environment }) => readSystem(environment, environment.get(operationFigures)()),
  }),
]
