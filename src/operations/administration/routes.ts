import { person } from '../../kernel/http/callers/callers.ts'
import { administrator, recentSignIn } from '../../kernel/http/callers/needs.ts'
import { disk } from '../../kernel/http/input/disk.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { operationFigures } from '../../kernel/http/metrics.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { bases } from '../../records/statements/model/names.ts'
import { readNames } from './names.ts'
import { readOverview } from './overview.ts'
import { endSessions, findPeople, readPerson, sendPasswordReset } from './people.ts'
import {
  DecideAboutPerson,
  FindPeople,
  FoundPeople,
  KnownPerson,
  NamePerson,
  Names,
  Overview,
  ReadNames,
  System,
} from './schema.ts'
import { readSystem } from './system.ts'

const op = operationsIn({ area: 'Administration', who: person })

const needs = [recentSignIn, administrator]

export const administrationOperations: readonly Operation[] = [
  op('GET /admin/v1/person/list', {
    name: 'findPeople',
    summary: 'Search users as administrator',
    description:
      'Returns users whose handle, e-mail address, first or last name begins with the term; it can also be the beginnings of both names in either order. Without a term all users are listed. Anonymous users of apps are not included.',
    example: { request: { query: 'av lind' }, as: 'ellis' },
    needs: [administrator],
    input: FindPeople,
    output: json(FoundPeople),
    run: ({ db, who }, input) => findPeople(db, who, input),
  }),
  op('GET /admin/v1/person', {
    name: 'readPerson',
    summary: 'Get a user as administrator',
    description:
      'Returns whether the user can sign in, their open sessions, when they were last seen, the apps that they use and the organisations that they belong to. What they wrote, learned or store in apps is not shown.',
    example: { request: { handle: '@avery' }, as: 'ellis' },
    needs: [administrator],
    input: NamePerson,
    output: json(KnownPerson),
    errors: ['notFound'],
    run: ({ db, who }, input) => readPerson(db, who, input),
  }),
  op('GET /admin/v1/names', {
    name: 'readNames',
    summary: 'Get names for xAPI statements',
    description:
      'Returns the current names of users by handle, and of lessons, courses, objectives and classes by the IRI that xAPI statements use for them. A course that was never published has the name of its draft. What the platform does not know is left out.',
    example: { request: { handles: '@avery' }, as: 'ellis' },
    needs: [administrator],
    input: ReadNames,
    output: json(Names),
    run: ({ db, environment }, input) => readNames(db, input, environment.get(bases)),
  }),
  op('POST /admin/v1/person/sessions/end', {
    name: 'endSessionsOfPerson',
    summary: 'End all sessions of a user',
    description:
      "Ends the user's sessions in all apps and signs them out of all browsers immediately. They can sign in again: if somebody else knows the password, send them a reset link as well.",
    example: { request: { handle: '@avery', reason: 'Their school asked for it' }, as: 'ellis' },
    needs,
    input: DecideAboutPerson,
    output: json(KnownPerson),
    errors: ['notFound'],
    run: ({ db, who }, input) => endSessions(db, who, input),
  }),
  op('POST /admin/v1/person/password/reset', {
    name: 'sendPasswordReset',
    summary: 'Send a user a reset link',
    description:
      "Sends a password reset link to the user's e-mail address; it works once, within half an hour, and nobody else sees it. The request is refused if e-mail is off, or if the user has no address, is disabled, or has three such links already.",
    example: { request: { handle: '@avery' }, as: 'ellis' },
    needs,
    input: NamePerson,
    output: success(),
    errors: ['notFound', 'impossibleNow'],
    run: ({ db, who, environment }, input) => sendPasswordReset(db, who, input, environment.get(messagePolicy)),
  }),
  op('GET /admin/v1/overview', {
    name: 'readOverview',
    summary: 'Get the overview',
    description:
      'Returns what waits for an administrator, what grew in the last 7 and 30 days, and what is wrong: failed e-mails, deliveries and background jobs of the last 7 days, late work, and a disk that is almost full. Counts stop at 100,000.',
    example: { as: 'ellis', isLive: true },
    needs: [administrator],
    input: Nothing,
    output: json(Overview),
    run: ({ environment }) => readOverview({ disk: environment.get(disk) }, environment),
  }),
  op('GET /admin/v1/system', {
    name: 'readSystem',
    summary: 'Get the system status',
    description:
      'Returns versions, the database, waiting jobs, and how long operations took. Times and counts of operations, memory and uptime are those of the responding process since its start; the rest is about the whole environment.',
    example: { as: 'ellis', isLive: true },
    needs: [administrator],
    input: Nothing,
    output: json(System),
    run: ({ environment }) =>
      readSystem({ operations: environment.get(operationFigures)(), disk: environment.get(disk) }, environment),
  }),
]
