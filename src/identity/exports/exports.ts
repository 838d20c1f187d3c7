import type { Readable } from 'node:stream'
import { recordAudit } from '../../kernel/audit/audit.ts'
import { type Gate, gatePerOwner } from '../../kernel/bounds/gate.ts'
import { findSignedIn } from '../../kernel/browsers/browsers.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { allRooms, type ExportFile, type ExportPart } from '../../kernel/room.ts'
import { proveAgain } from '../people/proof.ts'
import { describeFiles, fileNameOf } from './rules.ts'
import { writeList } from './writing.ts'
import { zipOf } from './zip.ts'

/**
 * Limits concurrent downloads, because each holds an HTTP connection and one or two buckets in memory. The maximum wait
 * is shorter than the usual proxy timeout of one minute, so that a waiting client gets our refusal and not the proxy's
 * error.
 */
const downloading = gatePerOwner({
  atOnce: 32,
  perKey: 1,
  waiting: 256,
  waitingPerKey: 1,
  waitMs: 45_000,
  refusal: () => fail('notReady', 'Too many exports are running, or one of yours is; try again shortly', 15),
})
/** Limits the concurrent database reads of all downloads together, so that other requests are not delayed. */
const reading = gatePerOwner({ atOnce: 8, perKey: 1 })

export interface Export {
  readonly fileName: string
  readonly mediaType: 'application/zip'
  readonly stream: Readable
}

/** Exports all data about the caller as a zip file. */
export async function exportEverything(
  db: Db,
  who: PersonCaller,
  what: { password?: string | undefined },
  environment: Environment,
): Promise<Export> {
  await proveAgain(db, who, what.password)
  const { personId, handle, at } = who
  const leave = await downloading(db).enter(String(personId))
  try {
    await refuseSignedOut(db, who, environment)
    await recordAudit(db, who, { action: 'data.exported', personId })
    const parts = environment.get(allRooms).flatMap((room) => room.exports ?? [])
    const stream = zipOf(filesOf(inTurn(db, reading(db), personId), who, parts), at)
    stream.once('close', leave)
    return { fileName: fileNameOf(handle, at), mediaType: 'application/zip', stream }
  } catch (error) {
    leave()
    throw error
  }
}

/** Throws if the caller signed out or was deleted while waiting for the download to start. */
async function refuseSignedOut(db: Db, who: PersonCaller, { name, clock }: Environment): Promise<void> {
  const found = await findSignedIn(db, who.browserToken, name, clock())
  if (found?.personId !== who.personId)
    throw fail('notAuthorized', 'You were signed out of this browser in the meantime; sign in again')
}

const inTurn = (db: Db, gate: Gate, personId: number): Db => ({
  ...db,
  all: (statement, params) => gate.run(String(personId), () => db.all(statement, params)),
  first: (statement, params) => gate.run(String(personId), () => db.first(statement, params)),
})

/**
 * Yields the files of the export one after the other. Each file is read page by page, so there is no long transaction
 * and only one page is in memory.
 */
async function* filesOf(
  db: Db,
  { personId, handle, at }: PersonCaller,
  parts: readonly ExportPart[],
): AsyncGenerator<ExportFile> {
  yield { path: 'README.txt', chunks: [describeFiles(handle, at, parts)] }
  for (const part of parts) {
    if ('readFiles' in part) {
      yield* part.readFiles(db, personId)
      continue
    }
    const kept = part.read(db, personId)
    yield {
      path: part.file,
      chunks: Symbol.asyncIterator in kept ? writeList(kept) : [`${JSON.stringify(await kept, null, 2)}\n`],
    }
  }
}
