import { isDeepStrictEqual } from 'node:util'
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { organisationSection } from '../../apps/organisations/import.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { PlatformError } from '../../kernel/errors.ts'
import { type Field, Key } from '../../kernel/imports/fields.ts'
import type { ImportSection, Mistake } from '../../kernel/imports/section.ts'
import { ImportId } from '../courses/import.ts'
import { toRevision } from './bank.ts'
import * as store from './bank-store.ts'
import { MAX_QUESTIONS, QuestionContent } from './question-schema.ts'
import { readQuestion } from './rules.ts'

/** The rules for the fields of a question, in words. */
const RULES: Readonly<Record<keyof QuestionContent, string>> = {
  kind: 'single, multiple, ordering, matching, numeric, text or essay',
  text: 'text of 1 to 4000 characters',
  points: 'a number from 0.01 to 1000',
  explanation: 'text of at most 4000 characters',
  tags: 'a list of at most 20 different texts',
  options: 'a list of at most 20 options, each with text and, optionally, correct and feedback',
  items: 'a list of at most 20 texts',
  pairs: 'a list of at most 20 pairs, each with prompt and match',
  distractors: 'a list of at most 10 texts',
  answer: 'a number',
  tolerance: 'a number of at least 0',
  unit: 'text of at most 30 characters',
  accepted: 'a list of at most 20 texts',
  caseSensitive: 'true or false',
  guidance: 'text of at most 4000 characters',
}

const fields = Object.entries<TSchema & { description?: string }>(QuestionContent.properties).map(([name, schema]) => {
  const words: Field = { must: RULES[name as keyof QuestionContent], about: schema.description ?? '' }
  const field = { ...schema, ...words }
  return [name, QuestionContent.required.includes(name as 'kind') ? field : Type.Optional(field)] as const
})
const Question = Type.Object({
  key: ImportId('The questionId'),
  organisation: Key('Key of the organisation whose question bank it is in'),
  ...Object.fromEntries(fields),
})

type QuestionEntry = QuestionContent & { readonly key: string; readonly organisation: string }
type StoredQuestion = RowOf<typeof store.findImported>

const shape = Compile(QuestionContent)

export const contentOf = ({ key: _key, organisation: _organisation, ...content }: Partial<QuestionEntry>) => content

/** Imports questions. If the content of a question differs from the stored one, it gets a new revision. */
export const questionSection: ImportSection<QuestionEntry, StoredQuestion, ReturnType<typeof readQuestion>> = {
  name: 'questions',
  one: 'question',
  key: 'key',
  schema: Question,

  *check(entry, place): Generator<Mistake> {
    const content = contentOf(entry)
    if (!shape.Check(content)) return
    try {
      readQuestion(content)
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      yield `${place}: is refused: ${error.message}`
    }
  },
  *refer({ organisation }, place) {
    if (typeof organisation === 'string')
      yield { place: `${place}.organisation`, to: organisationSection, key: organisation }
  },
  find: (db, keys) => db.all(store.findImported, { keys }),
  lock: (tx, { own }) => tx.all(store.lockQuestions, { keys: own }),

  async checkHere(db, entries, { find }) {
    const added = Map.groupBy(
      entries.filter(({ key }) => !find(questionSection, key)),
      ({ organisation }) => organisation,
    )
    const counts = new Map(
      (await db.all(store.countBanks, { organisations: [...added.keys()] })).map((row) => [row.key, row.questions]),
    )
    const isFull = (organisation: string) =>
      (counts.get(organisation) ?? 0) + (added.get(organisation)?.length ?? 0) > MAX_QUESTIONS
    return entries.flatMap(({ key, organisation, kind }, i) => {
      const found = find(questionSection, key)
      if (!found)
        return isFull(organisation)
          ? [`questions[${i}]: must fit into the question bank of ${organisation}, which has ${MAX_QUESTIONS} at most`]
          : []
      return [
        ...(found.organisation === organisation
          ? []
          : [`questions[${i}].organisation: must stay ${found.organisation}; use another key`]),
        ...(found.kind === kind ? [] : [`questions[${i}].kind: must stay ${found.kind}; use another key`]),
      ]
    })
  },

  plan(entry, found) {
    const change = readQuestion(contentOf(entry) as QuestionContent)
    const isSame =
      found !== undefined &&
      isDeepStrictEqual(JSON.parse(found.content), change.content) &&
      isDeepStrictEqual(found.tags, change.tags)
    return { change, isSame }
  },

  async write(tx, who, changes, { idOf, inFile }) {
    const made: { id: number; key: string }[] = []
    for (const { key, id, change } of changes) {
      const revision = toRevision(who, change.content, change.tags)
      if (id !== undefined) await tx.first(store.addRevision, { question: id, ...revision })
      else {
        const { organisation } = inFile(questionSection, key) as QuestionEntry
        const row = { key, organisation: idOf(organisationSection, organisation), kind: change.content.kind }
        made.push({ key, id: (await tx.first(store.insertQuestion, { ...row, ...revision }))!.question_id })
      }
    }
    return made
  },
}
