import { type Bases, verbOfWords } from '../model/names.ts'
import { adlVerb, type Verb } from '../model/statement.ts'

const W3ID = 'https://w3id.org/xapi/'
const NAMES: readonly [iriOf: (name: string) => string, names: string][] = [
  [
    adlVerb,
    'answered asked attempted attended commented completed exited experienced failed imported initialized interacted launched mastered passed preferred progressed registered responded resumed scored shared suspended terminated voided',
  ],
  [(name) => `${W3ID}adl/verbs/${name}`, 'abandoned satisfied waived logged-in logged-out'],
  [(name) => `${W3ID}video/verbs/${name}`, 'paused played seeked'],
]

/** The built-in verbs whose IRIs other organisations define, with their names. */
export const STANDARD_VERBS: ReadonlyMap<string, string> = new Map(
  NAMES.flatMap(([iriOf, names]) => names.split(' ').map((name): [string, string] => [iriOf(name), name])),
)

const PRESET_WORDS = ['Correct Item Selected', 'Incorrect Item Selected', 'Perfect Sequence', 'Repeated Steps'] as const

/** Lists the preset verbs of v1, with IRIs under the platform's own base. */
export const presetVerbs = (bases: Pick<Bases, 'verbs'>): Required<Verb>[] =>
  PRESET_WORDS.map((words) => verbOfWords(bases, words))
