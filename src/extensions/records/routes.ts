import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { permission, plugin } from '../plugins/caller.ts'
import { examples } from './examples.ts'
import { readOtherSkills, readRecords, setAdditionalInfo } from './records.ts'
import {
  AdditionalInfo,
  LearningRecords,
  OtherSkills,
  ReadOtherSkills,
  ReadRecords,
  SetAdditionalInfo,
} from './schema.ts'

const area = 'AI plugins'
const path = '/plugin/v2/ai'
const role = 'plugin that was given an organisation of the person'

export const recordOperations: readonly Operation[] = [
  operation({
    name: 'readRecords',
    summary: 'Reads learning records',
    ...examples.readRecords,
    method: 'GET',
    path: `${path}/record-data`,
    area,
    who: plugin,
    needs: [permission('user-records')],
    role,
    input: ReadRecords,
    from: 'query',
    output: json(LearningRecords),
    errors: ['notFound'],
    run: ({ db, who }, input) => readRecords(db, who, input),
  }),
  operation({
    name: 'setAdditionalInfo',
    summary: 'Stores data of the plugin about a person',
    ...examples.setAdditionalInfo,
    method: 'POST',
    path: `${path}/additional-info`,
    area,
    who: plugin,
    needs: [permission('user-records')],
    role,
    input: SetAdditionalInfo,
    from: 'body',
    hasLargeBody: true,
    output: json(AdditionalInfo),
    errors: ['notFound', 'bodyTooLarge'],
    run: ({ db, who }, input) => setAdditionalInfo(db, who, input),
  }),
  operation({
    name: 'readOtherSkills',
    summary: "Reads a person's hobbies and skills",
    ...examples.readOtherSkills,
    method: 'GET',
    path: `${path}/other-skills`,
    area,
    who: plugin,
    needs: [permission('skills')],
    role,
    input: ReadOtherSkills,
    from: 'query',
    output: json(OtherSkills),
    errors: ['notFound'],
    run: ({ db, who }, input) => readOtherSkills(db, who, input),
  }),
]
