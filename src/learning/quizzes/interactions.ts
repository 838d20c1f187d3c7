import type { QuestionContent, QuestionKind } from './question-schema.ts'
import { choicesOf, type Response } from './rules.ts'

/** The definition of a question as an xAPI activity (xAPI-Data 4.2.2, cmi.interaction). */
export interface Interaction {
  readonly type: string
  readonly description: Readonly<Record<string, string>>
  readonly interactionType: string
  readonly choices?: Component[]
  readonly source?: Component[]
  readonly target?: Component[]
}
interface Component {
  readonly id: string
  readonly description: Readonly<Record<string, string>>
}

const TYPES: Readonly<Record<QuestionKind, string>> = {
  single: 'choice',
  multiple: 'choice',
  ordering: 'sequencing',
  matching: 'matching',
  numeric: 'numeric',
  text: 'fill-in',
  essay: 'long-fill-in',
}

// The language of questions is unknown.
const inUnknown = (text: string) => ({ und: text })
const nameOf = (prefix: string, rank: number): string => `${prefix}-${rank + 1}`
const components = (prefix: string, texts: readonly string[]): Component[] =>
  texts.map((text, i) => ({ id: nameOf(prefix, i), description: inUnknown(text) }))

/**
 * Sorts the items of an ordering question and the choices of a matching question by their text, because their order in
 * the question is the correct answer.
 */
const sorted = (texts: readonly string[]): string[] => texts.toSorted()

/**
 * Describes a question as a cmi.interaction. It never contains the correct answer: definitions of activities are read
 * by everybody who knows the id of a question, also while they are taking the quiz.
 */
export function toInteraction(content: QuestionContent): Interaction {
  const { kind, text, options, items, pairs } = content
  return {
    type: 'http://adlnet.gov/expapi/activities/cmi.interaction',
    description: inUnknown(text),
    interactionType: TYPES[kind],
    ...(options && {
      choices: components(
        'option',
        options.map((option) => option.text),
      ),
    }),
    ...(items && { choices: components('item', sorted(items)) }),
    ...(pairs && {
      source: components(
        'prompt',
        pairs.map(({ prompt }) => prompt),
      ),
      target: components('choice', sorted(choicesOf(content))),
    }),
  }
}

/** Converts an answer to the `response` of a statement's result, with the ids of `toInteraction`. */
export function toResponse(content: QuestionContent, response: Response): string {
  const { kind, items = [] } = content
  if (kind === 'single' || kind === 'multiple')
    return [response]
      .flat()
      .map((number) => nameOf('option', number as number))
      .join('[,]')
  if (kind === 'ordering')
    return (response as number[]).map((number) => nameOf('item', rankOf(items, number))).join('[,]')
  if (kind === 'matching') {
    const choices = choicesOf(content)
    return (response as (number | null)[])
      .flatMap((choice, i) =>
        choice === null ? [] : [`${nameOf('prompt', i)}[.]${nameOf('choice', rankOf(choices, choice))}`],
      )
      .join('[,]')
  }
  return String(response)
}

const rankOf = (texts: readonly string[], number: number): number => sorted(texts).indexOf(texts[number]!)
