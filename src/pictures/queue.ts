import { FairLine } from '../bounds/fair-line.ts'
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
  readonly timer: NodeJS.Timeout
  start(): void
  refuse(problem: Error): void
}

/**
 * Those of one environment who wait with an image, of which one is worked on at a time: one may take 300 MiB. Households take turns, so each image waits for at most
 * one of every other household; and where there is no place left, the household with the most images waiting loses one.
 */
export class ImageQueue {
  /** By household. */
  readonly #waiting = new FairLine<Waiting>()
  #isBusy = false

  async inTurn<T>(sender: Sender, work: () => Promise<T>): Promise<T> {
    if (this.#isBusy) await this.#wait(sender)
    this.#isBusy = true
    this.#waiting.turnOf(sender.household)
    try {
      return await work()
    } finally {
      this.#passOn()
    }
  }

  /** How many wait. */
  countWaiting(): number {
    this.#refuseGone()
    return this.#waiting.size
  }

  /** Sends away those who wait: of one household, or all. */
  refuseAll(household?: string): void {
    for (const one of [...this.#waiting]) if (household === undefined || one.household === household) this.#refuse(one)
  }

  #passOn(): void {
    this.#refuseGone()
    const next = this.#waiting.take()
    clearTimeout(next?.timer)
    if (next) next.start()
    else this.#isBusy = false
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
