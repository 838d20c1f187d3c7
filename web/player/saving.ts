import { escapedJson } from './escaping.ts'
import type { OpenSession, Values } from './session.ts'

/** The data of an item that have to be saved. */
export interface Report {
  readonly item: number
  /** The whole data model. */
  readonly cmi: Values
  readonly sessionSeconds: number
  /** State of the package as a whole, if it may have changed. */
  readonly shared?: Values | undefined
  readonly exit?: string | undefined
  readonly finished?: boolean
  readonly ended?: boolean
}
interface Refusal {
  readonly error_code?: number
  readonly error_description?: string
}
interface Commit extends Report {
  /** Number of the commit in this session and item. The platform ignores older ones. */
  readonly sequence: number
}

/** `reason` is what the platform answered, without the full stop. */
export type SavingState =
  | { readonly kind: 'nothing' }
  /** `isAll` is false while the last data of an item are refused. */
  | { readonly kind: 'saved'; readonly at: Date; readonly isAll: boolean }
  /** It is tried again. `reason` is undefined if there is no connection. */
  | { readonly kind: 'waiting'; readonly reason?: string | undefined }
  /** It is not tried again, but later changes are. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nothing more can be saved. */
  | { readonly kind: 'stopped'; readonly reason: string | undefined }

/** Browsers send up to 64 KiB after their page was closed. Some bytes are left for the rest of the request. */
const KEEPALIVE_BYTES = 65_000
const SMALL_BYTES = 20_000
const LONGEST_WAIT_MS = 30_000
/** Answers of the 400s after which a commit is sent again. */
const RETRIED = [408, 409, 425, 429]
/** The code of the error for full storage, for which others can make room. */
const STORAGE_FULL = 4007

/**
 * Saves what items report: one commit after the other, each until the platform has accepted or refused it. A commit has
 * only the properties of which it is not known that the platform has them.
 */
export class Saving {
  readonly #session: Pick<OpenSession, 'commitUrl' | 'authorization'>
  readonly #isRecorded: boolean
  readonly #show: (state: SavingState) => void
  #queue: Commit[] = []
  #isSending = false
  #isStopped = false
  #failures = 0
  #timer: number | undefined
  /** Numbers of the last commits, by item. */
  readonly #sequences = new Map<number, number>()
  /** Numbers of the last commits that were sent, by item. */
  readonly #sent = new Map<number, number>()
  /** Items whose last data the platform has refused. */
  readonly #refused = new Set<number>()
  /** The state of the package, until a commit with it is accepted. */
  #shared: Values | undefined
  /** The properties that the platform surely has, as JSON, by item. */
  readonly #accepted = new Map<number, Readonly<Record<string, string>>>()
  /** The commits that were sent by the last flush. */
  #flushed = ''
  /** Functions that wait until everything is saved. */
  #waiting: (() => void)[] = []

