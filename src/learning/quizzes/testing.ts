import assert from 'node:assert/strict'
import type { TestApp } from '../../operations/testing/testing.ts'
import { openSchool } from '../courses/testing.ts'
import { type Browsing, browse } from '../progress/testing.ts'

const option = (text: string, correct = false) => ({ text, correct })

/** A question of each kind. */
export const QUESTIONS = {
  single: { kind: 'single', text: 'Which one?', options: [option('wrong'), option('right', true), option('other')] },
  multiple: {
    kind: 'multiple',
    text: 'Which ones?',
    points: 2,
    options: [option('yes', true), option('no'), option('also', true)],
  },
  ordering: { kind: 'ordering', text: 'Which order?', items: ['first', 'second', 'third'] },
  matching: {
    kind: 'matching',
    text: 'What belongs together?',
    pairs: [
      { prompt: 'Red', match: 'Port' },
      { prompt: 'Green', match: 'Starboard' },
    ],
    distractors: ['Tail'],
  },
  numeric: { kind: 'numeric', text: 'How many feet?', answer: 1000, tolerance: 50, unit: 'ft' },
  text: { kind: 'text', text: 'Which tube?', accepted: ['Pitot tube', 'pitot'] },
  essay: { kind: 'essay', text: 'Why?', points: 4, guidance: 'Lift must be mentioned' },
} as const

/** Ids of the questions of a test's school, by kind. */
export type QuestionIds = Readonly<Record<keyof typeof QUESTIONS, string>>

export interface QuizSchool {
  readonly app: TestApp
  readonly finley: Browsing
  readonly ids: QuestionIds
  /** Saves the course with these lessons, publishes it and moves its classes to the new version. */
  publish(lessons: readonly object[]): Promise<void>
}

/** Opens the school with a question bank. Finley owns it, Casey teaches the class alpha of Avery and Blake. */
export async function openQuizSchool(app: TestApp): Promise<QuizSchool> {
  await openSchool(app, { lessons: [{ id: 'drill', name: 'Drill' }], alpha: { sequential: false } })
  const finley = await browse(app, 'finley')
  const ids: Record<string, string> = {}
  for (const [kind, content] of Object.entries(QUESTIONS)) {
    const made = await finley.put('/edu/v1/question', { organisation: 'school', tags: [kind], ...content })
    assert.equal(made.status, 200, made.text)
    ids[kind] = made.body.questionId
  }
  return {
    app,
    finley,
    ids: ids as QuestionIds,
    async publish(lessons) {
      const saved = await finley.put('/edu/v1/course', { courseId: 'course', name: 'Course', lessons })
      assert.equal(saved.status, 200, saved.text)
      const published = await finley.post('/edu/v1/course/publish', { courseId: 'course' })
      assert.equal(published.status, 200, published.text)
      await app.sql('update classes c set version_id = k.version_id from courses k where k.id = c.course_id')
    },
  }
}

export const quizLesson = (id: string, quiz: object, more: object = {}) => ({
  id,
  name: id,
  kind: 'quiz',
  quiz,
  ...more,
})

interface ShownPart {
  readonly id: string
  readonly text: string
}
export interface TakenQuestion {
  readonly questionId: string
  readonly kind: keyof typeof QUESTIONS
  readonly options?: readonly ShownPart[]
  readonly items?: readonly ShownPart[]
  readonly prompts?: readonly ShownPart[]
  readonly choices?: readonly ShownPart[]
}

/** Returns the correct response to a question as it is shown to a student. */
export function rightResponse(question: TakenQuestion): unknown {
  const idOf = (parts: readonly ShownPart[] | undefined, text: string) => parts!.find((part) => part.text === text)!.id
  switch (question.kind) {
    case 'single':
      return idOf(question.options, 'right')
    case 'multiple':
      return ['yes', 'also'].map((text) => idOf(question.options, text))
    case 'ordering':
      return QUESTIONS.ordering.items.map((text) => idOf(question.items, text))
    case 'matching':
      return Object.fromEntries(
        QUESTIONS.matching.pairs.map(({ prompt, match }) => [
          idOf(question.prompts, prompt),
          idOf(question.choices, match),
        ]),
      )
    case 'numeric':
      return '1000'
    case 'text':
      return ' PITOT '
    default:
      return 'Because of lift.'
  }
}
