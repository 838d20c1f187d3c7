import { type Static, Type } from 'typebox'
import { Flag, Id, IdList, Text, Whole } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'

export const MAX_QUESTIONS = 20_000
export const MAX_DRAWN = 500
/** The most options, items or pairs of a question. */
export const MAX_PARTS = 20
export const MAX_ESSAY = 20_000
const MAX_TEXT = 4000
const MAX_PART_TEXT = 1000

const QUESTION_KINDS = ['single', 'multiple', 'ordering', 'matching', 'numeric', 'text', 'essay'] as const
export const QuestionKind = Type.Enum(QUESTION_KINDS, {
  description:
    'single: one option is correct; multiple: any number of options; ordering: items to put in order; matching: prompts and what belongs to them; numeric: a number; text: a short text; essay: a text that an instructor grades',
})
export type QuestionKind = Static<typeof QuestionKind>

const Line = (description: string) => Type.String({ minLength: 1, maxLength: MAX_PART_TEXT, description })
const Long = (description: string) => Type.Optional(Type.String({ maxLength: MAX_TEXT, description }))

/** The content of a question as authors write it. Each kind uses some of the fields; the others are refused. */
const content = {
  kind: QuestionKind,
  text: Type.String({ minLength: 1, maxLength: MAX_TEXT, description: 'The question' }),
  points: Type.Optional(
    Type.Number({ minimum: 0.01, maximum: 1000, description: 'Points for a correct answer; 1 by default' }),
  ),
  explanation: Long('Shown with the correct answer; none by default'),
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 60 }), {
      maxItems: 20,
      uniqueItems: true,
      description: 'Topics, by which quizzes draw questions at random; none by default',
    }),
  ),
  options: Type.Optional(
    Type.Array(
      Type.Object({
        text: Line('The option'),
        correct: Type.Optional(Type.Boolean({ description: 'Whether it is correct; false by default' })),
        feedback: Type.Optional(
          Type.String({ maxLength: MAX_PART_TEXT, description: 'Shown to students who chose it; none by default' }),
        ),
      }),
      { maxItems: MAX_PARTS, description: 'Only for single and multiple: 2 to 20 options' },
    ),
  ),
  items: Type.Optional(
    Type.Array(Line('An item'), { maxItems: MAX_PARTS, description: 'Only for ordering: 2 to 20 items, in order' }),
  ),
  pairs: Type.Optional(
    Type.Array(Type.Object({ prompt: Line('What is asked'), match: Line('What belongs to it') }), {
      maxItems: MAX_PARTS,
      description: 'Only for matching: 2 to 20 pairs',
    }),
  ),
  distractors: Type.Optional(
    Type.Array(Line('What belongs to no prompt'), {
      maxItems: 10,
      description: 'Only for matching: further choices that are wrong; none by default',
    }),
  ),
  answer: Type.Optional(
    Type.Number({ minimum: -1e12, maximum: 1e12, description: 'Only for numeric: the correct number' }),
  ),
  tolerance: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1e12,
      description: 'Only for numeric: by how much an answer may differ; 0 by default',
    }),
  ),
  unit: Type.Optional(
    Type.String({ maxLength: 30, description: 'Only for numeric: shown behind the field; none by default' }),
  ),
  accepted: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 250 }), {
      maxItems: MAX_PARTS,
      description: 'Only for text: 1 to 20 accepted answers',
    }),
  ),
  caseSensitive: Type.Optional(
    Type.Boolean({ description: 'Only for text: whether upper and lower case matter; false by default' }),
  ),
  guidance: Long('Only for essay: notes for graders, which students never see'),
}
export const QuestionContent = Type.Object(content)
export type QuestionContent = Static<typeof QuestionContent>

const organisation = { organisation: Id('Key of the organisation') }
const questionId = { questionId: Id('Id of the question') }

export const CreateQuestion = Type.Object({ ...organisation, ...content })
export type CreateQuestion = Static<typeof CreateQuestion>
export const ChangeQuestion = Type.Object({
  ...questionId,
  revision: Type.Optional(
    Whole('The revision that was read; if the question has changed since, nothing is stored', 1, 1_000_000_000),
  ),
  ...content,
})
export type ChangeQuestion = Static<typeof ChangeQuestion>
export const NameQuestion = Type.Object(questionId)
export type NameQuestion = Static<typeof NameQuestion>
export const ArchiveQuestion = Type.Object({
  ...questionId,
  archived: Type.Optional(Flag('Whether to archive the question, or else to restore it; true by default')),
})
export type ArchiveQuestion = Static<typeof ArchiveQuestion>
export const ListQuestions = Type.Object({
  ...organisation,
  query: Type.Optional(Text('Words that the question contains', 200)),
  tag: Type.Optional(Id('Only questions with this tag')),
  kind: Type.Optional(Type.Unsafe<QuestionKind>({ ...Id('Only questions of this kind'), enum: [...QUESTION_KINDS] })),
  questions: Type.Optional(IdList('Only these questions, by id', 100)),
  archived: Type.Optional(Flag('Whether to list archived questions instead of the others; false by default')),
  ...paging,
})
export type ListQuestions = Static<typeof ListQuestions>
export const ListTags = Type.Object(organisation)
export type ListTags = Static<typeof ListTags>

const known = {
  questionId: Type.String(),
  organisation: Type.String({ description: 'Key of the organisation' }),
  revision: Type.Integer({ description: 'From 1; each change creates the next one' }),
  archived: Type.Boolean(),
  changedDate: Type.String({ format: 'date-time' }),
}
export const Question = Type.Object({ ...known, ...content }, { title: 'Question' })
export type Question = Static<typeof Question>
export const ListedQuestion = Type.Object(
  {
    ...known,
    kind: QuestionKind,
    summary: Type.String({ description: 'The first 300 characters of the question' }),
    tags: Type.Array(Type.String()),
  },
  { title: 'ListedQuestion' },
)
export type ListedQuestion = Static<typeof ListedQuestion>
export const QuestionPage = PageOf(ListedQuestion, 'QuestionPage')
export const QuestionTags = Type.Array(Type.Object({ tag: Type.String(), questions: Type.Integer() }), {
  title: 'QuestionTags',
  description: 'The 500 most frequent tags of questions that are not archived',
})
