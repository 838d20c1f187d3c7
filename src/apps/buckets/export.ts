import { piecesOf, plainName, writeList } from '../../identity/exports/writing.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { ExportFile } from '../../kernel/room.ts'
import { exportApps } from '../apps/apps.ts'
import { exportBuckets } from './buckets.ts'

const BUCKETS_IN_A_FILE = 100

/** What apps keep with a person, by app, so many buckets in a file. */
export async function* exportBucketFiles(db: Db, personId: number): AsyncGenerator<ExportFile> {
  const { uses } = await exportApps(db, personId)
  for (const { clientId, userId } of uses) {
    const buckets = exportBuckets(db, userId)[Symbol.asyncIterator]()
    let next = await buckets.next()
    for (let file = 1; !next.done; file++) {
      // Read with the file, which comes before the next one is asked for.
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

/** The data is JSON already, and large: in pieces, a reader who stands still holds half as many copies of it. */
function* writeBucket({ dataText, ...bucket }: { dataText: string }): Generator<string> {
  yield `${JSON.stringify(bucket).slice(0, -1)},"data":`
  yield* piecesOf(dataText)
  yield '}'
}
