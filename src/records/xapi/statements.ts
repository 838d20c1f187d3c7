import type { Db } from '../../kernel/database/database.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { activitiesIn } from '../statements/definitions.ts'
import { readFilters } from '../statements/filters.ts'
import { toCanonical, toIds } from '../statements/formats.ts'
import {
  findStatement,
  listAttachments,
  queryStatements,
  readAttachment,
  readClock,
  readDefinitions,
  show,
  showText,
} from '../statements/query.ts'
import { attachmentsOf, type Version } from '../statements/statement.ts'
import { keyOfSender, moveClock, SENDER } from '../statements/storing.ts'
import { isUuid } from '../statements/syntax.ts'
import { readCursor, writeCursor } from './cursors.ts'
import { type GetStatements, MOST_ON_PAGE } from './schema.ts'

export type XapiCaller = StoreCaller & { readonly version: Version }

/** What a question about statements is answered with. */
export interface Answer {
  /** JSON. */
  readonly text: string
  /** The number up to which everything can be read. */
  readonly through: number
  /** The number of a single one. */
  readonly seq?: number
  /** Where they were asked for. */
  readonly attachments?: readonly { readonly sha2: string; readonly contentType: string; readonly bytes: Buffer }[]
}

interface Row {
  readonly seq: number
  readonly payload: string
}

const DEFAULT_ON_PAGE = 100
/** Attachments on a page, in bytes; the first statement comes with all of its own. */
const ATTACHMENT_BYTES = 16 * 1024 * 1024
const FORMATS = ['exact', 'ids', 'canonical']
/** A clock that is older is moved on: a store in which nothing happens is up to date as well. */
const CLOCK_MS = 1000

export async function getStatements(
  environment: Environment,
  db: Db,
  who: XapiCaller,
  what: GetStatements,
  how: { readonly languages: readonly string[]; readonly base: string },
): Promise<Answer> {
  const { cursor, ...given } = what
  if (cursor !== undefined && Object.keys(given).length > 0)
    throw fail('validationFailed', 'cursor must be the only parameter: it includes all others')
  const place = cursor === undefined ? undefined : readCursor(environment, who.at, cursor)
  const asked = place?.asked ?? given
  const { format = 'exact', attachments = false } = asked
  if (!FORMATS.includes(format)) throw fail('validationFailed', `format must be ${FORMATS.join(', ')}`)
  const through = await readThrough(environment, db, who.at)
  const render = (rows: readonly Row[]) => renderAll(db, rows, format, how.languages)
  const id = asked.statementId ?? asked.voidedStatementId
  if (id !== undefined) {
    const row = await readOne(db, who, asked, id)
    const [text] = await render([row])
    return { text: text!, through, seq: row.seq, ...(attachments ? await takeAttachments(db, [row]) : {}) }
  }
  const { rows, hasMore } = await readPage(db, who, asked, place?.last)
  const taken = attachments ? await takeAttachments(db, rows) : { rows }
  const last = taken.rows.at(-1)?.seq
  const goesOn = last !== undefined && (hasMore || taken.rows.length < rows.length)
  const more = goesOn ? `${how.base}/statements?cursor=${writeCursor(environment, who.at, { asked, last })}` : ''
  const texts = await render(taken.rows)
  return { ...taken, through, text: `{"statements":[${texts.join(',')}],"more":${JSON.stringify(more)}}` }
}

/** Up to which number this process knows that everything can be read: refusals say it, which ask nobody. */
const seen = service(() => ({ through: 0 }))
export const lastSeen = ({ get }: Pick<Environment, 'get'>): number => get(seen).through
export function noteSeen({ get }: Pick<Environment, 'get'>, through: number): number {
  const known = get(seen)
  known.through = Math.max(known.through, through)
  return through
}

async function readThrough(environment: Environment, db: Db, at: Date): Promise<number> {
  const last = await readClock(db)
  const isFresh = last >= (at.getTime() - CLOCK_MS) * 1000
  return noteSeen(environment, isFresh ? last : (await moveClock(environment, at)).through)
}

