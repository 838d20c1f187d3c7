import { piecesOf, plainName, writeList } from '../../identity/exports/writing.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { ExportFile } from '../../kernel/room.ts'
import { exportApps } from '../apps/apps.ts'
import { exportBuckets } from './buckets.ts'

const BUCKETS_IN_A_FILE = 100

/** Yields files with the person's buckets for the data export, in one folder per app. */
export async function* exportBucketFiles(db: Db, personId: number): AsyncGenerator<ExportFile> {
  const { uses } = await exportApps(db, personId)
  for (const { clientId, userId } of uses) {
    const buckets = exportBuckets(db, userId)[Symbol.asyncIterator]()
    let next = await buckets.next()
    for (let file = 1; !next.done; file++) {
      // Each file is read completely before the next file is requested, so all files can share the iterator.
      const some = async function* () {
        for (let count = 0; count < BUCKETS_IN_A_FILE && !next.done; count++) {
          yield next.value
          next = await buckets.next()
        }
      }
      yield { path: `buckets/${plainName(clientId)}/${file}.json`, chunks: writeList(some(), writeBucket) }
    }
  }
}

/**
 * Writes a bucket. Its data may be large and is already JSON text, so it is written in pieces: a complete text would be
 * a second copy of the data in memory for as long as the reader needs.
 */
function* writeBucket({ dataText, ...bucket }: { dataText: string }): Generator<string> {
  yield `${JSON.stringify(bucket).slice(0, -1)},"data":`
  yield* piecesOf(dataText)
  yield '}'
}
