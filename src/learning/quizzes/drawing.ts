import { randomInt } from 'node:crypto'
import type { Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import type { LessonContent } from '../courses/schema.ts'
import type { StartedQuiz } from '../progress/quiz-attempts.ts'
import { MAX_DRAWN } from './question-schema.ts'
import { drawQuestions, drawShown, type Part } from './rules.ts'
import * as store from './store.ts'

type Candidate = RowOf<typeof store.listNamed>
type Quiz = NonNullable<LessonContent['quiz']>

/** Draws the questions of an attempt and their order, and stores them with the deadline. */
export async function drawQuiz(tx: Tx, started: StartedQuiz): Promise<void> {
  const { attemptId, classId, lessonId, startedAt } = started
  const found = await tx.first(store.findQuiz, { class: classId, lesson: lessonId })
  const quiz: Quiz | undefined = found?.content ? JSON.parse(found.content).quiz : undefined
  const random = (below: number) => randomInt(below)
  const parts =
    quiz && found
      ? await readParts(tx, quiz, { organisation: found.organisation_id, published: found.published_at })
      : []
  const drawn = drawQuestions(parts, quiz?.shuffleQuestions ?? false, random)
  if (!quiz || drawn.length === 0) throw fail('impossibleNow', 'This quiz has no questions; tell your instructor')
  const rows = drawn.map((question, i) => ({
    position: i + 1,
    question: question.id,
    revision: question.revision,
    shown: drawShown(question, quiz.shuffleAnswers ?? false, random),
    points: question.points,
  }))
  await tx.all(store.insertQuiz, {
    attempt: attemptId,
    class: classId,
    lesson: lessonId,
    feedback: quiz.feedback ?? 'end',
    started: startedAt,
    deadline: quiz.timeLimit === undefined ? null : new Date(startedAt.getTime() + quiz.timeLimit * 60_000),
    rows: JSON.stringify(rows),
  })
}

/** Finds the questions of each part, in the revisions that the course was published with. */
async function readParts(
  tx: Tx,
  { parts }: Quiz,
  bank: { readonly organisation: number; readonly published: Date },
): Promise<Part<Candidate>[]> {
  const keys = [...new Set(parts.flatMap(({ questions = [] }) => questions))]
  const named = new Map((await tx.all(store.listNamed, { ...bank, keys })).map((row) => [row.key, row]))
  const read: Part<Candidate>[] = []
  for (const { questions = [], tag, draw } of parts)
    read.push({
      questions:
        tag === undefined
          ? questions.flatMap((key) => named.get(key) ?? [])
          : // Twice the most that an attempt can have, because other parts may have drawn some of them.
            await tx.all(store.listPool, { ...bank, tag: tag.trim().toLowerCase(), limit: 2 * MAX_DRAWN }),
      draw,
    })
  return read
}
