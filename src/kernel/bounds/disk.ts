import { type StatsFs, statfsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'

const MEASURED_EVERY_MS = 2_000

const freeOf = ({ bavail, bsize }: StatsFs): number => bavail * bsize

/** The free space on the disk of the database. It is measured on a timer, so that requests do not wait for it. */
export class Disk {
  readonly reserveBytes: number
  readonly #path: string | undefined
  readonly #timer: NodeJS.Timeout | undefined
  #freeBytes: number | undefined

  constructor(path: string | undefined, reserveBytes: number) {
    this.#path = path
    this.reserveBytes = reserveBytes
    if (path === undefined) return
    try {
      this.#freeBytes = freeOf(statfsSync(path))
    } catch {
      // The folder does not exist yet; the timer tries again.
    }
    this.#timer = setInterval(() => void this.#measure(), MEASURED_EVERY_MS).unref()
  }

  /** Undefined if it is not known: the database is on another machine. */
  get freeBytes(): number | undefined {
    return this.#freeBytes
  }

  /** True if so little is free that only small writes are accepted. */
  get isLow(): boolean {
    return this.#freeBytes !== undefined && this.#freeBytes < this.reserveBytes
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #measure(): Promise<void> {
    this.#freeBytes = await statfs(this.#path!).then(freeOf, () => undefined)
  }
}
