import { MOMENT } from '../samples.ts'
import { VALIDATED } from './schema.ts'

/** The statement that the examples speak of. */
export const LANDED = {
  id: '5d0f6b3e-7c1a-4f52-9b8e-2a6c4d1e9f70',
  actor: { objectType: 'Agent' as const, name: 'Avery Lindqvist', mbox: 'mailto:avery@sandhills.example.org' },
  verb: { id: 'https://sandhills.example.org/verbs/landed', display: { en: 'landed' } },
  object: {
    objectType: 'Activity' as const,
    id: 'https://sandhills.example.org/sorties/7',
    definition: { name: { en: 'Sortie 7' } },
  },
  result: { success: true, score: { scaled: 0.8 }, duration: 'PT1H30M' },
  timestamp: MOMENT,
}
const { verb } = LANDED
const { display: _display, ...spoilt } = { ...LANDED.verb, title: 'landed' }

/** What people read about these operations. */
export const examples = {
  countStatements: {
    description:
      'Takes the filters of the statements resource, and reads no pages: a million statements are counted in a moment. Voided statements do not count; what was stored before the call does. Whoever may read only their own statements counts those.',
    example: { request: { verb: verb.id }, answer: { count: 1, through: MOMENT } },
  },
  aggregateStatements: {
    description:
      'Counts statements by verb, activity, agent or day, with what came of them: scaled scores, durations in seconds, passes and fails. The largest groups come first, and `more` says where there are others. Filters are those of the statements resource.',
    example: {
      request: { by: 'activity', verb: verb.id },
      answer: {
        groups: [
          {
            activity: { id: LANDED.object.id, name: LANDED.object.definition.name },
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
      'Each statement is told once and in the order of storing, within a second, whoever sent it and through whichever process. After a break `Last-Event-ID` brings what came meanwhile; `since` begins earlier. A caller may have 50 streams open in a process.',
    example: { request: { verb: verb.id } },
  },
  validateStatements: {
    description:
      'Says what would become of a statement, or of an array of up to 1,000: every fault with its place, the rule and what to do, and which ids are taken. Nothing is stored. A key that asks for the verb library is told of verbs that are not in it.',
    example: {
      request: {
        version: '2.0.0',
        [VALIDATED]: [LANDED, { ...LANDED, id: LANDED.id.replace('5d', '5e'), verb: spoilt }],
      },
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
        known: [{ position: 0, id: LANDED.id }],
        more: false,
      },
    },
  },
  exportStatements: {
    description:
      'One statement a line, the oldest first, written while it is read: as many as there are, in little memory. What breaks off goes on with `after`, the `stored` of the last whole line. Voided statements are left out unless `voided` is true.',
    example: { request: { verb: verb.id } },
  },
  removeOldStatements: {
    description:
      'Removes what was stored before a moment, with its attachments and everything that it is found by; it cannot be undone. With `dryRun` it only says how much that is. Where it takes long, `done` is false: call it again.',
    example: {
      request: { before: '2020-01-01T00:00:00.000Z', dryRun: true },
      answer: { statements: 0, attachments: 0, months: 0, done: false },
    },
  },
}
