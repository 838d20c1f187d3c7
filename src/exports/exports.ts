import type { Readable } from 'node:stream'
import { networkOf } from '../addresses.ts'
import { exportApps } from '../apps/apps.ts'
import { exportAudit, recordAudit } from '../audit/audit.ts'
import { exportBrowsers } from '../browsers/browsers.ts'
import { exportBuckets } from '../buckets/buckets.ts'
import type { PersonCaller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { fail } from '../errors.ts'
import { exportFamily } from '../families/parents.ts'
import { exportFriends } from '../friends/lists.ts'
import { exportMessages } from '../messages/messages.ts'
import { exportPasskeys } from '../passkeys/passkeys.ts'
import { exportPerson } from '../people/people.ts'
import { proveAgain } from '../people/proof.ts'
import { exportImages } from '../pictures/pictures.ts'
import { exportSessions } from '../sessions/sessions.ts'
import { type Described, describeFiles, fileNameOf, plainName } from './rules.ts'
import { type ZipEntry, zipOf } from './zip.ts'

/** What a room keeps about a person: one value, or a list that is read as it is written. */
interface Room extends Described {
  read(db: Db, personId: number): Promise<unknown> | AsyncIterable<unknown>
}

/** A room that keeps something about people adds itself here, and to docs/your-data.md. */
const ROOMS: readonly Room[] = [
  { file: 'profile.json', about: 'Who you are, and your organisations', read: exportPerson },
  {
    file: 'apps.json',
    about: 'Apps that you use, with your user id there, and apps that you answer for',
    read: exportApps,
  },
  { file: 'sessions.json', about: 'Where you are and were signed in to apps', read: exportSessions },
  { file: 'browsers.json', about: 'Browsers in which you are signed in here', read: exportBrowsers },
  { file: 'passkeys.json', about: 'Your passkeys', read: exportPasskeys },
  { file: 'friends.json', about: 'Friends, requests, and whom you have declined or blocked', read: exportFriends },
  { file: 'family.json', about: 'Whom you look after, and who looks after you', read: exportFamily },
  { file: 'messages.json', about: 'Messages that were sent to you, kept for thirty days', read: exportMessages },
  { file: 'audit.json', about: 'What happened to your account; the address where it was you', read: exportAudit },
]

/** Rooms that give files, or more of them than one. */
const FILES: readonly (Described & { read(db: Db, personId: number): AsyncIterable<ZipEntry> })[] = [
  { file: '*.webp', about: 'Your picture and your cover, where you have them', read: imageFiles },
  { file: 'buckets/', about: 'What apps keep with you, by app, a hundred buckets in a file', read: bucketFiles },
]

export interface Export {
  readonly fileName: string
  readonly mediaType: 'application/zip'
  readonly stream: Readable
}

/** Everything that is kept about the person, for themselves. */
export async function exportEverything(
  db: Db,
  who: PersonCaller,
  what: { password?: string | undefined },
): Promise<Export> {
  await proveAgain(db, who, what.password)
  const giveBack = takePlace(db, who)
  try {
    await recordAudit(db, who, { action: 'data.exported', personId: who.personId })
    const stream = zipOf(filesOf(db, who), who.at)
    stream.once('close', giveBack)
    return { fileName: fileNameOf(who.handle, who.at), mediaType: 'application/zip', stream }
  } catch (error) {
    giveBack()
    throw error
  }
}

const MOST_AT_ONCE = 8
/** Nobody takes all places with a handful of accounts. */
const MOST_OF_A_NETWORK = 2
const WAIT_SECONDS = 30

/** Who is at it, and from which network, in each environment of this process. */
const readers = new WeakMap<Db, Map<number, string>>()

/** One at a time for a person, and a few in all: each reads a lot. What it returns gives the place back. */
function takePlace(db: Db, { personId, address }: PersonCaller): () => void {
  const network = networkOf(address)
  const reading = readers.get(db) ?? new Map<number, string>()
  readers.set(db, reading)
  if (reading.has(personId))
    throw fail('tooManyRequests', 'You are downloading your data already; wait until that is done', WAIT_SECONDS)
  if ([...reading.values()].filter((one) => one === network).length >= MOST_OF_A_NETWORK)
    throw fail(
      'tooManyRequests',
      'Others in your network are downloading their data; wait until that is done',
      WAIT_SECONDS,
    )
  if (reading.size >= MOST_AT_ONCE)
    throw fail('notReady', 'Others are downloading their data; try again shortly', WAIT_SECONDS)
  reading.set(personId, network)
  return () => reading.delete(personId)
}

/** Each file is read when it is its turn, a page at a time: no long transaction, and no more in memory than a page. */
async function* filesOf(db: Db, { personId, handle, at }: PersonCaller): AsyncGenerator<ZipEntry> {
  yield { path: 'README.txt', chunks: [describeFiles(handle, at, [...ROOMS, ...FILES])] }
  for (const { file, read } of ROOMS) {
    const kept = read(db, personId)
    yield {
      path: file,
      chunks: Symbol.asyncIterator in kept ? writeList(kept) : [`${JSON.stringify(await kept, null, 2)}\n`],
    }
  }
  for (const { read } of FILES) yield* read(db, personId)
}

async function* writeList(items: AsyncIterable<unknown>, write: (item: never) => string = JSON.stringify) {
  let isFirst = true
  for await (const item of items) {
    yield `${isFirst ? '[' : ','}\n${write(item as never)}`
    isFirst = false
  }
  yield isFirst ? '[]\n' : '\n]\n'
}

async function* imageFiles(db: Db, personId: number): AsyncGenerator<ZipEntry> {
  for await (const { kind, bytes } of exportImages(db, personId))
    yield { path: `${kind}.webp`, chunks: [bytes], isPacked: true }
}

const BUCKETS_IN_A_FILE = 100

async function* bucketFiles(db: Db, personId: number): AsyncGenerator<ZipEntry> {
  const { uses } = await exportApps(db, personId)
  for (const { clientId, userId } of uses) {
    const buckets = exportBuckets(db, userId)[Symbol.asyncIterator]()
    let next = await buckets.next()
    for (let file = 1; !next.done; file++) {
      // Read by whoever reads the file, which comes before the next one is asked for.
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

/** The data is JSON already. */
function writeBucket({ dataText, ...bucket }: { dataText: string }): string {
  return `${JSON.stringify(bucket).slice(0, -1)},"data":${dataText}}`
}
