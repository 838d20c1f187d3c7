import { MOMENT } from '../../kernel/samples.ts'
import { statement } from '../xapi/examples.ts'
import { VALIDATED } from './schema.ts'

const after = 'sendStatements'
const { object } = statement
const spoilt = {
  ...statement,
  id: 'c1a9d7e4-52b6-4f08-8e3d-6b0f2a7c9d15',
  verb: { id: statement.verb.id, title: 'tried' },
}

/** What people read about these operations. */
export const examples = {
  countStatements: {
    description:
      'Takes the filters of the statements resource; a million statements are counted in a moment. Voided statements do not count. A caller who can read only their own statements counts those.',
    example: { request: { activity: object.id }, answer: { count: 1, through: MOMENT }, after },
  },
  aggregateStatements: {
    description:
      'Counts statements by verb, activity, agent or day, with their outcomes: scaled scores, durations in seconds, passes and fails. The largest groups come first, and `more` says whether there are others. Filters are those of the statements resource.',
    example: {
      request: { by: 'verb', activity: object.id },
      after,
      answer: {
        groups: [
          {
            verb: statement.verb,
            count: 1,
            score: { count: 1, mean: 0.8, min: 0.8, max: 0.8 },
            duration: { count: 1, mean: 5400, min: 5400, max: 5400, sum: 5400 },
            passed: 1,
            failed: 0,
            latest: MOMENT,
          },
        ],
        more: false,
        through: MOMENT,
      },
    },
  },
  streamStatements: {
    description:
      'Each statement is sent once, in the order in which it was stored, within a second. After a break, `Last-Event-ID` brings what you missed; `since` starts earlier. A caller can have 50 open streams per process.',
    example: { request: { activity: object.id }, after },
  },
  validateStatements: {
    description:
      'Checks a statement, or an array of up to 1,000: every fault with its place, the rule and what to do, and which ids are taken. Nothing is stored. If the key uses the verb library, verbs that are not in it are reported too.',
    example: {
      request: {
        version: '2.0.0',
        [VALIDATED]: [statement, spoilt],
      },
      after,
      answer: {
        valid: false,
        statements: 2,
        faults: [
          {
            position: 1,
            pointer: '/verb/title',
            rule: 'XAPI-00010',
            must: 'be left out: a verb has no such property (case matters)',
          },
        ],
        conflicts: [],
        known: [{ position: 0, id: statement.id }],
        more: false,
      },
    },
  },
  exportStatements: {
    description:
      'One statement per line, oldest first, streamed, so that it can be as long as it needs to be. To resume an export, send the `stored` of the last complete line as `after`. Voided statements are left out unless `voided` is true.',
    example: { request: { activity: object.id }, after },
  },
  removeOldStatements: {
    description:
      'Removes them with their attachments; this cannot be undone. With `dryRun` it only counts them. If it takes long, `done` is false: call it again.',
    example: {
      request: { before: '2020-01-01T00:00:00.000Z', dryRun: true },
      answer: { statements: 0, attachments: 0, months: 0, done: false },
      as: 'ellis' as const,
    },
  },
}
