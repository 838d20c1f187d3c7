/** The eight things of the platform that statements speak of; `{base}/{type}` is what they are called in them. */
export const TYPES = [
  'course',
  'lesson',
  'lesson-result',
  'objective',
  'badge',
  'student',
  'education-class',
  'user',
] as const
export type Type = (typeof TYPES)[number]

const ADL = 'http://adlnet.gov/expapi/verbs/'
const W3ID = 'https://w3id.org/xapi/'
const lists: Record<string, string> = {
  [ADL]:
    'answered asked attempted attended commented completed exited experienced failed imported initialized interacted launched mastered passed preferred progressed registered responded resumed scored shared suspended terminated voided',
  [`${W3ID}adl/verbs/`]: 'abandoned satisfied waived logged-in logged-out',
  [`${W3ID}video/verbs/`]: 'paused played seeked',
}

/** The verb library as it comes with the platform: IRI and name. Administrators add others. */
export const STANDARD_VERBS: ReadonlyMap<string, string> = new Map(
  Object.entries(lists).flatMap(([base, names]) =>
    names.split(' ').map((name): [string, string] => [base + name, name]),
  ),
)
export const verb = (name: string): string => ADL + name

/** The preset verbs of v1, and what they are called as IRIs under a base of the platform's own. */
export const PRESET_VERBS = [
  'Correct Item Selected',
  'Incorrect Item Selected',
  'Perfect Sequence',
  'Repeated Steps',
] as const

/** v1 says a verb in words: the same words, in whatever case and spacing, are the same verb. */
export function verbOfWords(base: string, words: string): { id: string; display: Record<string, string> } {
  const text = words.normalize('NFC').trim().replace(/\s+/g, ' ')
  const slug = encodeURIComponent(text.toLowerCase().replaceAll(' ', '-'))
  return { id: `${base}/${slug}`, display: { en: text } }
}
