import type { Scorm12API } from 'scorm-again'
import * as library from 'scorm-again/scorm12'
import { arePrerequisitesMet } from './prerequisites.ts'
import {
  type Controls,
  exitOf,
  expose,
  isAsset,
  isUnit,
  type Listener,
  type Mark,
  type Next,
  objectOf,
  QUIET,
  type Request,
  type Runtime,
  States,
  without,
} from './runtime.ts'
import type { Report } from './saving.ts'
import type { Item, Session, Values } from './session.ts'

// The types of this entry point name another export.
const { Scorm12API: Api } = library as unknown as { Scorm12API: typeof Scorm12API }

/** An item that was opened. */
interface Run {
  readonly item: Item
  readonly api: Scorm12API
  readonly startedAt: number
  isFinished: boolean
}

/** Returns whether content has stored a position to return to. */
const hasBookmark = (cmi: Values): boolean => Boolean(cmi.suspend_data || objectOf(cmi.core).lesson_location)
const statusOf = (cmi: Values): unknown => objectOf(cmi.core).lesson_status
const FINISHED = ['passed', 'completed']
const FINAL = [...FINISHED, 'failed']

/** SCORM 1.2: the student moves freely between the items whose prerequisites are met. */
export class Scorm12 implements Runtime {
  readonly #session: Session
  readonly #listener: Listener
  readonly #states: States
  readonly #units: readonly Item[]
  #run: Run | undefined
  #request: Request | undefined

  constructor(session: Session, listener: Listener) {
    this.#session = session
    this.#listener = listener
    this.#states = new States(session)
    this.#units = session.items.filter(isUnit)
  }

  get current(): Item | undefined {
    return this.#run?.item
  }

  begin(): Next {
    const item = this.#units.find(({ position }) => position === this.#session.item)
    return item && this.#canOpen(item) ? { kind: 'open', item } : { kind: 'choose' }
  }

