import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that systems give to whoever asks for any one: a server that a test stops and starts again finds its port free. */
const [FIRST, PAST_LAST] = [12_000, 32_000]
/** Files run side by side: each worker of the test runner has every so-manieth port to itself. */
const WORKERS = 8
const worker = Number(process.env.NODE_TEST_WORKER_ID ?? 0) % WORKERS
const given = new Set<number>()

/** A port on which nobody listens, and for which no other test of the suite asks. */
export async function findFreePort(): Promise<number> {
  while (true) {
    const port = FIRST + WORKERS * Math.floor((Math.random() * (PAST_LAST - FIRST)) / WORKERS) + worker
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
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
