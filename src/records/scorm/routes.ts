import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import type { Protocol } from '../../kernel/http/request.ts'
import { contentCaller } from '../credentials/caller.ts'
import { CommitScorm, SavedScorm, ScormSession } from './schema.ts'
import { commitScorm, readScormSession } from './scorm.ts'

/** The player runs on other origins, so every origin may send the request. */
const forAnyOrigin: Protocol = (_environment, rows) =>
  rows.map((row) => ({ ...row, route: { ...row.route, isForAnyOrigin: true } }))

const op = operationsIn({ area: 'Packages', who: contentCaller, scope: null, protocol: forAnyOrigin })

export const scormOperations: readonly Operation[] = [
  op('GET /scorm/v1/session', {
    name: 'readScormSession',
    summary: 'Get the session of a SCORM player',
    description:
      'Returns what the player of SCORM packages needs: the items of the package with their settings, and the saved data model of each item. It is called with the credential of a launch.',
    example: { isLive: true },
    input: Nothing,
    output: json(ScormSession),
    errors: ['impossibleNow'],
    run: ({ db, who, environment }) => readScormSession(db, who.launch, environment),
  }),
  op('POST /scorm/v1/commit', {
    name: 'commitScorm',
    summary: 'Save the data of a SCORM item',
    description:
      'Saves the data model of an item, and applies it to the attempt at its lesson. Interactions and objectives become statements. A commit that is sent again changes nothing.',
    example: {
      request: { item: 0, sequence: 1, cmi: { core: { lesson_status: 'completed', lesson_location: 'page-4' } } },
    },
    input: CommitScorm,
    hasLargeBody: true,
    refusesIdempotencyKey: true,
    output: json(SavedScorm),
    errors: ['validationFailed', 'impossibleNow', 'storageFull'],
    run: async ({ db, who, environment }, input) => {
      await commitScorm(db, who, input, environment)
      return { savedDate: who.at.toISOString() }
    },
  }),
]