  /** Prerequisites of a block are those of its items too. A review or a preview opens everything. */
  #canOpen(item: Item): boolean {
    const { items } = this.#session
    const { prerequisites } = item.item
    const statusOfId = (id: string) => {
      const found = items.find((one) => one.item.id === id)
      return found && this.#statusOf(found)
    }
    const isMet = prerequisites === undefined || arePrerequisitesMet(prerequisites, statusOfId)
    const block = items.find(({ position }) => position === item.parent)
    return this.#session.mode !== 'normal' || (isMet && (block === undefined || this.#canOpen(block)))
  }

  /** A block is completed when all its items are. */
  #statusOf(item: Item): string {
    const { items } = this.#session
    if (item.kind === 'unit') return this.#statusOfUnit(item)
    const statuses = items.filter(({ parent }) => parent === item.position).map((one) => this.#statusOf(one))
    return statuses.every((status) => FINISHED.includes(status)) ? 'completed' : 'incomplete'
  }

  /** An item that was waived counts as passed. */
  #statusOfUnit(item: Item): string {
    const saved = this.#states.get(item)
    return saved?.satisfied ? 'passed' : String((saved && statusOf(saved.cmi)) ?? 'not attempted')
  }

  open(item: Item): void {
    const api = new Api({ ...QUIET, mastery_override: true })
    const run: Run = { item, api, startedAt: Date.now(), isFinished: false }
    this.#run = run
    api.loadFromJSON(this.#initialOf(item))
    window.API = expose('scorm12', api, {
      listener: this.#listener,
      isOpen: () => this.#run === run && !run.isFinished,
      finish: () => {
        const result = api.lmsFinish()
        if (String(result) === 'true') run.isFinished = true
        return result
      },
    })
  }

  /**
   * Returns the data model at the start. An item that is incomplete goes on where it was, whatever its content said
   * when it ended: much content of 1.2 leaves a bookmark, but forgets to say that it is suspended.
   */
  #initialOf(item: Item): Values {
    const { mode, credit, learner } = this.#session
    const saved = this.#states.get(item)
    const isOpen = saved !== undefined && !FINAL.includes(String(statusOf(saved.cmi))) && hasBookmark(saved.cmi)
    const entry = saved?.entry === 'resume' || isOpen ? 'resume' : mode === 'normal' ? 'ab-initio' : ''
    const { core, ...rest } = entry === 'ab-initio' ? ({} as Values) : (saved?.cmi ?? {})
    const { masteryscore, maxtimeallowed, timelimitaction, datafromlms } = item.item
    return {
      ...without(rest, ['student_data', 'launch_data']),
      core: {
        ...without(objectOf(core), ['exit', 'session_time']),
        ...{ student_id: learner.id, student_name: learner.name, credit, lesson_mode: mode, entry },
      },
      ...(datafromlms !== undefined && { launch_data: datafromlms }),
      student_data: {
        ...(masteryscore !== undefined && { mastery_score: String(masteryscore) }),
        ...(maxtimeallowed !== undefined && { max_time_allowed: maxtimeallowed }),
        ...(timelimitaction !== undefined && { time_limit_action: timelimitaction }),
      },
    }
  }

  request(request: Request): void {
    this.#request = request
  }

  proceed(): Next {
    const [request, run] = [this.#request, this.#run]
    this.#request = undefined
    if (run) run.isFinished = true
    if (request === 'suspendAll' || request === 'exitAll') return { kind: 'end' }
    if (typeof request === 'object') return { kind: 'open', item: request.choice }
    const next = this.#beside(request === 'previous' ? -1 : 1)
    if (request !== undefined) return next ? { kind: 'open', item: next } : { kind: 'choose' }
    return this.current === this.#units.at(-1) ? { kind: 'end' } : { kind: 'choose' }
  }

  #beside(step: 1 | -1): Item | undefined {
    const beside = this.current && this.#units[this.#units.indexOf(this.current) + step]
    return beside && this.#canOpen(beside) ? beside : undefined
  }

  report(): Report | undefined {
    const run = this.#run
    if (!run) return undefined
    const { item, api, startedAt, isFinished } = run
    const { cmi } = api.renderCMIToJSONObject() as { cmi: Values }
    const core = { ...objectOf(cmi.core) }
    // Content that reports no time is measured.
    const since = core.session_time === '00:00:00' ? startedAt : undefined
    core.total_time = api.cmi.core.getCurrentTotalTime(since as number)
    if (isAsset(item)) core.lesson_status = 'completed'
    else if (FINAL.includes(String(core.lesson_status))) core.lesson_status = this.#judge(item, core)
    const whole: Values = { ...cmi, core }
    const exit = exitOf(core.exit)
    // Content that was taken away without an end goes on later.
    const isSuspended = !isFinished || exit === 'suspend' || (api.isInitialized() && !isAsset(item))
    this.#states.keep(item, whole, isSuspended ? 'resume' : 'ab-initio')
    return {
      ...{ item: item.position, cmi: whole, sessionSeconds: (Date.now() - startedAt) / 1000 },
      // A package with one unit has nothing to show after it.
      ...(isFinished && { finished: true, exit: isSuspended ? 'suspend' : exit, ended: this.#units.length === 1 }),
    }
  }

  /** Judges a score by the mastery score, as the platform does when content ends (SCORM 1.2 RTE 3.4.4). */
  #judge({ item }: Item, { lesson_status: status, score }: Values): unknown {
    const { raw } = objectOf(score)
    const isJudged = this.#session.credit === 'credit' && item.masteryscore !== undefined && raw !== '' && raw != null
    return isJudged ? (Number(raw) >= item.masteryscore! ? 'passed' : 'failed') : status
  }

  controls(): Controls {
    const hasMany = this.#units.length > 1
    return {
      ...{ hasPrevious: hasMany, hasContinue: hasMany, hasExit: true, hasFinish: false },
      canPrevious: this.#beside(-1) !== undefined,
      canContinue: this.#beside(1) !== undefined,
      canChoose: (item) => isUnit(item) && this.#canOpen(item),
      markOf: (item) => this.#markOf(item),
    }
  }

  #markOf(item: Item): Mark {
    const saved = this.#states.get(item)
    const status = saved && statusOf(saved.cmi)
    if (status === 'passed' || status === 'completed' || status === 'failed') return status
    if (saved?.satisfied) return 'passed'
    return saved && Object.keys(saved.cmi).length > 0 ? 'open' : 'new'
  }
}
