import type { EnvironmentName } from '../config.ts'
import { fail } from '../errors.ts'

/** Each who waits holds an image. */
const MAX_WAITING = 40
/** A school may sit behind one address; half is left to everybody else. */
const MAX_OF_NETWORK = 20
const MAX_OF_HOUSEHOLD = 4
/** Clients wait no longer. */
const MAX_WAIT_MS = 30_000

export interface Sender {
  /** Who has turns and an allowance together: children count as their parents do, or one adult could be a crowd. */
  readonly household: string
  readonly network: string
  /** Whether nobody is there any more to hear the answer. */
  hasLeft(): boolean
}

interface Waiting extends Sender {
  readonly sinceMs: number
  start(): void
  refuse(problem: Error): void
}

/** One image takes a thread for a second and, at worst, 240 MiB; who sends one can wait, and requests cannot. So a process works on one at a time. */
let isBusy = false
/** The queues of this process in which somebody waits. */
const queues = new Set<ImageQueue>()

/** Production comes first: people wait there, and in the sandbox trials do. So a crowd in the sandbox costs production no more than the one image that was begun. */
const ORDER: readonly EnvironmentName[] = ['production', 'sandbox']

function passOn(): void {
  for (const queue of [...queues].sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name))) {
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
  /** By household; the one whose last turn was longest ago is first. */
  readonly #lines = new Map<string, Waiting[]>()
  /** Whose turn it was last. */
  #served = ''

  constructor(name: EnvironmentName) {
    this.name = name
  }

  async inTurn<T>(sender: Sender, work: () => Promise<T>): Promise<T> {
    if (isBusy) await this.#wait(sender)
    isBusy = true
    this.#served = sender.household
    try {
      return await work()
    } finally {
      passOn()
    }
  }

  /** Whoever is next; they are on their own from now on. */
  takeNext(): Waiting | undefined {
    this.#refuseLost()
    // To the end, also behind those who came during that turn.
    const line = this.#lines.get(this.#served)
    if (line && this.#lines.delete(this.#served)) this.#lines.set(this.#served, line)
    const [next] = this.#lines.values().next().value ?? []
    if (next) this.#takeOut(next)
    return next
  }

  /** How many wait. */
  countWaiting(): number {
    this.#refuseLost()
    return this.#everybody().length
  }

  async #wait(sender: Sender): Promise<void> {
    const { household, network } = sender
    this.#refuseLost()
    if ((this.#lines.get(household)?.length ?? 0) >= MAX_OF_HOUSEHOLD) throw tooMany()
    const neighbours = this.#everybody().filter((one) => one.network === network)
    if (neighbours.length >= MAX_OF_NETWORK) this.#makeRoom(neighbours, household)
    const everybody = this.#everybody()
    if (everybody.length >= MAX_WAITING) this.#makeRoom(everybody, household)
    await new Promise<void>((start, refuse) => {
      const waiting = { ...sender, sinceMs: performance.now(), start, refuse }
      this.#lines.set(household, [...(this.#lines.get(household) ?? []), waiting])
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
  #refuseLost(): void {
    const latestMs = performance.now() - MAX_WAIT_MS
    for (const one of this.#everybody()) if (one.hasLeft() || one.sinceMs < latestMs) this.#refuse(one)
  }

  #refuse(one: Waiting): void {
    this.#takeOut(one)
    one.refuse(tooMany())
  }

  /** A household that still waits keeps its place among the others. */
  #takeOut(one: Waiting): void {
    const others = this.#lines.get(one.household)!.filter((other) => other !== one)
    if (others.length > 0) this.#lines.set(one.household, others)
    else this.#lines.delete(one.household)
  }

  #everybody(): Waiting[] {
    return [...this.#lines.values()].flat()
  }
}

const tooMany = () => fail('notReady', 'Too many images are being worked on; try again shortly', 5)
