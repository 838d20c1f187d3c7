import { type Static, Type } from 'typebox'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { peopleSection } from '../../identity/people/import.ts'
import { RecordHandle, RecordId, RecordTime, recordTie } from '../classes/import-records.ts'
import { findAttemptIds, findSpanMistakes, findStoredMistakes, writeAttempts } from '../progress/import.ts'
import { decideGrade, objectiveScores } from './rules.ts'
import type { Criterion } from './schema.ts'
import * as store from './store.ts'

const ImportedCriterion = Type.Object(
  {
    id: RecordId,
    name: Type.String({ minLength: 1, maxLength: 200 }),
    objective: Type.Optional(RecordId),
    maxPoints: Type.Optional(Type.Number({ minimum: 1, maximum: 1000 })),
    points: Type.Optional(Type.Number({ minimum: 0, maximum: 1000 })),
  },
  { additionalProperties: false },
)
const EvaluationRecord = Type.Object(
  {
    id: RecordId,
    handle: RecordHandle,
    lesson: RecordId,
    author: RecordHandle,
    started: RecordTime,
    completed: RecordTime,
    pass: Type.Boolean(),
    score: Type.Optional(Type.Number({ minimum: -1_000_000, maximum: 1_000_000 })),
    criteria: Type.Optional(Type.Array(ImportedCriterion, { maxItems: 50 })),
    remarks: Type.Optional(Type.String({ maxLength: 5000 })),
    acknowledged: Type.Optional(RecordTime),
    comment: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  { additionalProperties: false },
)
type EvaluationRecord = Static<typeof EvaluationRecord>

const toCriterion = ({
  id,
  name,
  objective = null,
  maxPoints = 100,
  points = null,
}: Partial<Criterion> & Pick<Criterion, 'id' | 'name'>): Criterion => ({ id, name, objective, maxPoints, points })

/** Imports evaluations, each with its attempt and with the rubric as it was then. The attempt has the same id. */
export const evaluationTie = recordTie<typeof EvaluationRecord, EvaluationRecord>({
  field: 'evaluations',
  schema: EvaluationRecord,
  times: ['started', 'completed', 'acknowledged'],
  refer: ({ author }) => [{ field: 'author', to: peopleSection, key: normaliseHandle(author) }],

  *check(records, place) {
    for (const [j, { criteria = [], completed, acknowledged, comment }] of records) {
      if (new Set(criteria.map(({ id }) => id)).size < criteria.length)
        yield `${place}[${j}].criteria: must have each criterion once`
      for (const [k, { points = 0, maxPoints = 100 }] of criteria.entries())
        if (points > maxPoints) yield `${place}[${j}].criteria[${k}].points: must be at most ${maxPoints}`
      if (acknowledged !== undefined && Date.parse(acknowledged) < Date.parse(completed))
        yield `${place}[${j}].acknowledged: must not be before completed`
      if (comment !== undefined && acknowledged === undefined)
        yield `${place}[${j}].comment: must be left out until the student has acknowledged it`
    }
    yield* findSpanMistakes(records, place)
  },
  async checkHere(db, evaluations, world) {
    const wrong = evaluations.flatMap(({ one, place, contents }) => [
      ...([undefined, 'instructor-led'].includes(contents.kindOf(one.lesson))
        ? []
        : [`${place}.lesson: must be instructor-led`]),
      ...(one.criteria ?? []).flatMap(({ objective }, k) =>
        objective === undefined || contents.hasObjective(objective, one.lesson)
          ? []
          : [`${place}.criteria[${k}].objective: must be an objective of the lesson`],
      ),
    ])
    return [...wrong, ...(await findStoredMistakes(db, evaluations, world))]
  },
  findIds: findAttemptIds,

  async write(tx, who, changes, { idOf }) {
    for (const { id, change } of changes)
      for (const one of change) {
        const criteria = (one.criteria ?? []).map(toCriterion)
        const { handle, lesson, started, completed } = one
        const { score, pass } = decideGrade(one, criteria, null)
        const objectives = Object.fromEntries(objectiveScores(criteria).map((row) => [row.objective, row.score]))
        const attempt = {
          id: one.id,
          handle,
          lesson,
          started,
          completed,
          pass,
          objectives,
          ...(score !== null && { score }),
        }
        await writeAttempts(tx, who, [{ id, change: [attempt] }])
        await tx.first(store.insertImported, {
          evaluation: one.id,
          criteria: JSON.stringify(criteria),
          remarks: one.remarks?.trim() ?? '',
          person: idOf(peopleSection, normaliseHandle(one.author)),
          recorded: new Date(completed),
          acknowledged: one.acknowledged === undefined ? null : new Date(one.acknowledged),
          comment: one.comment?.trim() ?? '',
        })
      }
  },
})
