import type { Db } from '../../kernel/database/database.ts'
import { PAGE_BYTES } from '../../kernel/database/page-bytes.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { listAttachments, readAttachments } from '../statements/attachments/attachments.ts'
import { activitiesIn } from '../statements/model/activities.ts'
import { isUuid } from '../statements/model/forms.ts'
import { keyOfSender, SENDER } from '../statements/model/refs.ts'
import { attachmentsOf, type Definition, type Version } from '../statements/model/statement.ts'
import {
  findStatement,
  measureDefinitions,
  presentStatement,
  presentText,
  queryStatements,
  readClock,
  readDefinitions,
  readFilters,
} from '../statements/query/query.ts'
import { moveClock } from '../statements/storing/storing.ts'
import { readCursor, writeCursor } from './cursors.ts'
import { toCanonical, toIds } from './formats.ts'
import { type GetStatements, MOST_ON_PAGE } from './schema.ts'

export type XapiCaller = StoreCaller & { readonly version: Version }

export interface StatementsAnswer {
  /** A statement, or a page of statements, as JSON. */
  readonly text: string
  /** All statements with a `seq` up to this value can be read. */
  readonly through: number
  /** The `seq` of the statement, if a single one was requested. */
  readonly seq?: number
  /** Present if the caller asked for attachments. */
  readonly attachments?: readonly { readonly sha2: string; readonly contentType: string; readonly bytes: Buffer }[]
}

interface StatementRow {
  readonly seq: number
  readonly payload: string
}

const DEFAULT_ON_PAGE = 100
const FORMATS = ['exact', 'ids', 'canonical']
/**
 * A read advances the store's clock if it is older than this, so that `through` is current even if nothing is stored.
 */
const CLOCK_MS = 1000
/** A statement is committed within this time of its number, or not at all. */
const COMMIT_MS = 60_000

export async function getStatements(
  db: Db,
  who: XapiCaller,
  what: GetStatements & { readonly languages: readonly string[]; readonly base: string },
  environment: Environment,
): Promise<StatementsAnswer> {
  const { cursor, languages, base, ...given } = what
  if (cursor !== undefined && Object.keys(given).length > 0)
    throw fail('validationFailed', 'cursor must be the only parameter: it includes all others')
  const position = cursor === undefined ? undefined : readCursor(who.at, cursor, environment)
  const parameters = position?.parameters ?? given
  const { format = 'exact', attachments = false } = parameters
  if (!FORMATS.includes(format)) throw fail('validationFailed', `format must be ${FORMATS.join(', ')}`)
  const through = await readThrough(db, who.at, environment)
  const render = (rows: readonly StatementRow[], definitions?: Definitions) =>
    renderAll(rows, { format, languages, definitions })
  const id = parameters.statementId ?? parameters.voidedStatementId
  if (id !== undefined) {
    const row = await readOne(db, who, parameters, id)
    const [text] = render([row], format === 'canonical' ? await readStoredDefinitions(db, [row]) : undefined)
    return {
      text: text!,
      through,
      seq: row.seq,
      ...(attachments ? await takeAttachments(db, who, [row], environment) : {}),
    }
  }
  const { rows, hasMore } = await readPage(db, who, parameters, position?.last)
  const definitions = format === 'canonical' ? await readStoredDefinitions(db, rows) : undefined
  const shown = definitions ? rows.slice(0, definitions.length) : rows
  const taken = attachments ? await takeAttachments(db, who, shown, environment) : { rows: shown }
  const last = taken.rows.at(-1)?.seq
  const goesOn = last !== undefined && (hasMore || taken.rows.length < rows.length)
  const more = goesOn ? `${base}/statements?cursor=${writeCursor(who.at, { parameters, last }, environment)}` : ''
  const texts = render(taken.rows, definitions)
  return { ...taken, through, text: `{"statements":[${texts.join(',')}],"more":${JSON.stringify(more)}}` }
}

/**
 * The greatest `through` that this process has seen. Error responses send it in their header without a database query.
 */
const seen = service(() => ({ through: 0 }))
export const lastSeen = ({ get }: Pick<Environment, 'get'>): number => get(seen).through
export function noteSeen(through: number, { get }: Pick<Environment, 'get'>): number {
  const known = get(seen)
  known.through = Math.max(known.through, through)
  return through
}

async function readThrough(db: Db, at: Date, environment: Environment): Promise<number> {
  const last = await readClock(db)
  if (db.lagMs > 0) return Math.min(last, (at.getTime() - db.lagMs - COMMIT_MS) * 1000)
  const isFresh = last >= (at.getTime() - CLOCK_MS) * 1000
  return noteSeen(isFresh ? last : (await moveClock(at, environment)).through, environment)
}

/** Whether the caller may read only statements that they have sent. */
const seesOwnOnly = ({ scopes }: XapiCaller): boolean => !scopes.has('statements/read')

