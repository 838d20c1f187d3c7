import { compareClocks, type PatroniFacts, type PatroniMember, type PlatformFacts } from './facts.ts'

const ANSWER_MS = 5_000
/** An HTTP date has whole seconds. */
const DATE_STEP_MS = 999
const MOST_BYTES = 8 * 2 ** 20

interface Answer {
  readonly status: number
  readonly text: string
  readonly aheadMs: number | undefined
}

/** Reads the facts of one node's Patroni from its REST API. */
export async function readPatroni(address: string): Promise<PatroniFacts> {
  const place = describeAddress(address)
  try {
    const [cluster, own, config] = await Promise.all(
      ['cluster', 'patroni', 'config'].map((path) => request(address, path)),
    )
    const { members, pause } = JSON.parse(cluster!.text) as { members?: PatroniMember[]; pause?: boolean }
    if (!members) return { place, problem: 'this is not the REST API of Patroni' }
    const { dcs_last_seen: seen } = JSON.parse(own!.text) as { dcs_last_seen?: number }
    const now = Date.now() + (own!.aheadMs ?? 0)
    return {
      place,
      aheadMs: cluster!.aheadMs,
      members,
      isPaused: pause === true,
      config: config!.status === 200 ? JSON.parse(config!.text) : undefined,
      storeSeconds: seen === undefined ? undefined : Math.max(0, Math.round(now / 1000 - seen)),
    }
  } catch (error) {
    return { place, problem: explain(error) }
  }
}

/** Reads the facts of one process of the platform: whether it is ready, and its metrics. */
export async function readPlatform(address: string, metricsToken: string | undefined): Promise<PlatformFacts> {
  const place = describeAddress(address)
  try {
    const headers = metricsToken === undefined ? {} : { authorization: `Bearer ${metricsToken}` }
    const ready = await request(address, 'readyz')
    const { status, text } = await request(address, 'metrics', headers)
    return {
      place,
      aheadMs: ready.aheadMs,
      readiness: { status: ready.status, text: describeStatus(ready) },
      metricsStatus: status,
      ...(status === 200 && { metrics: readMetrics(text) }),
    }
  } catch (error) {
    return { place, problem: explain(error) }
  }
}

function readMetrics(text: string): NonNullable<PlatformFacts['metrics']> {
  const labels = /^groundschool_build_info\{(.*)\} 1$/m.exec(text)?.[1] ?? ''
  const label = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(labels)?.[1] ?? 'unknown'
  const free = /^groundschool_disk_free_bytes\{[^}]*\} (\S+)$/m.exec(text)?.[1]
  return { version: label('version'), migration: label('migration'), freeBytes: free === undefined ? undefined : +free }
}

async function request(address: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const { origin, username, password } = new URL(address)
  const login =
    username &&
    `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`
  const before = Date.now()
  const response = await fetch(`${origin}/${path}`, {
    headers: { ...(login && { authorization: login }), ...headers },
    signal: AbortSignal.timeout(ANSWER_MS),
    redirect: 'manual',
  })
  const after = Date.now()
  const date = Date.parse(response.headers.get('date') ?? '')
  const clock = { earliest: date, latest: date + DATE_STEP_MS }
  const aheadMs = Number.isNaN(date) ? undefined : compareClocks(clock, { before, after })
  return { status: response.status, text: await readText(response), aheadMs }
}

/** Reads at most a few megabytes, because the address may lead to anything. */
async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) throw new Error('the response is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function describeStatus({ status, text }: Answer): string {
  try {
    return JSON.parse(text).error_description ?? String(status)
  } catch {
    return String(status)
  }
}

function explain(error: unknown): string {
  const { name, message, cause } = error as Error
  if (name === 'TimeoutError') return `no answer within ${ANSWER_MS / 1000} s`
  if (name === 'SyntaxError') return 'the response is not JSON'
  const { code, message: why = message } = (cause ?? {}) as Partial<NodeJS.ErrnoException>
  return code ?? why
}

/** Host and port of an address, without credentials. */
const describeAddress = (address: string): string => URL.parse(address)?.host ?? 'an invalid URL'
