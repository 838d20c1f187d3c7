import type { FormErrors } from '@mantine/form'
import type { Question } from '../../api/operations.ts'
import { quizWords } from './words.ts'

const { form: say } = quizWords

type Kind = Question['kind']
type Content = Omit<Question, 'questionId' | 'organisation' | 'revision' | 'archived' | 'changedDate'>

/** The values of the question form. Lists that are typed in one field are texts. */
export interface QuestionValues {
  kind: Kind
  text: string
  points: number | string
  explanation: string
  tags: string
  options: { key: string; text: string; correct: boolean; feedback: string }[]
  items: { key: string; text: string }[]
  pairs: { key: string; prompt: string; match: string }[]
  distractors: string
  answer: number | string
  tolerance: number | string
  unit: string
  accepted: string
  caseSensitive: boolean
  guidance: string
}

const keyed = <T extends object>(entries: readonly T[]) => entries.map((entry, i) => ({ key: String(i), ...entry }))
/** Makes a key for React; `crypto.randomUUID` exists only on https and localhost. */
export const newKey = (): string => String(Math.random())
const twice = <T extends object>(entry: T) => keyed([entry, entry])
const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

export const emptyQuestion: QuestionValues = {
  kind: 'single',
  text: '',
  points: 1,
  explanation: '',
  tags: '',
  options: twice({ text: '', correct: false, feedback: '' }),
  items: twice({ text: '' }),
  pairs: twice({ prompt: '', match: '' }),
  distractors: '',
  answer: '',
  tolerance: '',
  unit: '',
  accepted: '',
  caseSensitive: false,
  guidance: '',
}

export const fromQuestion = (question: Question): QuestionValues => ({
  ...emptyQuestion,
  kind: question.kind,
  text: question.text,
  points: question.points ?? 1,
  explanation: question.explanation ?? '',
  tags: (question.tags ?? []).join(', '),
  ...(question.options && {
    options: keyed(question.options.map(({ text, correct = false, feedback = '' }) => ({ text, correct, feedback }))),
  }),
  ...(question.items && { items: keyed(question.items.map((text) => ({ text }))) }),
  ...(question.pairs && { pairs: keyed(question.pairs) }),
  distractors: (question.distractors ?? []).join('\n'),
  answer: question.answer ?? '',
  tolerance: question.tolerance ?? '',
  unit: question.unit ?? '',
  accepted: (question.accepted ?? []).join('\n'),
  caseSensitive: question.caseSensitive ?? false,
  guidance: question.guidance ?? '',
})

const filledOptions = ({ options }: QuestionValues) => options.filter(({ text }) => text.trim() !== '')
const filledItems = ({ items }: QuestionValues) => items.flatMap(({ text }) => text.trim() || [])
const filledPairs = ({ pairs }: QuestionValues) =>
  pairs.filter(({ prompt, match }) => prompt.trim() !== '' && match.trim() !== '')

/** Converts the form to the content of a question. Blank parts are left out. */
export function toContent(values: QuestionValues): Content {
  const { kind } = values
  const tags = values.tags.split(',').flatMap((tag) => tag.trim() || [])
  return {
    kind,
    text: values.text.trim(),
    points: values.points === '' ? 1 : Number(values.points),
    ...(kind !== 'essay' && values.explanation.trim() !== '' && { explanation: values.explanation.trim() }),
    ...(tags.length > 0 && { tags: [...new Set(tags)] }),
    ...((kind === 'single' || kind === 'multiple') && {
      options: filledOptions(values).map(({ text, correct, feedback }) => ({
        text: text.trim(),
        correct,
        ...(feedback.trim() !== '' && { feedback: feedback.trim() }),
      })),
    }),
    ...(kind === 'ordering' && { items: filledItems(values) }),
    ...(kind === 'matching' && {
      pairs: filledPairs(values).map(({ prompt, match }) => ({ prompt: prompt.trim(), match: match.trim() })),
      ...(linesIn(values.distractors).length > 0 && { distractors: linesIn(values.distractors) }),
    }),
    ...(kind === 'numeric' && {
      answer: Number(values.answer),
      ...(values.tolerance !== '' && { tolerance: Number(values.tolerance) }),
      ...(values.unit.trim() !== '' && { unit: values.unit.trim() }),
    }),
    ...(kind === 'text' && { accepted: linesIn(values.accepted), caseSensitive: values.caseSensitive }),
    ...(kind === 'essay' && values.guidance.trim() !== '' && { guidance: values.guidance.trim() }),
  }
}

/** Finds what is missing, by field. The platform checks everything again. */
export function findFaults(values: QuestionValues): FormErrors {
  const faults: Record<string, string> = {}
  if (values.text.trim() === '') faults.text = say.missingText
  const fault = PARTS[values.kind]?.(values)
  if (fault) faults[fault[0]] = fault[1]
  return faults
}

const optionFault = (values: QuestionValues): [string, string] | undefined => {
  const options = filledOptions(values)
  const correct = options.filter((option) => option.correct).length
  if (options.length < 2) return ['options', say.missingParts]
  if (correct === 0) return ['options', say.missingCorrect]
  return values.kind === 'single' && correct > 1 ? ['options', say.oneCorrect] : undefined
}

const PARTS: Partial<Record<Kind, (values: QuestionValues) => [string, string] | undefined>> = {
  single: optionFault,
  multiple: optionFault,
  ordering: (values) => (filledItems(values).length < 2 ? ['items', say.missingParts] : undefined),
  matching: (values) => (filledPairs(values).length < 2 ? ['pairs', say.missingPairs] : undefined),
  numeric: ({ answer }) => (answer === '' ? ['answer', say.missingAnswer] : undefined),
  text: ({ accepted }) => (linesIn(accepted).length === 0 ? ['accepted', say.missingAccepted] : undefined),
}