async function readOne(db: Db, who: XapiCaller, parameters: GetStatements, id: string): Promise<StatementRow> {
  const { statementId, voidedStatementId, format: _format, attachments: _attachments, ...others } = parameters
  if (statementId !== undefined && voidedStatementId !== undefined)
    throw fail('validationFailed', 'Send statementId or voidedStatementId, not both')
  const [other] = Object.keys(others)
  if (other !== undefined) throw fail('validationFailed', `${other} cannot be combined with the id of a statement`)
  if (!isUuid(id)) throw fail('validationFailed', 'The id of a statement must be a UUID')
  const row = await findStatement(db, id)
  const isSeen = row && (!seesOwnOnly(who) || row.sender === keyOfSender(who.senderKey))
  if (!isSeen || row.is_voided !== (voidedStatementId !== undefined))
    throw fail('notFound', `There is no ${voidedStatementId === undefined ? '' : 'voided '}statement with this id`)
  return row
}

async function readPage(db: Db, who: XapiCaller, parameters: GetStatements, last: number | undefined) {
  const { limit: wanted = DEFAULT_ON_PAGE, ascending: isAscending = false } = parameters
  // A limit of 0 means the maximum (xAPI-Communication 2.1.3).
  const limit = Math.min(wanted || MOST_ON_PAGE, MOST_ON_PAGE)
  const { wanted: keys, after, upTo } = readFilters(who.version, parameters)
  const own = { key: keyOfSender(who.senderKey), roles: [SENDER] }
  const range = last === undefined ? {} : isAscending ? { after: last } : { upTo: last - 1 }
  const rows = await queryStatements(db, {
    wanted: seesOwnOnly(who) ? [...keys, own] : keys,
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

/** The stored definitions for each statement of a page. */
type Definitions = readonly ReadonlyMap<string, Definition>[]

function renderAll(
  rows: readonly StatementRow[],
  how: { format: string; languages: readonly string[]; definitions: Definitions | undefined },
): string[] {
  if (how.format === 'exact') return rows.map(presentText)
  const statements = rows.map(presentStatement)
  if (how.format === 'ids') return statements.map((one) => JSON.stringify(toIds(one)))
  return statements.map((one, i) => JSON.stringify(toCanonical(one, how.languages, how.definitions![i]!)))
}

/**
 * Reads the stored definitions that the canonical format shows in place of the statements' own. A statement can name an
 * activity many times, and every mention repeats the definition. So statements are left out from the end of the page
 * where the definitions reach PAGE_BYTES, and a statement that exceeds that alone keeps its own definitions.
 */
async function readStoredDefinitions(db: Db, rows: readonly StatementRow[]): Promise<Definitions> {
  const mentions = rows.map((row) => activitiesIn(presentStatement(row)).map(({ id }) => id))
  const sizes = await measureDefinitions(db, mentions.flat())
  const shown: string[][] = []
  let bytes = 0
  for (const iris of mentions) {
    const own = iris.reduce((sum, iri) => sum + (sizes.get(iri) ?? 0), 0)
    const isTooLarge = own > PAGE_BYTES
    if (!isTooLarge) bytes += own
    if (bytes > PAGE_BYTES) break
    shown.push(isTooLarge ? [] : iris)
  }
  const known = await readDefinitions(db, shown.flat())
  return shown.map((iris) => new Map(iris.flatMap((iri) => (known.has(iri) ? [[iri, known.get(iri)!]] : []))))
}

/**
 * Reads the attachments of statements, each distinct attachment once. Drops statements from the end of the page if
 * their attachments would exceed PAGE_BYTES. The first statement's attachments are returned even if they exceed it.
 */
async function takeAttachments(db: Db, who: XapiCaller, rows: readonly StatementRow[], environment: Environment) {
  const stored = await listAttachments(
    db,
    rows.map(({ seq }) => seq),
  )
  const bySeq = Map.groupBy(stored, ({ seq }) => seq)
  const wanted = new Map<string, (typeof stored)[number]>()
  const taken: StatementRow[] = []
  let bytes = 0
  for (const row of rows) {
    const own = (bySeq.get(row.seq) ?? []).filter(({ sha2 }) => !wanted.has(sha2))
    bytes += own.reduce((sum, one) => sum + one.bytes, 0)
    if (taken.length > 0 && bytes > PAGE_BYTES) break
    for (const one of own) wanted.set(one.sha2, one)
    taken.push(row)
  }
  // Return each hash in the letter case that the statement uses, because clients compare the two.
  const described = new Map(
    taken
      .filter(({ seq }) => bySeq.has(seq))
      .flatMap((row) => attachmentsOf(presentStatement(row)).map((one) => [one.sha2.toLowerCase(), one])),
  )
  const contents = await readAttachments(db, who.senderKey, [...wanted.values()], environment)
  const attachments = [...contents].flatMap(([sha2, bytes]) => {
    const attachment = described.get(sha2)
    return attachment ? { sha2: attachment.sha2, contentType: attachment.contentType, bytes } : []
  })
  return { rows: taken, attachments }
}
