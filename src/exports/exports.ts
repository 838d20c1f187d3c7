import type { Readable } from 'node:stream'
import { exportApps } from '../apps/apps.ts'
import { exportAudit, recordAudit } from '../audit/audit.ts'
import { gatePerOwner } from '../bounds/gate.ts'
import { networkOf } from '../bounds/networks.ts'
import { exportBrowsers, findSignedIn } from '../browsers/browsers.ts'
import { exportBuckets } from '../buckets/buckets.ts'
import type { PersonCaller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { exportFamily } from '../families/parents.ts'
import { exportFriends, exportRequests } from '../friends/lists.ts'
import { exportMessages } from '../messages/messages.ts'
import { exportPasskeys } from '../passkeys/passkeys.ts'
import { exportPerson } from '../people/people.ts'
import { proveAgain } from '../people/proof.ts'
import { exportImages } from '../pictures/pictures.ts'
import { exportSessions } from '../sessions/sessions.ts'
import { Places } from './places.ts'
import { type Described, describeFiles, fileNameOf, piecesOf, plainName } from './rules.ts'
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
  { file: 'friends.json', about: 'Friends, whom you have asked, and whom you have blocked', read: exportFriends },
  {
    file: 'friend-requests.json',
    about: 'Friend requests to you: those that wait, those that you no longer hear, and whom you have declined lately',
    read: exportRequests,
  },
  { file: 'family.json', about: 'Whom you look after, and who looks after you', read: exportFamily },
  { file: 'messages.json', about: 'Messages that were sent to you, kept for thirty days', read: exportMessages },
  {
    file: 'audit.json',
    about: 'What happened to your account, and what you did as a parent; the address where it was you',
    read: exportAudit,
  },
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

/** Where an export happens: which environment it is, what time it is there, and when it stops. */
type Surroundings = Pick<Environment, 'name' | 'clock' | 'stopping'>

/** Everything that is kept about the person, for themselves. */
export async function exportEverything(
  db: Db,
  who: PersonCaller,
  what: { password?: string | undefined },
  surroundings: Surroundings,
): Promise<Export> {
  await proveAgain(db, who, what.password)
  const { personId, address, handle, at } = who
  const place = await placesOf(db, surroundings).take({ personId, network: networkOf(address) })
  try {
    await refuseSignedOut(db, who, surroundings)
    await recordAudit(db, who, { action: 'data.exported', personId })
    const stream = zipOf(filesOf(inTurn(db, personId), who), at, surroundings.clock)
    place.keepFor(stream)
    return { fileName: fileNameOf(handle, at), mediaType: 'application/zip', stream }
  } catch (error) {
    place.giveBack()
    throw error
  }
}

/** In each environment of this process. */
const places = new WeakMap<Db, Places>()

function placesOf(db: Db, { clock, stopping }: Surroundings): Places {
  const ofDb = places.get(db) ?? new Places(clock, stopping)
  places.set(db, ofDb)
  return ofDb
}

/** Somebody may have signed out while they waited, or lost the account. */
async function refuseSignedOut(db: Db, who: PersonCaller, { name, clock }: Surroundings): Promise<void> {
  const found = await findSignedIn(db, who.browserToken, name, clock())
  if (found?.personId !== who.personId) throw fail('notAuthorized', 'You were signed out here meanwhile; sign in again')
}

/** Many download at once, few of them read from the database: others want to read there too. */
const reading = gatePerOwner({ atOnce: 8, perKey: 1 })

const inTurn = (db: Db, personId: number): Db => ({
  isTransaction: db.isTransaction,
  all: (statement, params) => reading(db).run(String(personId), () => db.all(statement, params)),
  first: (statement, params) => reading(db).run(String(personId), () => db.first(statement, params)),
  transaction: (work) => db.transaction(work),
  afterCommit: (work) => db.afterCommit(work),
  tellHere: (message) => db.tellHere(message),
})

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

async function* writeList<T>(items: AsyncIterable<T>, write: (item: T) => Iterable<string> = writeItem) {
  let isFirst = true
  for await (const item of items) {
    yield isFirst ? '[\n' : ',\n'
    yield* write(item)
    isFirst = false
  }
  yield isFirst ? '[]\n' : '\n]\n'
}

const writeItem = (item: unknown): Iterable<string> => [JSON.stringify(item)]

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

/** The data is JSON already, and large: in pieces, a reader who stands still holds half as many copies of it. */
function* writeBucket({ dataText, ...bucket }: { dataText: string }): Generator<string> {
  yield `${JSON.stringify(bucket).slice(0, -1)},"data":`
  yield* piecesOf(dataText)
  yield '}'
}
