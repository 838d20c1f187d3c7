import { unescaped } from './escaping.ts'

/** Values of a data model of SCORM, as JSON. */
export type Values = Readonly<Record<string, unknown>>

/** An item of the package: a unit that can be opened, or a block of items. */
export interface Item {
  readonly position: number
  readonly parent: number | null
  readonly kind: 'unit' | 'block'
  /** The item as the manifest describes it. */
  readonly item: {
    readonly id: string
    readonly title: Readonly<Record<string, string>>
    readonly url?: string
    readonly scormType?: 'sco' | 'asset'
    readonly isVisible?: boolean
    readonly prerequisites?: string
    readonly masteryscore?: number
    readonly maxtimeallowed?: string
    readonly timelimitaction?: string
    readonly datafromlms?: string
    readonly timeLimitAction?: string
    readonly dataFromLMS?: string
    readonly completionThreshold?: { readonly completedByMeasure: boolean; readonly minProgressMeasure: number }
    readonly sequencing?: {
      readonly limitConditions?: { readonly attemptAbsoluteDurationLimit?: string }
      readonly primaryObjective?: { readonly satisfiedByMeasure?: boolean; readonly minNormalizedMeasure?: number }
    }
  }
}

/** The session as the platform describes it (`readScormSession`). */
export interface Session {
  readonly standard: 'scorm12' | 'scorm2004'
  readonly title: string
  readonly mode: 'normal' | 'browse' | 'review'
  readonly credit: 'credit' | 'no-credit'
  readonly learner: { readonly id: string; readonly name: string }
  /** Position of the item to start with. */
  readonly item: number
  readonly items: readonly Item[]
  readonly sequencing: Values | null
  readonly states: Readonly<Record<string, SavedState>>
  readonly shared: { readonly sequencing?: string } | null
  readonly returnUrl: string
}

export interface SavedState {
  readonly cmi: Values
  readonly entry: 'resume' | 'ab-initio' | ''
  readonly satisfied: boolean
}

/** A session that is open, and how the player speaks with the platform. */
export interface OpenSession {
  readonly session: Session
  /** URL to which data are saved. */
  readonly commitUrl: string
  readonly authorization: string
}

/** A session that could not be opened, in words for the student. */
export class CannotOpen extends Error {}

/** Exchanges the token of the launch for a credential, and reads the session. */
export async function openSession(parameters: URLSearchParams): Promise<OpenSession> {
  const [endpoint, fetchUrl] = [parameters.get('endpoint'), parameters.get('fetch')]
  if (!endpoint || !fetchUrl) throw new CannotOpen('Open this page from a lesson.')
  const fetched = await ask(fetchUrl, { method: 'POST' })
  const token = fetched['auth-token']
  // A page that is loaded again has the same link.
  if (typeof token !== 'string')
    throw new CannotOpen('This link has been used already. Go back and open the lesson again.')
  const platform = endpoint.replace(/\/xapi\/?$/, '')
  const authorization = `Basic ${token}`
  const session = (await ask(`${platform}/scorm/v1/session`, { headers: { authorization } })) as unknown as Session
  const saved = unescaped({ states: session.states, shared: session.shared })
  return { session: { ...session, ...saved }, commitUrl: `${platform}/scorm/v1/commit`, authorization }
}

async function ask(url: string, request: RequestInit): Promise<Values> {
  const answer = await fetch(url, { ...request, credentials: 'omit', cache: 'no-store' }).catch(() => {
    throw new CannotOpen('There is no connection. Check your network, then go back and open the lesson again.')
  })
  const body = (await answer.json().catch(() => ({}))) as Values
  if (answer.ok) return body
  throw new CannotOpen(`${body.error_description ?? `The platform answered ${answer.status}`}. Open the lesson again.`)
}

/** Returns a title in the language of the browser, or else in the first one. */
export function titleOf({ item }: Item): string {
  const { title } = item
  const wanted = navigator.languages.map((tag) => title[tag] ?? title[tag.split('-', 1)[0]!]).find(Boolean)
  return wanted ?? Object.values(title)[0] ?? 'Untitled'
}
