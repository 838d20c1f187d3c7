import { Gate } from '../../../kernel/bounds/gate.ts'
import type { Db } from '../../../kernel/database/database.ts'
import type { RowOf } from '../../../kernel/database/statement.ts'
import { type Environment, service } from '../../../kernel/environment.ts'
import { fail } from '../../../kernel/errors.ts'
import { openBucket } from '../../../kernel/files/storage.ts'
import { isHashOf } from '../model/hashes.ts'
import * as store from './store.ts'

/** The bucket of attachments. There is none unless `S3_URL` is set. */
export const attachmentStore = service((environment) => ({ bucket: openBucket(environment, '/attachments') }))

/** Time limit for reading the attachments of one page from the file store. */
const READ_MS = 20_000

/** Limits the pages that are in memory while their attachments are read from the file store. */
const pages = service(
  () =>
    new Gate({
      ...{ atOnce: 8, perKey: 2, waiting: 200, waitMs: 10_000 },
      refusal: () => fail('notReady', 'Too many attachments are being read; try again shortly', 5),
    }),
)

function lost(object: string) {
  const problem = fail('notReady', 'An attachment is missing or damaged in the file store; tell the operator', 60)
  problem.cause = new Error(`The object ${object} of an attachment is missing or damaged in the file store`)
  return problem
}

/** Lists the hashes and sizes of the stored attachments of statements. */
export const listAttachments = (db: Db, seqs: readonly number[]) => db.all(store.listAttachments, { seqs: [...seqs] })

type ListedAttachment = RowOf<typeof store.listAttachments>

/**
 * Reads the bytes of attachments, by hash. Attachments that were deleted in the meantime are left out. If one cannot be
 * read from the file store, all are refused.
 */
export async function readAttachments(
  db: Db,
  callerKey: string,
  wanted: readonly ListedAttachment[],
  environment: Environment,
): Promise<ReadonlyMap<string, Buffer>> {
  const readAll = async () => {
    const contents = new Map<string, Buffer>()
    const signal = AbortSignal.timeout(READ_MS)
    for (const { sha2 } of wanted) {
      const content = await readOne(db, sha2, signal, environment)
      if (content) contents.set(sha2, content)
    }
    return contents
  }
  return wanted.some((one) => one.is_moved) ? environment.get(pages).run(callerKey, readAll) : readAll()
}

async function readOne(db: Db, sha2: string, signal: AbortSignal, { get }: Environment): Promise<Buffer | undefined> {
  let missing: string | undefined
  for (;;) {
    const row = await db.first(store.readAttachment, { sha2 })
    if (!row || row.content) return row?.content ?? undefined
    const object = row.object!
    // If the object has not changed, the attachment was not deleted or sent again while it was read.
    if (object === missing) throw lost(object)
    const content = await get(attachmentStore).bucket?.read(object, { most: row.bytes!, signal })
    if (content && isHashOf(sha2, content)) return content
    missing = object
  }
}
