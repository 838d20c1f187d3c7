import { forgetting } from '../../kernel/forget.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { administrator, recentSignIn } from '../../kernel/http/callers/needs.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { operationFigures } from '../../kernel/http/metrics.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { endSessions, findPeople, readPerson, sendPasswordReset, setDisabled } from './people.ts'
import { DecideAboutPerson, FindPeople, FoundPeople, KnownPerson, NamePerson, System } from './schema.ts'
import { readSystem } from './system.ts'

const op = operationsIn({ area: 'Administration', who: person })

const needs = [recentSignIn, administrator]

export const administrationOperations: readonly Operation[] = [
  op('GET /admin/v1/person/list', {
    name: 'findPeople',
    summary: 'Finds people by handle, name or e-mail address',
    description:
      'Send the beginning of a handle, an e-mail address, a first or a last name, or the beginnings of both names in either order. Without it everybody is listed. Anonymous users of apps are not among them.',
    example: { request: { query: 'av lind' }, as: 'ellis' },
    needs: [administrator],
    input: FindPeople,
    output: json(FoundPeople),
    run: ({ db }, input) => findPeople(db, input),
  }),
  op('GET /admin/v1/person', {
    name: 'readPerson',
    summary: 'Reads what an administrator can see of a person',
    description:
      'Whether they can sign in, what they have open, when they were last seen, the apps that they use and the organisations that they belong to. What they wrote, learned or keep in apps is not shown.',
    example: { request: { handle: '@avery' }, as: 'ellis' },
    needs: [administrator],
    input: NamePerson,
    output: json(KnownPerson),
    errors: ['notFound'],
    run: ({ db, who }, input) => readPerson(db, who, input),
  }),
  op('POST /admin/v1/person/disable', {
    name: 'disablePerson',
    summary: 'Disables a person and ends all their sessions',
    description:
      'They can no longer sign in, and all their tokens stop working at once. What they have made stays until they are enabled or removed. Nobody can disable themselves.',
    example: { request: { handle: '@avery', reason: 'Their school asked for it' }, as: 'ellis' },
    needs,
    input: DecideAboutPerson,
    output: json(KnownPerson),
    errors: ['notFound', 'impossibleNow'],
    run: ({ db, who, environment }, input) =>
      setDisabled(db, who, { ...input, isDisabled: true }, environment.get(forgetting)),
  }),
  op('POST /admin/v1/person/enable', {
    name: 'enablePerson',
    summary: 'Lets a disabled person sign in again',
    description:
      'They can sign in again, with the password and the passkeys that they had. Sessions that were ended stay ended.',
    example: {
      request: { handle: '@avery', reason: 'Their school asked for it' },
      as: 'ellis',
      after: 'disablePerson',
    },
    needs,
    input: DecideAboutPerson,
    output: json(KnownPerson),
    errors: ['notFound'],
    run: ({ db, who, environment }, input) =>
      setDisabled(db, who, { ...input, isDisabled: false }, environment.get(forgetting)),
  }),
  op('POST /admin/v1/person/sessions/end', {
    name: 'endSessionsOfPerson',
    summary: 'Signs a person out in all browsers and all apps',
    description:
      'Ends their sessions in all apps and signs them out in all browsers, at once. They can sign in again: if somebody else knows the password, send them a reset link as well.',
    example: { request: { handle: '@avery', reason: 'Their school asked for it' }, as: 'ellis' },
    needs,
    input: DecideAboutPerson,
    output: json(KnownPerson),
    errors: ['notFound'],
    run: ({ db, who }, input) => endSessions(db, who, input),
  }),
  op('POST /admin/v1/person/password/reset', {
    name: 'sendPasswordReset',
    summary: 'Sends a person a password reset link',
    description:
      'The link goes to the person’s e-mail address and works once, within half an hour; nobody else sees it. It is refused if messages are off, or if the person has no address, is disabled, or has three such links already.',
    example: { request: { handle: '@avery' }, as: 'ellis' },
    needs,
    input: NamePerson,
    output: success(),
    errors: ['notFound', 'impossibleNow'],
    run: ({ db, who, environment }, input) => sendPasswordReset(db, who, input, environment.get(messagePolicy)),
  }),
  op('GET /admin/v1/system', {
    name: 'readSystem',
    summary: 'Reads the state of the platform',
    description:
      'Versions, the database, waiting work, and how long operations took. Times and counts of operations, memory and uptime are those of the answering process since its start; the rest is about the whole environment.',
    example: { as: 'ellis', isLive: true },
    needs: [administrator],
    input: Nothing,
    output: json(System),
    run: ({ environment }) => readSystem(environment.get(operationFigures)(), environment),
  }),
]
