import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { AtoStatus, StartDocument } from 'groundschool-sdk'

export type KeptRequest = Pick<StartDocument, 'requestId' | 'distributions'> & Partial<StartDocument>

interface Contents {
  readonly requests: Record<string, KeptRequest>
  /** Ids of handled deliveries, oldest first. */
  readonly deliveries: string[]
}

/**
 * Number of delivery ids to store. The platform retries for three days, and fewer deliveries than this arrive in that
 * time.
 */
const REMEMBERED = 10_000

/**
 * Stores requests in one file. Each change is on disk, together with the id of its delivery, before the delivery is
 * acknowledged.
 */
export class Requests {
  readonly #file: string
  #contents: Contents

  constructor(file: string) {
    this.#file = file
    this.#contents = read(file)
  }

  find(requestId: string): KeptRequest | undefined {
    return Object.hasOwn(this.#contents.requests, requestId) ? this.#contents.requests[requestId] : undefined
  }

  get size(): number {
    return Object.keys(this.#contents.requests).length
  }

  /** Applies the change of a delivery. Returns false, and changes nothing, if the delivery was handled before. */
  take(deliveryId: string, change: KeptRequest): boolean {
    const { deliveries } = this.#contents
    if (deliveries.includes(deliveryId)) return false
    this.#write(change, [...deliveries, deliveryId].slice(-REMEMBERED))
    return true
  }

  setStatus(requestId: string, change: { status: AtoStatus; cancellable: boolean }): void {
    const request = this.find(requestId)
    if (request) this.#write({ ...request, ...change }, this.#contents.deliveries)
  }

  /**
   * Writes a temporary file and renames it, so that a process that is killed leaves either the old file or the new one.
   */
  #write(change: KeptRequest, deliveries: string[]): void {
    const { requestId } = change
    const request = { ...this.find(requestId), ...change }
    const contents = { requests: { ...this.#contents.requests, [requestId]: request }, deliveries }
    mkdirSync(dirname(this.#file), { recursive: true })
    const file = openSync(`${this.#file}.new`, 'w', 0o600)
    writeSync(file, JSON.stringify(contents, null, 2))
    fsyncSync(file)
    closeSync(file)
    renameSync(`${this.#file}.new`, this.#file)
    this.#contents = contents
  }
}

function read(file: string): Contents {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { requests: {}, deliveries: [] }
    throw error
  }
}
