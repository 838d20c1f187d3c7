import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { bearer, type Call, type Client, describe, isSuccess, key } from './client.ts'
import type { Ledger, Report, Statement } from './ledger.ts'
import type { Run } from './run.ts'
import { CLASS, LESSONS, type Person, STORE, type Target } from './school.ts'

const VERB = 'http://adlnet.gov/expapi/verbs/experienced'
/** Number of statements in a batch. */
const BATCH = 3
const MAX_EXPORTS = 5
const EXPORT_PAUSE_MS = 2_000

/** Sends statements through all four doors in turn. */
export async function driveStatements(run: Run, person: Person, index: number): Promise<void> {
  const doors = [captureStatement, captureSimpleStatement, putStatement, postStatements]
  for (let n = index; !run.isOver(); n++) {
    await doors[n % doors.length]!(run, person)
    await run.pause()
  }
}

const markerOf = (id: string): string => `drill-${id}`

/** A statement with a marker in its result. */
function makeStatement({ setup: { xapiBase } }: Run, { handle }: Person) {
  const id = randomUUID()
  return {
    id,
    actor: { account: { homePage: xapiBase, name: handle } },
    verb: { id: VERB },
    object: { id: `${xapiBase}/xapi/objects/lesson/${LESSONS[0]}` },
    result: { response: markerOf(id), score: { raw: Math.floor(Math.random() * 100) } },
    timestamp: new Date().toISOString(),
  }
}

async function captureStatement(run: Run, person: Person): Promise<void> {
  const statement = makeStatement(run, person)
  const extensions = { [`${run.setup.xapiBase}/xapi/api-id/lesson`]: LESSONS[0] }
  const body = { ...statement, object: { ...statement.object, definition: { extensions } } }
  await send(run, [statement], { method: 'POST', path: '/edu/v2/xapi/statement', body, headers: bearer(person.token) })
}

/** The older door assigns the id, so only an Idempotency-Key makes a retry safe. */
async function captureSimpleStatement(run: Run, person: Person): Promise<void> {
  const id = randomUUID()
  const object = { lessonId: LESSONS[0], classId: CLASS, marker: markerOf(id) }
  const body = { actor: person.userId, verb: 'Correct Item Selected', object }
  const headers = { ...bearer(person.token), ...key(id) }
  const entry: Statement = { marker: markerOf(id), sent: {} }
  run.ledger.statements.push(entry)
  const { client, ledger } = run
  const call = { method: 'POST', path: '/edu/v1/xapi/statement', body, headers } as const
  const answer = await client.write(ledger.watch, 'statement', call)
  if (isSuccess(answer)) entry.id = answer.body.statementId
  else ledger.report('statement', 'unexpected', describe(answer))
}

async function putStatement(run: Run, person: Person): Promise<void> {
  const body = makeStatement(run, person)
  const query = { statementId: body.id }
  await send(run, [body], { method: 'PUT', path: '/xapi/statements', query, body, headers: STORE })
}

async function postStatements(run: Run, person: Person): Promise<void> {
  const body = Array.from({ length: BATCH }, () => makeStatement(run, person))
  await send(run, body, { method: 'POST', path: '/xapi/statements', body, headers: STORE })
}

/** Sends statements with ids of our own, whose repetition changes nothing. */
async function send({ client, ledger }: Run, statements: { id: string }[], call: Call): Promise<void> {
  const entries: Statement[] = statements.map((sent) => ({ marker: markerOf(sent.id), sent }))
  ledger.statements.push(...entries)
  const answer = await client.write(ledger.watch, 'statement', call)
  if (!isSuccess(answer)) return ledger.report('statement', 'unexpected', describe(answer))
  for (const [i, entry] of entries.entries()) entry.id = statements[i]!.id
}

/** Checks that each statement is in the store once, with what was sent. */
export async function checkStatements(client: Client, target: Target, ledger: Ledger, report: Report): Promise<void> {
  const kept = await readStore(target)
  for (const { marker, sent, id } of ledger.statements) {
    const found = kept.get(marker) ?? []
    if (found.length > 1) report('statement', 'doubled', `${marker} is in ${found.map((one) => one.id).join()}`)
    if (id === undefined) continue
    // The export may come from a standby that is behind, so a missing statement is asked for by its id.
    const statement = found[0] ?? (await findStatement(client, id))
    if (!statement) report('statement', 'lost', id)
    else if (statement.id !== id || !contains(statement, sent))
      report('statement', 'changed', `${id} is ${JSON.stringify(statement)}`)
  }
}

interface KeptStatement {
  readonly id: string
}

async function findStatement(client: Client, statementId: string): Promise<KeptStatement | undefined> {
  const query = { statementId }
  const answer = await client.read({ method: 'GET', path: '/xapi/statements', query, headers: STORE })
  return isSuccess(answer) ? JSON.parse(answer.text) : undefined
}

/** Returns the statements of the load by their markers. An export that breaks off is repeated. */
async function readStore(target: Target, tries = 1): Promise<Map<string, KeptStatement[]>> {
  try {
    return await readExport(target)
  } catch (error) {
    if (tries === MAX_EXPORTS) throw error
    await delay(EXPORT_PAUSE_MS)
    return readStore(target, tries + 1)
  }
}

async function readExport({ url }: Target): Promise<Map<string, KeptStatement[]>> {
  const answer = await fetch(new URL('/lrs/v1/statements/export', url), { headers: STORE })
  if (!answer.ok || !answer.body) throw new Error(`the export of the statements failed: ${answer.status}`)
  const kept = new Map<string, KeptStatement[]>()
  for await (const line of createInterface(Readable.fromWeb(answer.body))) {
    const marker = /drill-[\da-f]{8}-[\da-f-]{27}/.exec(line)?.[0]
    if (marker) kept.set(marker, [...(kept.get(marker) ?? []), JSON.parse(line)])
  }
  return kept
}

/** Tells whether everything in `part` is also in `whole`. */
function contains(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return isDeepStrictEqual(whole, part)
  return Object.entries(part).every(([name, value]) => contains((whole as Record<string, unknown>)?.[name], value))
}
