import { Readable } from 'node:stream'
import { gatePerOwner } from '../../kernel/bounds/gate.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { readClock, showText } from '../statements/query.ts'
import { isTimestamp, microsecondsOf } from '../statements/times.ts'
import { type Chosen, choose } from './chosen.ts'
import { readPage } from './reading.ts'
import type { ExportStatements } from './schema.ts'

const exporting = gatePerOwner({
  atOnce: 16,
  perKey: 2,
  waiting: 0,
  refusal: () => fail('notReady', 'Too many exports are running, or one of yours is; try again shortly', 15),
})

/** So much is in memory at once. */
const PAGE = { limit: 500, most: 512 * 1024 }

export interface StatementFile {
  readonly fileName: string
  readonly mediaType: string
  readonly stream: Readable
}

/** Statements as lines of JSON, the oldest first: all that were there when it was asked for. */
export async function exportStatements(db: Db, who: StoreCaller, what: ExportStatements): Promise<StatementFile> {
  const { after, voided = false, ...filters } = what
  const chosen = choose(who, filters)
  const leave = await exporting(db).enter(who.senderKey)
  try {
    const upTo = Math.min(chosen.upTo, await readClock(db))
    const from = Math.max(chosen.after, after === undefined ? 0 : readPosition(after))
    const stream = Readable.from(linesOf(db, { ...chosen, after: from, upTo }, voided), { objectMode: false })
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

async function* linesOf(db: Db, chosen: Chosen, voided: boolean): AsyncGenerator<string> {
  for (let after = chosen.after; ; ) {
    const { rows, isFull } = await readPage(db, { ...chosen, after }, { ...PAGE, voided })
    if (rows.length > 0) yield rows.map((row) => `${showText(row)}\n`).join('')
    if (!isFull) return
    after = rows.at(-1)!.seq
  }
}

/** A number, or the moment that is one. */
function readPosition(text: string): number {
  const position = /^\d{1,16}$/.test(text)
    ? Number(text)
    : isTimestamp(text, '2.0.0')
      ? microsecondsOf(text)
      : undefined
  if (position === undefined || !Number.isSafeInteger(position))
    throw fail('validationFailed', 'after must be the id of an event of the stream, or `stored` of a statement')
  return position
}