  constructor(open: OpenSession, show: (state: SavingState) => void) {
    this.#session = open
    // In a preview or a review the platform only takes note of the end.
    this.#isRecorded = open.session.mode === 'normal'
    this.#show = show
    addEventListener('online', () => this.#send())
  }

  save(report: Report): void {
    if (this.#isStopped || !(this.#isRecorded || report.finished || report.ended)) return
    const sequence = this.#nextSequence(report.item)
    const last = this.#queue.at(-1)
    // An unsent commit is replaced by a newer one of its item. The end of an item is never replaced.
    if (last?.item === report.item && !last.finished && !(this.#isSending && this.#queue.length === 1))
      this.#queue.pop()
    this.#shared = report.shared ?? this.#shared
    this.#queue.push({ ...report, sequence, shared: this.#shared })
    this.#send()
  }

  #nextSequence(item: number): number {
    const sequence = (this.#sequences.get(item) ?? 0) + 1
    this.#sequences.set(item, sequence)
    return sequence
  }

  /** Ends the session after the item that was saved last. */
  end(report: Report): void {
    const last = this.#queue.at(-1)
    if (last?.finished && last.item === report.item && !(this.#isSending && this.#queue.length === 1))
      this.#queue[this.#queue.length - 1] = { ...last, ended: true }
    // A commit that is sent again changes nothing but ends the session.
    else this.#queue.push({ ...report, ended: true, sequence: this.#sequences.get(report.item) ?? 1 })
    this.#send()
  }

  /**
   * Sends everything that is not saved at once, so that it arrives although the page is closed. Data that would leave
   * no room for another flush wait for the last one.
   */
  flush(isLast: boolean): void {
    const state = this.#queue.map(({ item, sequence, ended }) => `${item} ${sequence} ${ended}`).join()
    if (this.#isStopped || state === this.#flushed) return
    // The newest commit of an item has everything that the others have.
    const newest = [...new Map(this.#queue.map((commit) => [commit.item, commit])).values()]
    const wholes = newest.map((commit) => this.#bodyOf(commit))
    if (!isLast && wholes.reduce((sum, body) => sum + sizeOf(body), 0) > SMALL_BYTES) return
    let bytes = KEEPALIVE_BYTES
    this.#queue = newest.map((commit, i) => {
      const isWhole = sizeOf(wholes[i]!) <= bytes
      // Of a commit that is too large, the smallest properties go first: they are the status and the score.
      const body = isWhole ? wholes[i]! : this.#bodyOf(commit, bytes)
      bytes -= sizeOf(body)
      void this.#post(commit, body, true).then(
        (answer) => answer.ok && isWhole && this.#accept(commit),
        () => {},
      )
      return isWhole ? commit : { ...commit, sequence: this.#nextSequence(commit.item) }
    })
    this.#flushed = state
  }

  get isSettled(): boolean {
    return this.#queue.length === 0 || this.#isStopped
  }

  /** Resolves when everything is saved, or can no longer be saved. */
  settled(): Promise<void> {
    return this.isSettled ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve))
  }

  async #send(): Promise<void> {
    const [commit] = this.#queue
    if (this.#isSending || this.#isStopped || !commit) return
    clearTimeout(this.#timer)
    this.#isSending = true
    try {
      const answer = await this.#post(commit, this.#bodyOf(commit))
      if (answer.ok) {
        this.#failures = 0
        this.#accept(commit)
        const { savedDate } = (await answer.json()) as { savedDate: string }
        if (this.#isRecorded) this.#show({ kind: 'saved', at: new Date(savedDate), isAll: this.#refused.size === 0 })
      } else {
        const { status } = answer
        const { error_code: code, error_description: said } = (await answer.json().catch(() => ({}))) as Refusal
        const reason = said?.replace(/\.$/, '')
        if (status === 401 || status === 403) this.#stop(reason)
        else if (status < 500 && !RETRIED.includes(status) && code !== STORAGE_FULL)
          this.#drop(commit, reason ?? `The platform answered ${status}`)
        else this.#wait(reason)
      }
    } catch {
      this.#wait()
    }
    this.#isSending = false
    if (this.isSettled) for (const resolve of this.#waiting.splice(0)) resolve()
    else if (this.#failures === 0) void this.#send()
  }

  #wait(reason?: string): void {
    const ms = Math.min(1000 * 2 ** this.#failures++, LONGEST_WAIT_MS)
    this.#timer = setTimeout(() => this.#send(), ms)
    this.#show({ kind: 'waiting', reason })
  }

  /** Gives up a commit that the platform will not accept, so that the others can go on. */
  #drop(commit: Commit, reason: string): void {
    this.#failures = 0
    this.#queue = this.#queue.filter((one) => one !== commit)
    this.#refused.add(commit.item)
    this.#show({ kind: 'refused', reason })
  }

  #stop(reason: string | undefined): void {
    this.#isStopped = true
    this.#queue = []
    this.#show({ kind: 'stopped', reason })
  }

  #accept(commit: Commit): void {
    this.#queue = this.#queue.filter(
      ({ item, sequence, ended }) => item !== commit.item || sequence > commit.sequence || (ended && !commit.ended),
    )
    this.#refused.delete(commit.item)
    if (commit.shared === this.#shared) this.#shared = undefined
    // Of a newer commit that was sent meanwhile, it is not known whether the platform has it.
    if (this.#sent.get(commit.item) === commit.sequence) this.#accepted.set(commit.item, partsOf(commit.cmi))
    if (this.isSettled) for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Returns the body of a commit; with a limit, the small part of it that fits. */
  #bodyOf({ cmi, shared, ...commit }: Commit, most = Number.POSITIVE_INFINITY): string {
    const accepted = this.#accepted.get(commit.item)
    const parts = Object.entries(partsOf(cmi)).filter(([name, part]) => accepted?.[name] !== part)
    const bodyOf = (chosen: typeof parts, more: object) =>
      escapedJson({
        ...commit,
        ...more,
        cmi: Object.fromEntries(chosen.map(([name]) => [name, cmi[name]])),
        ...((accepted || chosen.length < parts.length) && { partial: true }),
      })
    if (most === Number.POSITIVE_INFINITY) return bodyOf(parts, shared ? { shared } : {})
    const chosen: typeof parts = []
    for (const part of parts.sort(([, a], [, b]) => a.length - b.length))
      if (sizeOf(bodyOf([...chosen, part], {})) <= most) chosen.push(part)
    return bodyOf(chosen, {})
  }

  /** Sends a commit. Until it is accepted, it is not known which of its properties the platform has. */
  #post({ item, sequence, cmi }: Commit, body: string, keepalive = false): Promise<Response> {
    const accepted = this.#accepted.get(item)
    const parts = partsOf(cmi)
    const kept = Object.entries(accepted ?? {}).filter(([name, part]) => parts[name] === part)
    if (accepted) this.#accepted.set(item, Object.fromEntries(kept))
    this.#sent.set(item, sequence)
    const { commitUrl, authorization } = this.#session
    const headers = { authorization, 'content-type': 'application/json' }
    return fetch(commitUrl, { method: 'POST', headers, body, keepalive, credentials: 'omit' })
  }
}

const partsOf = (cmi: Values): Record<string, string> =>
  Object.fromEntries(Object.entries(cmi).map(([name, value]) => [name, JSON.stringify(value)]))

const sizeOf = (text: string): number => new TextEncoder().encode(text).length
