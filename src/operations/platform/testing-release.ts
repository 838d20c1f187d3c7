import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import release from '../../../release.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

const git = (...args: string[]): string => execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8' })

/** Checks out the last release into a folder of its own, with the packages of this one. Returns the folder. */
export async function checkOutRelease(t: { after(end: () => void): void }): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'groundschool-release-'))
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  const archive = join(folder, 'release.tar')
  try {
    git('archive', '--output', archive, release.commit)
  } catch (error) {
    const why = `The last release (${release.commit} in release.json) is not in this clone: run git fetch --unshallow`
    throw new Error(why, { cause: error })
  }
  execFileSync('tar', ['-xf', archive, '-C', folder])
  const migrations = readdirSync(join(folder, 'migrations')).filter((file) => file.endsWith('.sql'))
  assert.equal(migrations.length, release.migration, 'release.json names the last migration of the release')
  // The folder is real and its entries are links, because programs and caches are written into it.
  const packages = join(folder, 'node_modules')
  mkdirSync(packages)
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '.cache') symlinkSync(join(ROOT, 'node_modules', name), join(packages, name))
  await pretendBuilt(folder)
  return folder
}

/** Gives the release the pages of this version, because building its own would take longer than the test. */
async function pretendBuilt(folder: string): Promise<void> {
  const { DIST, STAMP, hashInputs } = await import(join(folder, 'web/built.ts'))
  if (existsSync(join(ROOT, 'web/dist'))) cpSync(join(ROOT, 'web/dist'), DIST, { recursive: true })
  writeFileSync(join(DIST, STAMP), hashInputs())
}

/** A load balancer that sends requests to all processes that are ready. */
export interface Balancer {
  readonly address: string
  /** Number of requests that a process refused before any work, and that another process then served. */
  readonly repeated: number
  /** Adds a process. It gets requests once it is ready. */
  add(address: string): void
  /** Tells whether a process gets requests. */
  uses(address: string): boolean
}

const CHECK_EVERY_MS = 100

/**
 * Starts a balancer that follows `/readyz`. Like HAProxy with `option redispatch` and `retry-on conn-failure 503`, it
 * repeats a request elsewhere if no connection was made, or if the process says that it is stopping.
 */
export async function startBalancer(t: TestContext, port: number): Promise<Balancer> {
  const ready = new Map<string, boolean>()
  const agent = new Agent({ keepAlive: true })
  let turn = 0
  let repeated = 0

  const check = (address: string) =>
    fetch(`${address}/readyz`).then(
      ({ ok }) => ready.set(address, ok),
      () => ready.set(address, false),
    )
  const checks = setInterval(() => ready.forEach((_, address) => void check(address)), CHECK_EVERY_MS)

  function forward(incoming: IncomingMessage, body: Buffer, response: ServerResponse, tried: readonly string[]): void {
    const targets = [...ready].flatMap(([address, isReady]) => (isReady && !tried.includes(address) ? [address] : []))
    const target = targets[turn++ % targets.length]
    if (target === undefined) return void response.writeHead(502).end()
    const again = () => {
      repeated++
      forward(incoming, body, response, [...tried, target])
    }
    const { method, url, headers } = incoming
    const outgoing = request(new URL(url!, target), { method: method!, headers, agent }, (answer) => {
      if (answer.statusCode === 503 && answer.headers['retry-after']) {
        answer.resume()
        return again()
      }
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // A kept connection may be closed just then. The test's writes may be repeated: they have the same effect twice.
      if (error.code === 'ECONNREFUSED' || (outgoing.reusedSocket && error.code === 'ECONNRESET')) again()
      else response.writeHead(502).end()
    })
    outgoing.end(body)
  }

  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    forward(incoming, Buffer.concat(chunks), response, [])
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  t.after(() => {
    clearInterval(checks)
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get repeated() {
      return repeated
    },
    add: (address) => void ready.set(address, false),
    uses: (address) => ready.get(address) === true,
  }
}
