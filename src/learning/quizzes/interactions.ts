import type { QuestionContent, QuestionKind } from './question-schema.ts'
import { choicesOf, keyOf, type Response } from './rules.ts'

/** The definition of a question as an xAPI activity (xAPI-Data 4.2.2, cmi.interaction). */
export interface Interaction {
  readonly type: string
  readonly description: Readonly<Record<string, string>>
  readonly interactionType: string
  readonly correctResponsesPattern?: string[]
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

const nameOf = (prefix: string, number: number): string => `${prefix}-${number + 1}`
// The language of questions is unknown.
const inUnknown = (text: string) => ({ und: text })
const components = (prefix: string, texts: readonly string[]): Component[] =>
  texts.map((text, i) => ({ id: nameOf(prefix, i), description: inUnknown(text) }))

/**
 * Describes a question as a cmi.interaction. The correct answer is left out of quizzes that never reveal it, because
 * students can download the statements about themselves.
 */
export function toInteraction(content: QuestionContent, withKey: boolean): Interaction {
  const { kind, text, options, items, pairs } = content
  const parts = options?.map((option) => option.text) ?? items
  const pattern = withKey ? patternOf(content) : undefined
  return {
    type: 'http://adlnet.gov/expapi/activities/cmi.interaction',
    description: inUnknown(text),
    interactionType: TYPES[kind],
    ...(pattern ? { correctResponsesPattern: pattern } : {}),
    ...(parts ? { choices: components(options ? 'option' : 'item', parts) } : {}),
    ...(pairs
      ? {
          source: components(
            'prompt',
            pairs.map(({ prompt }) => prompt),
          ),
          target: components('choice', choicesOf(content)),
        }
      : {}),
  }
}

function patternOf(content: QuestionContent): string[] | undefined {
  const { kind, answer = 0, tolerance = 0, accepted = [], caseSensitive = false } = content
  if (kind === 'essay') return undefined
  if (kind === 'numeric') return [`${answer - tolerance}[:]${answer + tolerance}`]
  if (kind === 'text') return accepted.map((text) => `{case_matters=${caseSensitive}}${text}`)
  return [toResponse(content, keyOf(content)!)]
}

/** Converts an answer to the `response` of a statement's result. */
export function toResponse({ kind }: QuestionContent, response: Response): string {
  if (kind === 'single' || kind === 'multiple')
    return [response]
      .flat()
      .map((number) => nameOf('option', number as number))
      .join('[,]')
  if (kind === 'ordering') return (response as number[]).map((number) => nameOf('item', number)).join('[,]')
  if (kind === 'matching')
    return (response as (number | null)[])
      .flatMap((choice, i) => (choice === null ? [] : [`${nameOf('prompt', i)}[.]${nameOf('choice', choice)}`]))
      .join('[,]')
  return String(response)
}
