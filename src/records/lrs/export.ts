import { Readable } from 'node:stream'
import { gatePerOwner } from '../../kernel/bounds/gate.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { isTimestamp, microsecondsOf } from '../statements/model/times.ts'
import { presentText, readClock } from '../statements/query/query.ts'
import { readPage } from './reading.ts'
import type { ExportStatements } from './schema.ts'
import { type StatementSelection, selectStatements } from './selection.ts'

const exporting = gatePerOwner({
  atOnce: 16,
  perKey: 2,
  waiting: 0,
  refusal: () => fail('notReady', 'Too many exports are running, or one of yours is; try again shortly', 15),
})

/** The maximum number of statements, and of bytes, that an export reads into memory at a time. */
const PAGE = { limit: 500, most: 512 * 1024 }

export interface StatementFile {
  readonly fileName: string
  readonly mediaType: string
  readonly stream: Readable
}

/** Exports the statements stored so far as newline-delimited JSON, oldest first. */
export async function exportStatements(db: Db, who: StoreCaller, what: ExportStatements): Promise<StatementFile> {
  const { after, voided = false, ...filters } = what
  const selection = selectStatements(who, filters)
  const leave = await exporting(db).enter(who.senderKey)
  try {
    const upTo = Math.min(selection.upTo, await readClock(db))
    const from = Math.max(selection.after, after === undefined ? 0 : readPosition(after))
    const stream = Readable.from(linesOf(db, { ...selection, after: from, upTo }, voided), { objectMode: false })
    stream.once('close', leave)
    return {
      fileName: `statements-${who.at.toISOString().slice(0, 10)}.ndjson`,
      mediaType: 'application/x-ndjson',
      stream,
    }
  } catch (error) {
    leave()
    throw error
  }
}

async function* linesOf(db: Db, selection: StatementSelection, voided: boolean): AsyncGenerator<string> {
  for (let after = selection.after; ; ) {
    const { rows, isFull } = await readPage(db, { ...selection, after }, { ...PAGE, voided })
    if (rows.length > 0) yield rows.map((row) => `${presentText(row)}\n`).join('')
    if (!isFull) return
    after = rows.at(-1)!.seq
  }
}

/**
 * Parses an export position: a sequence number, or a `stored` timestamp, which is converted to a sequence number.
 * Throws if it is neither.
 */
function readPosition(text: string): number {
  const position = /^\d{1,16}$/.test(text)
    ? Number(text)
    : isTimestamp(text, '2.0.0')
      ? microsecondsOf(text)
      : undefined
  if (position === undefined || !Number.isSafeInteger(position))
    throw fail('validationFailed', 'after must be the id of an event of the stream, or the `stored` of a statement')
  return position
}
