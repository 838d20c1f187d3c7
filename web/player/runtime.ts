import type { Report } from './saving.ts'
import type { Item, SavedState, Session, Values } from './session.ts'

export type Mark = 'new' | 'open' | 'completed' | 'passed' | 'failed'

/** Controls that the bar and the list of contents offer. */
export interface Controls {
  readonly hasPrevious: boolean
  readonly hasContinue: boolean
  readonly canPrevious: boolean
  readonly canContinue: boolean
  readonly hasExit: boolean
  /** SCORM 2004: ends all items for good, instead of interrupting them. */
  readonly hasFinish: boolean
  canChoose(item: Item): boolean
  markOf(item: Item): Mark
}

export type Request = 'previous' | 'continue' | 'suspendAll' | 'exitAll' | { readonly choice: Item }

/** The next step after an item has ended. */
export type Next =
  | { readonly kind: 'open'; readonly item: Item }
  /** The student chooses. */
  | { readonly kind: 'choose' }
  /** There is nothing else to show. */
  | { readonly kind: 'end' }

/** Calls of the runtime that the player handles for the open item. */
export interface Listener {
  /** The content has begun to report. */
  onInitialize(): void
  /** A value has changed. `isUrgent`: it is one of those that a student must not lose. */
  onChange(isUrgent: boolean): void
  onCommit(): void
  /** The content has ended its item. */
  onFinish(): void
}

/** Runs the items of a package by the rules of one version of SCORM. */
export interface Runtime {
  readonly current: Item | undefined
  /** Decides what the session begins with. */
  begin(): Next
  /** Prepares the API for an item whose content is about to be loaded. */
  open(item: Item): void
  /** Remembers what the student wants, before the content is taken away and ends its item. */
  request(request: Request): void
  /** Ends the item that was open, if its content has not, and says what follows. */
  proceed(): Next
  /** Returns what the current item has to save; undefined if there is nothing. */
  report(): Report | undefined
  controls(): Controls
}

export const isUnit = ({ kind, item }: Item): boolean => kind === 'unit' && item.url !== undefined
export const isAsset = ({ item }: Item): boolean => item.scormType === 'asset'

/** The data of the items: as they were saved, and as the content has changed them since. */
export class States {
  readonly #states = new Map<number, SavedState>()

  constructor({ states }: Session) {
    for (const [position, state] of Object.entries(states)) this.#states.set(Number(position), state)
  }

  get({ position }: Item): SavedState | undefined {
    return this.#states.get(position)
  }

  keep({ position }: Item, cmi: Values, entry: SavedState['entry']): void {
    this.#states.set(position, { satisfied: false, ...this.#states.get(position), cmi, entry })
  }
}

/** The names of the functions of the API, by version. */
const FUNCTIONS = {
  scorm12: ['LMSInitialize', 'LMSFinish', 'LMSGetValue', 'LMSSetValue', 'LMSCommit', 'LMSGetLastError'],
  scorm2004: ['Initialize', 'Terminate', 'GetValue', 'SetValue', 'Commit', 'GetLastError'],
} as const
const TEXTS = {
  scorm12: ['LMSGetErrorString', 'LMSGetDiagnostic'],
  scorm2004: ['GetErrorString', 'GetDiagnostic'],
} as const

/** The functions of `scorm-again` that both versions have. */
export interface Api {
  lmsInitialize(parameter?: string): string
  lmsFinish(parameter?: string): string
  lmsGetValue(element: string): string
  lmsSetValue(element: string, value: unknown): string
  lmsCommit(parameter?: string): string
  lmsGetLastError(): string
  lmsGetErrorString(code: string): string
  lmsGetDiagnostic(code: string): string
}

const URGENT = /status|score|location|suspend_data|progress_measure|\.exit$/
const isTrue = (result: string) => String(result) === 'true'
/** Much content passes nothing, or null, where SCORM wants an empty text. */
const textOf = (parameter: unknown): string => (parameter === undefined || parameter === null ? '' : String(parameter))

/**
 * Makes the API that content finds. Its functions need no `this`, and listen. `finish` ends the item; content of an
 * item that was left (`isOpen` is false) has no effect.
 */
export function expose(
  standard: Session['standard'],
  api: Api,
  { finish, isOpen, listener }: { finish: () => string; isOpen: () => boolean; listener: Listener },
): Record<string, unknown> {
  const [initialize, terminate, get, set, commit, lastError] = FUNCTIONS[standard]
  const [errorString, diagnostic] = TEXTS[standard]
  const after = (result: string, then: () => void): string => {
    if (isTrue(result)) then()
    return result
  }
  return {
    version: '1.0',
    [initialize]: (parameter?: unknown) =>
      isOpen() ? after(api.lmsInitialize(textOf(parameter)), () => listener.onInitialize()) : 'false',
    [terminate]: (parameter?: unknown) => {
      if (!isOpen()) return 'false'
      return textOf(parameter) === '' ? after(finish(), () => listener.onFinish()) : api.lmsFinish(textOf(parameter))
    },
    [get]: (element: unknown) => (isOpen() ? api.lmsGetValue(textOf(element)) : ''),
    [set]: (element: unknown, value: unknown) =>
      isOpen()
        ? after(api.lmsSetValue(textOf(element), textOf(value)), () => listener.onChange(URGENT.test(textOf(element))))
        : 'false',
    [commit]: (parameter?: unknown) =>
      isOpen() ? after(api.lmsCommit(textOf(parameter)), () => listener.onCommit()) : 'false',
    [lastError]: () => api.lmsGetLastError(),
    [errorString]: (code: unknown) => api.lmsGetErrorString(textOf(code)),
    [diagnostic]: (code: unknown) => api.lmsGetDiagnostic(textOf(code)),
  }
}

/** Settings of `scorm-again`: the player itself saves, and the console stays quiet. */
export const QUIET = { autocommit: false, lmsCommitUrl: false, logLevel: 5, onLogMessage: () => {} } as const

/** Removes values that belong to a session that is over. */
export const without = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))

/** Returns what the platform calls the end of an item. */
export const exitOf = (exit: unknown): string => (typeof exit === 'string' && exit !== '' ? exit : 'normal')

export const objectOf = (value: unknown): Values => (typeof value === 'object' && value !== null ? value : {}) as Values
