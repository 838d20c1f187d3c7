import { member } from '../../../kernel/http/callers/callers.ts'
import { type Operation, operation } from '../../../kernel/http/operation.ts'
import { json } from '../../../kernel/http/output/output.ts'
import { captureV1, captureV2 } from './capture.ts'
import { examples } from './examples.ts'
import { Captured, CaptureV1, CaptureV2 } from './schema.ts'

const area = 'xAPI'
const role = 'the actor, or an instructor of a class of theirs'

export const captureOperations: readonly Operation[] = [
  operation({
    name: 'captureStatement',
    summary: 'Sends an xAPI statement',
    ...examples.captureStatement,
    method: 'POST',
    path: '/edu/v2/xapi/statement',
    area,
    who: member,
    role,
    input: CaptureV2,
    from: 'body',
    output: json(Captured),
    errors: ['validationFailed', 'forbidden', 'impossibleNow', 'conflict'],
    run: ({ environment, db, who }, input) => captureV2(db, who, input, environment),
  }),
  operation({
    name: 'captureSimpleStatement',
    summary: 'Sends a statement in the simpler form of v1',
    ...examples.captureSimpleStatement,
    method: 'POST',
    path: '/edu/v1/xapi/statement',
    area,
    who: member,
    role,
    input: CaptureV1,
    from: 'body',
    output: json(Captured),
    errors: ['validationFailed', 'forbidden', 'impossibleNow', 'conflict'],
    run: ({ environment, db, who }, input) => captureV1(db, who, input, environment),
  }),
]
