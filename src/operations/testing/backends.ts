import { EventEmitter } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type pg from 'pg'
import type { Connection } from '../../kernel/database/database.ts'

/**
 * Keeps the server processes (backends) of closed connections, so that the next platform on the same database can reuse
 * them, like PgBouncer in session mode. A new backend has to load the catalogue entries of every table that it uses,
 * which costs more processor time than most tests.
 */
export function reuseBackends(connection: Connection): Connection {
  const reusing: pg.ClientConfig = { ...connection, stream: () => takeBackend(connection.database!) }
  return reusing
}

function takeBackend(database: string): Duplex {
  const [backend = new Backend(database)] = setOf(idle, database)
  setOf(idle, database).delete(backend)
  // pg uses only those members of a socket that `Backend` implements.
  return backend as EventEmitter as Duplex
}

/** Returns the process ids of a database's idle backends, after waiting for recently released ones to be reset. */
export async function listIdleBackends(database: string): Promise<number[]> {
  await Promise.all(setOf(resets, database))
  return [...setOf(idle, database)].map(({ pid }) => pid)
}

export function closeIdleBackends(database: string): void {
  for (const backend of setOf(idle, database)) backend.close()
}

const idle = new Map<string, Set<Backend>>()
const resets = new Map<string, Set<Promise<void>>>()

function setOf<T>(sets: Map<string, Set<T>>, database: string): Set<T> {
  const set = sets.get(database) ?? new Set()
  sets.set(database, set)
  return set
}

/** Encodes a message of the PostgreSQL protocol, version 3. */
const message = (type: string, content: string): Buffer => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(content.length + 4)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content, 'latin1')])
}
const AUTHENTICATION_OK = message('R', '\0\0\0\0')
const READY_OUTSIDE_TRANSACTION = message('Z', 'I')
const TERMINATE = message('X', '')
/** The first bytes of a BackendKeyData message: its type and part of its length. The process id follows the length. */
const BACKEND_KEY = Buffer.from('K\0\0\0', 'latin1')

/** Resets a backend. The flush publishes its statistics about written tables, which `databases.ts` reads. */
const RESET = Buffer.concat([message('Q', 'discard all\0'), message('Q', 'select pg_stat_force_next_flush()\0')])
const LAST_OF_RESET = 'pg_stat_force_next_flush'
const RESET_TIMEOUT_MS = 2_000

const endsReady = (bytes: Buffer): boolean =>
  bytes.subarray(-READY_OUTSIDE_TRANSACTION.length).equals(READY_OUTSIDE_TRANSACTION)

/** Stands in for the socket of a backend, with the members that pg uses. Several clients use it one after the other. */
class Backend extends EventEmitter {
  readonly #database: string
  #socket: Socket | undefined
  /**
   * The server's messages from AuthenticationOk to the first ReadyForQuery. Each further client receives them again.
   */
  #greeting = Buffer.alloc(0)
  #isGreeted = false
  #isGreetingDue = false
  #isInUse = false
  #onReset: ((bytes: Buffer | undefined) => void) | undefined

  constructor(database: string) {
    super()
    this.#database = database
  }

  get pid(): number {
    return this.#greeting.readInt32BE(this.#greeting.indexOf(BACKEND_KEY) + 5)
  }

  get writable(): boolean {
    return this.#socket?.writable ?? false
  }

  connect(path: string): void {
    this.#isInUse = true
    if (this.#socket) {
      this.#isGreetingDue = true
      this.#socket.ref()
      process.nextTick(() => this.emit('connect'))
      return
    }
    this.#socket = connect(path)
    this.#socket.on('data', (bytes) => this.#receive(bytes))
    for (const event of ['connect', 'end', 'close', 'drain'])
      this.#socket.on(event, (...values) => this.emit(event, ...values))
    this.#socket.on('error', (error) => this.listenerCount('error') > 0 && this.emit('error', error))
    this.#socket.on('close', () => {
      setOf(idle, this.#database).delete(this)
      this.#onReset?.(undefined)
    })
  }

  #receive(bytes: Buffer): void {
    if (!this.#isGreeted) {
      this.#greeting = Buffer.concat([this.#greeting, bytes])
      this.#isGreeted = endsReady(this.#greeting)
    }
    if (this.#onReset) this.#onReset(bytes)
    // An idle backend sends nothing except when it ends.
    else if (!this.#isInUse) this.close()
    else this.emit('data', bytes)
  }

  write(bytes: Buffer, done?: () => void): boolean {
    if (this.#isGreetingDue) {
      // The greeting replaces the server's response to the client's startup message.
      this.#isGreetingDue = false
      process.nextTick(() => this.emit('data', this.#greeting))
      return true
    }
    if (!bytes.equals(TERMINATE) || !this.#isReusable()) return this.#socket!.write(bytes, done)
    this.#isInUse = false
    // The client registers its listener for the end of the connection only after this call.
    process.nextTick(() => {
      this.emit('close')
      this.removeAllListeners()
    })
    const reset = this.#reset().finally(() => setOf(resets, this.#database).delete(reset))
    setOf(resets, this.#database).add(reset)
    return true
  }

  #isReusable(): boolean {
    return this.#isGreeted && this.#greeting.subarray(0, AUTHENTICATION_OK.length).equals(AUTHENTICATION_OK)
  }

  async #reset(): Promise<void> {
    let answer = Buffer.alloc(0)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#onReset = (bytes) => {
      if (!bytes) return resolve(false)
      answer = Buffer.concat([answer, bytes])
      if (answer.includes(LAST_OF_RESET) && endsReady(answer)) resolve(true)
    }
    const timer = setTimeout(() => resolve(false), RESET_TIMEOUT_MS)
    this.#socket!.write(RESET)
    const isReset = await promise
    clearTimeout(timer)
    this.#onReset = undefined
    if (!isReset) return this.close()
    this.#socket!.unref()
    setOf(idle, this.#database).add(this)
  }

  end(): void {
    this.#socket?.end()
  }

  /**
   * Called by clients. It is ignored if the backend is not in use, because a platform also destroys the stream of a
   * connection that it has already ended.
   */
  destroy(error?: Error): void {
    if (this.#isInUse) this.#socket?.destroy(error)
  }

  close(): void {
    setOf(idle, this.#database).delete(this)
    this.#socket?.destroy()
  }

  cork(): void {
    this.#socket?.cork()
  }

  uncork(): void {
    this.#socket?.uncork()
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}
}
