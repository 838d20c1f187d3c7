import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Range of ports for tests. It is below the ephemeral ports of operating systems, so a server that restarts finds its
 * port still free.
 */
const [FIRST, PAST_LAST] = [12_000, 32_000]
/** Parallel test processes use disjoint ports: each uses the ports with its own remainder modulo this number. */
const WORKERS = 8
const worker = Number(process.env.NODE_TEST_WORKER_ID ?? 0) % WORKERS
const issued = new Set<number>()
const MAX_TRIES = 1000

/** Finds a port that is free and that no other test of the suite uses. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = FIRST + WORKERS * Math.floor((Math.random() * (PAST_LAST - FIRST)) / WORKERS) + worker
    if (issued.has(port) || !(await isFree(port))) continue
    issued.add(port)
    return port
  }
  throw new Error(`None of ${MAX_TRIES} ports is free`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    server.close()
    await once(server, 'close')
    return true
  } catch {
    return false
  }
}
