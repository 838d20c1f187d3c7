import { ApiProblem } from '../api/call.ts'
import { words } from './words.ts'

/** Returns the non-empty lines of a text. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** The number of each non-empty line of a text, as people count lines. */
const numbersOf = (text: string): number[] => text.split('\n').flatMap((line, i) => (line.trim() === '' ? [] : [i + 1]))

/**
 * Returns what the platform found wrong with a field: one sentence, or one for each faulty line if the field holds a
 * list. Returns null if nothing is wrong with it.
 */
export function faultsIn(error: Error, field: string, text: string): string | null {
  if (!(error instanceof ApiProblem)) return null
  const numbers = numbersOf(text)
  const sentences = error.faults.flatMap(({ pointer, must }) => {
    const [, name, place] = pointer.split('/')
    if (name !== field) return []
    return [place === undefined ? words.form.fault(must) : words.form.lineFault(numbers[Number(place)] ?? 1, must)]
  })
  return sentences.length > 0 ? sentences.join('\n') : null
}

/** Props of a field whose error may have a line for each line of the text. */
export const LINE_ERRORS = { styles: { error: { whiteSpace: 'pre-line' } } } as const
