import { randomUUID } from 'node:crypto'
import { type Answer, bearer, type Client, describe, isSuccess, key } from './client.ts'
import type { AtoRequest, Ledger, Report } from './ledger.ts'
import type { Run } from './run.ts'
import { APP, type Person, PLUGIN } from './school.ts'

const ATO = '/plugin/v1/ato'
/** Number of distributions that a package keeps. */
const DISTRIBUTIONS = 3

/** A package, with at most one open request at a time. */
export interface Package {
  readonly packageId: string
  open: AtoRequest | undefined
  /** Ids of the distributions, the oldest first. */
  distributions: readonly string[]
}

/** A developer starts requests, and changes the distributions of packages whose request is open. */
export async function driveOwner(run: Run, owner: Person, packages: readonly Package[]): Promise<void> {
  const write = async (path: string, method: 'PUT' | 'POST', body: object) => {
    const headers = { cookie: owner.cookie, ...key(randomUUID()) }
    const answer = await run.client.write(run.ledger.watch, 'request', { method, path: `${ATO}${path}`, body, headers })
    if (answer.status === 200) return answer.body
    run.ledger.report('request', 'unexpected', `${path}: ${describe(answer)}`)
    return undefined
  }
  for (let n = 0; !run.isOver(); n++) {
    const one = packages[n % packages.length]!
    if (one.open) await changeDistributions(one, one.open, write)
    else {
      const request: AtoRequest = { packageId: one.packageId, statuses: [], isCompleting: false, changes: [] }
      run.ledger.requests.push(request)
      const started = await write('/request', 'PUT', { packageId: one.packageId, pluginClientId: PLUGIN.clientId })
      if (started) {
        request.requestId = started.requestId
        one.open = request
      }
    }
    await run.pause()
  }
}

type Write = (path: string, method: 'PUT' | 'POST', body: object) => Promise<Answer['body']>

async function changeDistributions(one: Package, request: AtoRequest, write: Write): Promise<void> {
  const { packageId, distributions } = one
  if (distributions.length < DISTRIBUTIONS) {
    const uri = 'https://downloads.example.org/drill.msi'
    const added = await write('/distribution', 'PUT', { packageId, name: 'Installer', uri })
    if (!added) return
    one.distributions = added.distributions.map(({ id }: { id: string }) => id)
  } else {
    const [oldest, ...others] = distributions
    if (!(await write('/distribution/remove', 'POST', { distributionId: oldest }))) return
    one.distributions = others
  }
  request.changes.push({ distributions: one.distributions, isCertain: !request.isCompleting })
}

/** The plugin works on the requests that have arrived: it reports each status and an alert. */
export async function drivePlugin(run: Run, user: Person, packages: readonly Package[]): Promise<void> {
  while (!run.isOver()) {
    const arrived = new Set(run.setup.receiver.deliveries.map(({ requestId }) => requestId))
    const mine = packages.filter(({ open }) => open?.requestId !== undefined && arrived.has(open.requestId))
    for (const one of mine) await advance(run, user, one, one.open!)
    if (mine.length === 0) await run.pause()
  }
}

const STEPS = ['in-progress', 'alert', 'under-review', 'completed']

/** Sends the next report about a request. */
async function advance(run: Run, user: Person, one: Package, request: AtoRequest): Promise<void> {
  const { requestId } = request
  const step = STEPS.find((name) => (name === 'alert' ? !request.alert : !request.statuses.includes(name)))!
  const providerId = randomUUID()
  if (step === 'completed') request.isCompleting = true
  const body =
    step === 'alert'
      ? { requestId, title: 'Please read this', providerId }
      : { requestId, status: step, complete: step === 'completed' }
  const answer = await run.client.write(run.ledger.watch, 'request', {
    method: 'POST',
    path: `${ATO}/${step === 'alert' ? 'alert' : 'status'}`,
    body,
    headers: { ...bearer(user.token), ...key(providerId) },
  })
  if (!isSuccess(answer)) run.ledger.report('request', 'unexpected', `${requestId} ${step}: ${describe(answer)}`)
  // A report that is refused is not sent again, so that the plugin goes on with the next step.
  if (step === 'alert') request.alert = providerId
  else request.statuses.push(step)
  if (step === 'completed') one.open = undefined
  await run.pause()
}

/** Checks that each request is there once, with each report once. */
export async function checkRequests(client: Client, ledger: Ledger, owner: Person, report: Report): Promise<void> {
  const headers = { cookie: owner.cookie }
  for (const [packageId, requests] of Map.groupBy(ledger.requests, (request) => request.packageId)) {
    const kept = await listRequests(client, packageId, headers)
    const started = requests.filter(({ requestId }) => requestId !== undefined)
    const known = new Set(started.map(({ requestId }) => requestId))
    const others = kept.filter((id) => !known.has(id))
    if (others.length > requests.length - started.length) report('request', 'doubled', `requests ${others.join(', ')}`)
    for (const request of started) {
      if (kept.includes(request.requestId!)) await checkTimeline(client, request, headers, report)
      else report('request', 'lost', `request ${request.requestId}`)
    }
  }
}

async function listRequests(client: Client, packageId: string, headers: Record<string, string>): Promise<string[]> {
  const kept: string[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const query = { clientId: APP.client_id, packageId, page, limit: 100 }
    const { body } = await client.readOk({ method: 'GET', path: `${ATO}/request/list`, query, headers })
    kept.push(...body.docs.map(({ requestId }: { requestId: string }) => requestId))
    pages = body.pages
  }
  return kept
}

async function checkTimeline(
  client: Client,
  { requestId, statuses, alert }: AtoRequest,
  headers: Record<string, string>,
  report: Report,
): Promise<void> {
  const query = { requestId: requestId! }
  const { body } = await client.readOk({ method: 'GET', path: `${ATO}/request`, query, headers })
  const kept: string[] = body.timeline
    .filter(({ kind }: { kind: string }) => kind === 'status' || kind === 'alert')
    .map((entry: { status: string; alert?: { providerId: string } }) => entry.alert?.providerId ?? entry.status)
  for (const one of [...statuses, ...(alert ? [alert] : [])])
    if (!kept.includes(one)) report('request', 'lost', `report ${one} of request ${requestId}`)
  for (const one of new Set(kept))
    if (kept.filter((other) => other === one).length > 1)
      report('request', 'doubled', `report ${one} of request ${requestId}`)
}
