import type { EnvironmentName } from '../config.ts'
import { fail } from '../errors.ts'
import { FairLine } from '../fair-line.ts'

/** Each who waits holds an image. */
const MAX_WAITING = 40
/** A school may sit behind one address; half is left to everybody else. */
const MAX_OF_NETWORK = 20
const MAX_OF_HOUSEHOLD = 4
/** Clients wait no longer. */
const MAX_WAIT_MS = 30_000
/** Nothing stops a thread inside a decoder: after so long the turn goes to the next, and the thread is lost until it comes back. */
const MAX_TURN_MS = 15_000
/** Of the four threads of a process, which have other work as well. Where more are lost, everybody is told to come again until one is back. */
const MAX_LOST = 1

export interface Sender {
  /** Who has turns and an allowance together: children count as their parents do, or one adult could be a crowd. */
  readonly household: string
  readonly network: string
  /** Whether nobody is there any more to hear the answer. */
  hasLeft(): boolean
}

interface Waiting extends Sender {
  readonly timer: NodeJS.Timeout
  start(): void
  refuse(problem: Error): void
}

/** One image takes a thread for a second and, at worst, 240 MiB; who sends one can wait, and requests cannot. So a process works on one at a time. */
let isBusy = false
let lostThreads = 0
/** The queues of this process in which somebody waits. */
const queues = new Set<ImageQueue>()

/** Production comes first: people wait there, and in the sandbox trials do. So a crowd in the sandbox costs production no more than the one image that was begun. */
const ORDER: readonly EnvironmentName[] = ['production', 'sandbox']

function passOn(): void {
  for (const queue of [...queues].sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name))) {
    if (lostThreads > MAX_LOST) queue.refuseAll()
    const next = queue.takeNext()
    if (next) {
      next.start()
      return
    }
    queues.delete(queue)
  }
  isBusy = false
}

/**
 * Those of one environment who wait with an image. Households take turns, so each image waits for at most one of every other household; and where there is no place
 * left, the household with the most images waiting loses one.
 */
export class ImageQueue {
  readonly name: EnvironmentName
  /** By household. */
  readonly #waiting = new FairLine<Waiting>()
  /** Households whose image has lost a thread: they send another when it is back. */
  readonly #losers = new Set<string>()

  constructor(name: EnvironmentName) {
    this.name = name
  }

  /** The signal tells the work that its time is up. */
  async inTurn<T>(sender: Sender, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (lostThreads > MAX_LOST || this.#losers.has(sender.household)) throw tooMany()
    if (isBusy) await this.#wait(sender)
    isBusy = true
    this.#waiting.turnOf(sender.household)
    const turn = new AbortController()
    const { promise: isOver, reject: end } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      turn.abort()
      this.#lose(sender, working)
      end(tooSlow())
    }, MAX_TURN_MS)
    const working = Promise.resolve(turn.signal).then(work)
    try {
      return await Promise.race([working, isOver])
    } finally {
      clearTimeout(timer)
      passOn()
    }
  }

  #lose({ household }: Sender, working: Promise<unknown>): void {
    lostThreads++
    this.#losers.add(household)
    for (const one of [...this.#waiting]) if (one.household === household) this.#refuse(one)
    const comeBack = () => {
      lostThreads--
      this.#losers.delete(household)
    }
    working.then(comeBack, comeBack)
  }

  /** Whoever is next; they are on their own from now on. */
  takeNext(): Waiting | undefined {
    this.#refuseGone()
    const next = this.#waiting.take()
    clearTimeout(next?.timer)
    return next
  }

  refuseAll(): void {
    for (const one of [...this.#waiting]) this.#refuse(one)
  }

  /** How many wait. */
  countWaiting(): number {
    this.#refuseGone()
    return this.#waiting.size
  }

  async #wait(sender: Sender): Promise<void> {
    const { household, network } = sender
    this.#refuseGone()
    if (this.#waiting.sizeOf(household) >= MAX_OF_HOUSEHOLD) throw tooMany()
    const neighbours = [...this.#waiting].filter((one) => one.network === network)
    if (neighbours.length >= MAX_OF_NETWORK) this.#makeRoom(neighbours, household)
    if (this.#waiting.size >= MAX_WAITING) this.#makeRoom([...this.#waiting], household)
    await new Promise<void>((start, refuse) => {
      const timer = setTimeout(() => this.#refuse(waiting), MAX_WAIT_MS)
      const waiting = { ...sender, timer, start, refuse }
      this.#waiting.push(household, waiting)
      queues.add(this)
    })
  }

  /** Refuses the last of the household that has the most there; the newcomer, where that would have as many. */
  #makeRoom(crowd: readonly Waiting[], newcomer: string): void {
    const groups = Map.groupBy(crowd, ({ household }) => household)
    const [largest = []] = [...groups.values()].sort((a, b) => b.length - a.length)
    const own = groups.get(newcomer)?.length ?? 0
    if (largest.length <= own + 1) throw tooMany()
    this.#refuse(largest.at(-1)!)
  }

  /** While anybody waits, an image is worked on; so who has left is noticed at its end, or when somebody comes. */
  #refuseGone(): void {
    for (const one of [...this.#waiting]) if (one.hasLeft()) this.#refuse(one)
  }

  #refuse(one: Waiting): void {
    clearTimeout(one.timer)
    this.#waiting.remove(one.household, one)
    one.refuse(tooMany())
  }
}

const tooMany = () => fail('notReady', 'Too many images are being worked on; try again shortly', 5)

/** Also a machine with too much to do may be the reason; but most are not, and to send it again would not help. */
const tooSlow = () =>
  fail('validationFailed', 'The image takes too long to read; open it, save it smaller and send that')