/** Only what they have sent themselves. */
const seesOwnOnly = ({ scopes }: XapiCaller): boolean => !scopes.has('statements/read')

async function readOne(db: Db, who: XapiCaller, asked: GetStatements, id: string): Promise<Row> {
  const { statementId, voidedStatementId, format: _format, attachments: _attachments, ...others } = asked
  if (statementId !== undefined && voidedStatementId !== undefined)
    throw fail('validationFailed', 'Send statementId or voidedStatementId, not both')
  const [other] = Object.keys(others)
  if (other !== undefined) throw fail('validationFailed', `${other} cannot be combined with the id of a statement`)
  if (!isUuid(id)) throw fail('validationFailed', 'The id of a statement must be a UUID')
  const row = await findStatement(db, id)
  const isSeen = row && (!seesOwnOnly(who) || row.sender === keyOfSender(who.senderKey))
  if (!isSeen || row.is_voided !== (voidedStatementId !== undefined))
    throw fail('notFound', `There is no ${voidedStatementId === undefined ? '' : 'voided '}statement with that id`)
  return row
}

async function readPage(db: Db, who: XapiCaller, asked: GetStatements, last: number | undefined) {
  const { limit: wish, ascending: isAscending = false } = asked
  const limit = Math.min(wish === undefined ? DEFAULT_ON_PAGE : wish || MOST_ON_PAGE, MOST_ON_PAGE)
  const { wanted, after, upTo } = readFilters(who.version, asked)
  const own = { key: keyOfSender(who.senderKey), roles: [SENDER] }
  const range = last === undefined ? {} : isAscending ? { after: last } : { upTo: last - 1 }
  const rows = await queryStatements(db, {
    wanted: seesOwnOnly(who) ? [...wanted, own] : wanted,
    ...(after === undefined ? {} : { after }),
    ...(upTo === undefined ? {} : { upTo }),
    ...range,
    isAscending,
    isByOwnOnly: seesOwnOnly(who),
    limit: limit + 1,
  })
  const shown = rows.slice(0, limit)
  return { rows: shown, hasMore: (rows[0]?.found ?? 0) > shown.length }
}

async function renderAll(
  db: Db,
  rows: readonly Row[],
  format: string,
  languages: readonly string[],
): Promise<string[]> {
  if (format === 'exact') return rows.map(showText)
  const statements = rows.map(show)
  if (format === 'ids') return statements.map((one) => JSON.stringify(toIds(one)))
  const activities = statements.flatMap(activitiesIn).map(({ id }) => id)
  const known = await readDefinitions(db, activities)
  return statements.map((one) => JSON.stringify(toCanonical(one, languages, known)))
}

/** The bytes of attachments, each once, with as many statements as they leave room for. */
async function takeAttachments(db: Db, rows: readonly Row[]) {
  const kept = await listAttachments(
    db,
    rows.map(({ seq }) => seq),
  )
  const bySeq = Map.groupBy(kept, ({ seq }) => seq)
  const hashes = new Map<string, number>()
  const taken: Row[] = []
  let bytes = 0
  for (const row of rows) {
    const own = (bySeq.get(row.seq) ?? []).filter(({ sha2 }) => !hashes.has(sha2))
    bytes += own.reduce((sum, one) => sum + one.bytes, 0)
    if (taken.length > 0 && bytes > ATTACHMENT_BYTES) break
    for (const { sha2 } of own) hashes.set(sha2, row.seq)
    taken.push(row)
  }
  // In the letters of the statement, by which readers look for it.
  const described = new Map(
    taken
      .filter(({ seq }) => bySeq.has(seq))
      .flatMap((row) => attachmentsOf(show(row)).map((one) => [one.sha2.toLowerCase(), one])),
  )
  const attachments = []
  for (const sha2 of hashes.keys()) {
    const content = await readAttachment(db, sha2)
    const said = described.get(sha2)
    if (content && said) attachments.push({ sha2: said.sha2, contentType: said.contentType, bytes: content })
  }
  return { rows: taken, attachments }
}
