import type { Scorm2004API, Settings } from 'scorm-again'
import * as library from 'scorm-again/scorm2004'
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
const { Scorm2004API: Api } = library as unknown as { Scorm2004API: typeof Scorm2004API }

/** An item that was opened. */
interface Run {
  readonly item: Item
  readonly startedAt: number
  /** Total time of an item that has ended. */
  totalTime?: string
  isFinished: boolean
  /** The data that items share, as they were saved last. */
  sharedData?: string
}

/** Values of the data model that the platform sets anew for each session. */
const OF_SESSION = ['entry', 'exit', 'session_time', 'learner_id', 'learner_name', 'mode', 'credit', 'launch_data']
const OF_MANIFEST = ['completion_threshold', 'scaled_passing_score', 'max_time_allowed', 'time_limit_action']

/** SCORM 2004: sequencing decides which item is shown. */
export class Scorm2004 implements Runtime {
  readonly #session: Session
  readonly #listener: Listener
  readonly #states: States
  readonly #units: readonly Item[]
  #api: Scorm2004API
  /** Whether the package's sequencing is followed. In reviews and previews, an item can be shown without it. */
  #isSequenced = true
  #run: Run | undefined
  #request: Request | undefined
  /** The item that sequencing delivers next. */
  #delivered: Item | undefined
  #isOver = false
  /** Requests that sequencing has refused since the last item was opened. They can look as if they were allowed. */
  readonly #refused = new Set<Request>()

  constructor(session: Session, listener: Listener) {
    this.#session = session
    this.#listener = listener
    this.#states = new States(session)
    this.#units = session.items.filter(isUnit)
    this.#api = this.#makeApi()
  }

  #makeApi(): Scorm2004API {
    const eventListeners = {
      onActivityDelivery: ({ id }: { id: string }) => {
        this.#delivered = this.#itemOf(id)
      },
      onSequencingSessionEnd: () => {
        this.#isOver = true
      },
    }
    const sequencing = { ...this.#session.sequencing, eventListeners } as NonNullable<Settings['sequencing']>
    return new Api({ ...QUIET, ...(this.#isSequenced && { sequencing }) })
  }

  #itemOf = (id: string): Item | undefined => this.#units.find(({ item }) => item.id === id)

  get current(): Item | undefined {
    return this.#run?.item
  }

  /**
   * Begins with the item that was launched: resumes it, or chooses it. A package that allows neither goes on where it
   * was, or starts with its first item.
   */
  begin(): Next {
    const wanted = this.#units.find(({ position }) => position === this.#session.item)
    const { mode, shared } = this.#session
    if (mode === 'normal' && shared?.sequencing) this.#restore(shared.sequencing)
    const suspended = this.#process().activityTree.suspendedActivity?.id
    const tries: [string, string?][] = [
      ...(wanted && suspended === wanted.item.id ? [['resumeAll'] as [string]] : []),
      ...(wanted ? [['choice', wanted.item.id] as [string, string]] : []),
      ...(mode === 'normal' ? [...(suspended ? [['resumeAll'] as [string]] : []), ['start'] as [string]] : []),
    ]
    for (const [request, target] of tries) {
      this.#api.processNavigationRequest(request, target)
      if (this.#delivered) return { kind: 'open', item: this.#delivered }
    }
    if (mode === 'normal') return { kind: 'choose' }
    this.#isSequenced = false
    this.#api = this.#makeApi()
    return wanted ? { kind: 'open', item: wanted } : { kind: 'choose' }
  }

  /** An item that was open when the page was closed counts as suspended. */
  #restore(state: string): void {
    this.#api.deserializeSequencingState(state)
    const { currentActivity } = this.#process().activityTree
    if (currentActivity?.isActive) this.#api.processNavigationRequest('suspendAll')
    this.#isOver = false
    this.#delivered = undefined
  }

  /** The part of `scorm-again` that has the activity tree and its rules. */
  #process() {
    return this.#api.adl.sequencing as NonNullable<Scorm2004API['adl']['sequencing']>
  }

  open(item: Item): void {
    const run: Run = { item, startedAt: Date.now(), isFinished: false }
    this.#run = run
    this.#delivered = undefined
    this.#isOver = false
    this.#refused.clear()
    this.#api.reset({}, { preserveListeners: true, resetTotalTime: true })
    this.#api.loadFromJSON(this.#initialOf(item))
    window.API_1484_11 = expose('scorm2004', this.#api, {
      listener: this.#listener,
      isOpen: () => this.#run === run && !run.isFinished,
      finish: () => this.#finish(run),
    })
  }

  #initialOf(item: Item): Values {
    const { mode, credit, learner } = this.#session
    const saved = this.#states.get(item)
    const activity = this.#isSequenced ? this.#process().getCurrentActivity() : undefined
    const isResumed = saved?.entry === 'resume' || (activity?.deliveryWasResumed === true && saved !== undefined)
    const entry = isResumed ? 'resume' : mode === 'normal' ? 'ab-initio' : ''
    const { dataFromLMS, timeLimitAction, completionThreshold, sequencing } = item.item
    const { primaryObjective: objective, limitConditions } = sequencing ?? {}
    const limit = limitConditions?.attemptAbsoluteDurationLimit
    return {
      ...(entry === 'ab-initio' ? {} : without(saved?.cmi ?? {}, [...OF_SESSION, ...OF_MANIFEST])),
      ...{ learner_id: learner.id, learner_name: learner.name, mode, credit, entry },
      ...(dataFromLMS !== undefined && { launch_data: dataFromLMS }),
      ...(timeLimitAction !== undefined && { time_limit_action: timeLimitAction }),
      ...(limit !== undefined && { max_time_allowed: limit }),
      ...(completionThreshold?.completedByMeasure && {
        completion_threshold: String(completionThreshold.minProgressMeasure),
      }),
      ...(objective?.satisfiedByMeasure && { scaled_passing_score: String(objective.minNormalizedMeasure ?? 1) }),
    }
  }

