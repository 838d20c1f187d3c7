import { type Static, Type } from 'typebox'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { peopleSection } from '../../identity/people/import.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { PlatformError } from '../../kernel/errors.ts'
import type { Mistake, World } from '../../kernel/imports/section.ts'
import { RecordHandle, RecordId, RecordTime, recordTie } from '../classes/import-records.ts'
import { findAttemptIds, findSpanMistakes, findStoredMistakes, writeAttempts } from '../progress/import.ts'
import { passesQuiz } from '../progress/quiz-attempts.ts'
import { contentOf, questionSection } from './bank-import.ts'
import { findImported } from './bank-store.ts'
import * as store from './import-store.ts'
import { toResponse } from './interactions.ts'
import { MAX_DRAWN, type QuestionContent } from './question-schema.ts'
import { countParts, gradeResponse, maxPointsOf, readResponse, scoreOf } from './rules.ts'
import { cut, reportAnswers } from './submission.ts'

const Answer = Type.Object(
  {
    question: RecordId,
    /** Parts are named by their number in the question, from 1. */
    response: Type.Optional(Type.Unknown()),
    points: Type.Optional(Type.Number({ minimum: 0, maximum: 1000 })),
    remark: Type.Optional(Type.String({ maxLength: 4000 })),
    grader: Type.Optional(RecordHandle),
  },
  { additionalProperties: false },
)
const QuizRecord = Type.Object(
  {
    id: RecordId,
    handle: RecordHandle,
    lesson: RecordId,
    started: RecordTime,
    completed: RecordTime,
    answers: Type.Array(Answer, { minItems: 1, maxItems: MAX_DRAWN }),
  },
  { additionalProperties: false },
)
type QuizRecord = Static<typeof QuizRecord>
type Answer = Static<typeof Answer>

/**
 * Imports submitted quizzes. They are graded like others: an essay without points waits for an instructor. Points in
 * the file are those that an instructor gave.
 */
export const quizTie = recordTie<typeof QuizRecord, QuizRecord>({
  field: 'quizzes',
  schema: QuizRecord,
  times: ['started', 'completed'],

  *refer({ answers }) {
    for (const [k, { question, grader }] of answers.entries()) {
      yield { field: `answers[${k}].question`, to: questionSection, key: question }
      if (grader !== undefined) yield { field: `answers[${k}].grader`, to: peopleSection, key: normaliseHandle(grader) }
    }
  },
  *check(records, place) {
    for (const [j, { answers }] of records)
      if (new Set(answers.map(({ question }) => question)).size < answers.length)
        yield `${place}[${j}].answers: must have each question once`
    yield* findSpanMistakes(records, place)
  },
  async checkHere(db, quizzes, world) {
    const contents = await readContents(
      db,
      quizzes.flatMap(({ one }) => one.answers),
      world,
    )
    const wrong = quizzes.flatMap(({ one, place, contents: { kindOf } }) => [
      ...([undefined, 'quiz'].includes(kindOf(one.lesson)) ? [] : [`${place}.lesson: must be a quiz`]),
      ...one.answers.flatMap((answer, k) =>
        findAnswerMistake(contents.get(answer.question), answer, `${place}.answers[${k}]`),
      ),
    ])
    return [...wrong, ...(await findStoredMistakes(db, quizzes, world))]
  },
  findIds: findAttemptIds,

  async write(tx, who, changes, { idOf }) {
    for (const { id: classId, change } of changes)
      for (const quiz of change) {
        const rules = await tx.first(store.findRules, { class: classId, lesson: quiz.lesson })
        const feedback = rules?.content ? (JSON.parse(rules.content).quiz?.feedback ?? 'end') : 'end'
        const answers = await gradeAnswers(tx, quiz)
        const score = scoreOf(answers)
        const isGraded = score !== null
        const attempt = {
          ...quiz,
          answers: reportAnswers(feedback, answers),
          pass: isGraded && passesQuiz(score, rules?.threshold ?? null),
          ...(isGraded && { score }),
          awaitsGrade: !isGraded,
        }
        await writeAttempts(tx, who, [{ id: classId, change: [attempt] }])
        const rows = answers.map(({ given, ...answer }) => ({
          ...answer,
          response: answer.stored,
          remark: given.points === undefined ? null : (given.remark ?? ''),
          grader: given.grader === undefined ? null : idOf(peopleSection, normaliseHandle(given.grader)),
          isGraded: given.points !== undefined,
        }))
        const submitted = new Date(quiz.completed)
        await tx.all(store.insertSubmitted, { attempt: quiz.id, feedback, submitted, rows: JSON.stringify(rows) })
      }
  },
})

/** Reads the questions, as they are in the file or else in the bank. */
async function readContents(
  db: Db,
  answers: readonly Answer[],
  { inFile }: World,
): Promise<ReadonlyMap<string, QuestionContent>> {
  const keys = [...new Set(answers.map(({ question }) => question))]
  const stored = await db.all(findImported, { keys })
  const contents = new Map(stored.map(({ key, content }) => [key, JSON.parse(content) as QuestionContent]))
  for (const key of keys) {
    const entry = inFile(questionSection, key)
    if (entry) contents.set(key, contentOf(entry) as QuestionContent)
  }
  return contents
}

const shownOf = (content: QuestionContent): number[] => Array.from({ length: countParts(content) }, (_, i) => i)

function findAnswerMistake(
  content: QuestionContent | undefined,
  { response, points = 0 }: Answer,
  place: string,
): Mistake[] {
  if (!content) return []
  if (points > maxPointsOf(content)) return [`${place}.points: must be at most ${maxPointsOf(content)}`]
  try {
    readResponse(content, shownOf(content), response)
    return []
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return [`${place}.response: must fit the question: ${error.message}`]
  }
}

/** Grades the answers of a quiz with the newest revisions of its questions. */
async function gradeAnswers(tx: Tx, { answers }: QuizRecord) {
  const rows = await tx.all(findImported, { keys: answers.map(({ question }) => question) })
  const byKey = new Map(rows.map((row) => [row.key, row]))
  return answers.flatMap((given, i) => {
    const row = byKey.get(given.question)
    if (!row) return []
    const content: QuestionContent = JSON.parse(row.content)
    const shown = shownOf(content)
    const stored = readResponse(content, shown, given.response)
    const { points, isCorrect } = gradeResponse(content, stored)
    const maxPoints = maxPointsOf(content)
    return {
      given,
      questionId: row.id,
      key: row.key,
      revision: row.revision,
      kind: content.kind,
      text: cut(content.text, 300),
      position: i + 1,
      shown,
      stored,
      response: stored === null ? null : cut(toResponse(content, stored), 4000),
      maxPoints,
      points: given.points ?? points,
      isCorrect: given.points === undefined ? isCorrect : given.points === maxPoints,
    }
  })
}
