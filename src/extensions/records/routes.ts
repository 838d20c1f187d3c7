import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { MOMENT, PLUGIN_USER_ID } from '../../kernel/samples.ts'
import { permission, plugin } from '../plugins/caller.ts'
import { readOtherSkills, readRecords, setAdditionalInfo } from './records.ts'
import {
  AdditionalInfo,
  LearningRecords,
  OtherSkills,
  ReadOtherSkills,
  ReadRecords,
  SetAdditionalInfo,
} from './schema.ts'

const op = operationsIn({ area: 'AI plugins', who: plugin })

export const recordOperations: readonly Operation[] = [
  op('GET /plugin/v2/ai/record-data', {
    name: 'readRecords',
    summary: 'List learning records',
    description:
      "Returns what the users of the plugin's organisations have learned and can do, as an array, a page at a time, always in the same order. A page with fewer entries than `limit` is the last. An organisation that the plugin has no access to is treated as unknown.",
    example: { request: { orgIds: 'sandhills', limit: 100 } },
    needs: [permission('user-records')],
    roles: ['plugin'],
    input: ReadRecords,
    output: json(LearningRecords),
    errors: ['notFound'],
    run: ({ db, who }, input) => readRecords(db, who, input),
  }),
  op('POST /plugin/v2/ai/additional-info', {
    name: 'setAdditionalInfo',
    summary: 'Set additional information',
    description:
      'Stores one JSON value of the plugin about a user; a new value replaces it. No other plugin and no app can read it; the user finds it in the export of their data.',
    example: { request: { userId: PLUGIN_USER_ID, info: { readiness: 0.82, reviewed: MOMENT } }, after: 'readRecords' },
    needs: [permission('user-records')],
    roles: ['plugin'],
    input: SetAdditionalInfo,
    hasLargeBody: true,
    output: json(AdditionalInfo),
    errors: ['notFound', 'bodyTooLarge'],
    run: ({ db, who }, input) => setAdditionalInfo(db, who, input),
  }),
  op('GET /plugin/v2/ai/other-skills', {
    name: 'readOtherSkills',
    summary: "Get a user's skills",
    description:
      "Returns the hobbies and skills of a user of the plugin's organisations, in the user's own words. Both lists are empty until the user sets them.",
    example: { request: { userId: PLUGIN_USER_ID }, after: 'readRecords' },
    needs: [permission('skills')],
    roles: ['plugin'],
    input: ReadOtherSkills,
    output: json(OtherSkills),
    errors: ['notFound'],
    run: ({ db, who }, input) => readOtherSkills(db, who, input),
  }),
]