  /** Ends the item with what its content, or the student, wants to see next. */
  #finish(run: Run): string {
    const api = this.#api
    const wanted = this.#request && requestOf(this.#request)
    if (wanted) api.adl.nav.request = wanted
    run.totalTime = this.#totalTime(run)
    const exit = api.cmi.getExitValueInternal()
    const result = api.lmsFinish()
    if (String(result) !== 'true') return result
    run.isFinished = true
    this.#request = undefined
    // The end of an item is saved with its own exit, which sequencing may have consumed.
    this.#exit = exit
    return result
  }
  #exit = ''

  request(request: Request): void {
    this.#request = request
  }

  proceed(): Next {
    const [request, run] = [this.#request, this.#run]
    this.#request = undefined
    if (!this.#isSequenced) return this.#proceedFreely(request)
    if (request !== undefined) {
      // The content has not ended its item, or there is none.
      if (run && !run.isFinished) {
        run.totalTime = this.#totalTime(run)
        run.isFinished = true
        this.#exit = this.#api.isInitialized() ? 'suspend' : ''
      }
      const [name, target] = typeof request === 'object' ? ['choice', request.choice.item.id] : [request]
      this.#api.getSequencingService()?.processNavigationRequest(name!, target, this.#exit)
    }
    if (this.#delivered) return { kind: 'open', item: this.#delivered }
    if (this.#isOver || request === 'suspendAll' || request === 'exitAll') return { kind: 'end' }
    if (request !== undefined) this.#refused.add(request)
    return this.#units.length === 1 && this.#run?.isFinished ? { kind: 'end' } : { kind: 'choose' }
  }

  #proceedFreely(request: Request | undefined): Next {
    if (this.#run) this.#run.isFinished = true
    if (typeof request === 'object') return { kind: 'open', item: request.choice }
    const next = this.#beside(request === 'previous' ? -1 : 1)
    if (request === 'continue' || request === 'previous')
      return next ? { kind: 'open', item: next } : { kind: 'choose' }
    return request === undefined && next ? { kind: 'choose' } : { kind: 'end' }
  }

  #beside(step: 1 | -1): Item | undefined {
    return this.current && this.#units[this.#units.indexOf(this.current) + step]
  }

  /** Content that reports no time is measured. */
  #totalTime({ startedAt }: Run): string {
    const { session_time: time } = this.#api.renderCMIToJSONObject().cmi as Values
    const { session } = this.#api.cmi as unknown as { session: { getCurrentTotalTime(startedAt?: number): string } }
    return session.getCurrentTotalTime(time === 'PT0H0M0S' ? startedAt : undefined)
  }

  report(): Report | undefined {
    const run = this.#run
    const api = this.#api
    if (!run || (api.isNotInitialized() && !isAsset(run.item))) return undefined
    const { item, startedAt, isFinished } = run
    const { cmi } = api.renderCMIToJSONObject() as { cmi: Values }
    const whole: Record<string, unknown> = { ...cmi, total_time: run.totalTime ?? this.#totalTime(run) }
    const exit = exitOf(isFinished ? this.#exit : 'suspend')
    const isSuspended = exit === 'suspend' && !isAsset(item)
    if (isAsset(item)) whole.completion_status = 'completed'
    else if (api.isInitialized()) Object.assign(whole, this.#evaluate())
    else if (!isSuspended) Object.assign(whole, this.#concluded(item, cmi))
    this.#states.keep(item, whole, isSuspended ? 'resume' : 'ab-initio')
    return {
      ...{ item: item.position, cmi: whole, sessionSeconds: (Date.now() - startedAt) / 1000 },
      shared: this.#reportShared(run),
      ...(isFinished && {
        ...{ finished: true, exit: isSuspended ? 'suspend' : exit },
        // A package with one unit has nothing to show after it, unless its sequencing repeats it.
        ended: this.#units.length === 1 && this.#delivered === undefined,
      }),
    }
  }

  /** The activity tree changes when an item begins and ends; data that items share change at any time. */
  #reportShared(run: Run): Values | undefined {
    const data = JSON.stringify(this.#api.captureSharedDataSnapshot())
    const hasChanged = run.isFinished || run.sharedData !== data
    run.sharedData = data
    return this.#isSequenced && hasChanged ? { sequencing: this.#api.serializeSequencingState() } : undefined
  }

  /** Returns the statuses by the thresholds of the manifest. */
  #evaluate(): Values {
    const { lastErrorCode } = this.#api
    const values = {
      completion_status: this.#api.lmsGetValue('cmi.completion_status'),
      success_status: this.#api.lmsGetValue('cmi.success_status'),
    }
    // The content does not see that somebody else has read.
    this.#api.lastErrorCode = lastErrorCode
    return values
  }

  /** Content that said nothing of its status is completed when it has ended (SCORM 2004 SN UP.4). */
  #concluded({ item }: Item, { completion_status: completion, success_status: success }: Values): Values {
    const tracked = this.#isSequenced ? this.#api.getActivityTrackingData(item.id) : null
    return {
      completion_status: completion === 'unknown' ? (tracked?.completionStatus ?? completion) : completion,
      success_status: success === 'unknown' ? (tracked?.successStatus ?? success) : success,
    }
  }

  controls(): Controls {
    const several = this.#units.length > 1
    if (!this.#isSequenced)
      return {
        ...{ hasPrevious: several, hasContinue: several, hasExit: true, hasFinish: false },
        ...{ canPrevious: this.#beside(-1) !== undefined, canContinue: this.#beside(1) !== undefined },
        ...{ canChoose: isUnit, markOf: (item) => this.#markOf(item) },
      }
    const sequencing = this.#process()
    const process = sequencing.overallSequencingProcess!
    const activity = sequencing.getCurrentActivity()
    const hidden: readonly string[] = activity ? process.getEffectiveHideLmsUi(activity) : []
    const hasFlow = several && activity?.parent?.sequencingControls.flow === true
    const { continueEnabled, previousEnabled, availableChoices } = process.getNavigationLookAhead()
    const allows = (request: 'continue' | 'previous', isEnabled: boolean) =>
      !this.#refused.has(request) && (isEnabled || this.#api.previewNavigationRequest(request).outcome === 'allowed')
    return {
      hasPrevious: hasFlow && !hidden.includes('previous'),
      hasContinue: hasFlow && !hidden.includes('continue'),
      canPrevious: hasFlow && allows('previous', previousEnabled),
      canContinue: hasFlow && allows('continue', continueEnabled),
      hasExit: !hidden.includes('suspendAll'),
      hasFinish: several && !hidden.includes('exitAll'),
      canChoose: ({ item }) => availableChoices.includes(item.id),
      markOf: (item) => this.#markOf(item),
    }
  }

  #markOf(item: Item): Mark {
    const saved = this.#states.get(item)
    const { completion_status: completion, success_status: success } = objectOf(saved?.cmi)
    if (success === 'passed' || success === 'failed') return success
    if (completion === 'completed') return 'completed'
    if (saved?.satisfied) return 'passed'
    return saved && Object.keys(saved.cmi).length > 0 ? 'open' : 'new'
  }
}

const requestOf = (request: Request): string =>
  typeof request === 'object' ? `{target=${request.choice.item.id}}choice` : request
