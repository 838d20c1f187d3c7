import { childrenBornAfter } from '../../identity/people/ages.ts'
import { gatePerOwner } from '../../kernel/bounds/gate.ts'
import type { AppUser, Caller } from '../../kernel/caller.ts'
import { type Db, hasCode, type Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import {
  asJson,
  checkUserCount,
  checkVersion,
  narrow,
  parseData,
  parseKey,
  type SizedText,
  setAt,
  sizeUp,
  withoutUser,
} from './rules.ts'
import {
  type BucketRecord,
  type CreateBucket,
  type ListBuckets,
  MAX_LISTED,
  type NameBucket,
  type NameUser,
  type ReadBucket,
  type SetValue,
} from './schema.ts'
import * as store from './store.ts'
import type { Position } from './watch.ts'

/** Larger values are left out of the change stream; clients must fetch them. */
const MAX_STREAMED_BYTES = 2048
/**
 * Number of optimistic attempts to write before the row is locked. An attempt fails if another process writes first.
 */
const TRIES_WITHOUT_LOCK = 3

type Row = RowOf<typeof store.findBucket>

/** Each process runs only one write per bucket at a time. Waiting writes use no database connection. */
const writing = gatePerOwner({ atOnce: 32, perKey: 1, waiting: 10_000, waitingPerKey: 1000 })

const NOT_FOUND = 'There is no bucket with this id'
const NOT_A_MEMBER = 'The caller is not a member of this bucket'

/** Maximum shares of an app's storage in percent: for one user, and for all anonymous users together. */
export interface Shares {
  readonly userPercent: number
  readonly anonymousPercent: number
}

/** Reads the whole bucket or, if a key is given, the part at that key. */
export async function readBucket(db: Db, who: AppUser, what: ReadBucket): Promise<BucketRecord> {
  const row = await db.first(store.findBucket, { app: who.appId, id: what.id, user: who.userId })
  if (!row) throw fail('notFound', NOT_FOUND)
  if (row.data === null) throw fail('forbidden', NOT_A_MEMBER)
  if (!what.key) return toRecord(row, row.data, row.version)
  // A missing key reads as {}, because old clients read a key before they write it, and continue only after a status of
  // 200.
  const part = narrow(parseData(row.data), parseKey(what.key)) ?? {}
  return toRecord(row, JSON.stringify(part), row.version)
}

/** Creates a bucket. The creator becomes a member, and the bucket counts against their share of the storage. */
export async function createBucket(db: Db, who: AppUser, what: CreateBucket, shares: Shares): Promise<BucketRecord> {
  const users = [...new Set([who.userId, ...(what.users ?? [])])]
  checkUserCount(users)
  const { text, blocks } = sizeUp(asJson(what.data === undefined ? {} : what.data))
  await checkSharers(db, who, { users: users.slice(1) })
  const bucket = {
    id: what.id,
    users,
    isPublic: what.public ?? false,
    dataText: text,
    createdDate: who.at.toISOString(),
  }
  const outcome = await db
    .first(store.insertBucket, {
      app: who.appId,
      id: what.id,
      user: who.userId,
      users,
      public: bucket.isPublic,
      data: text,
      blocks,
      anonymous: who.isAnonymous,
      ...shares,
      now: who.at,
    })
    .catch((error: unknown) => {
      throw hasCode(error, '23505') ? taken() : error
    })
  if (outcome?.version) return { ...bucket, version: outcome.version }
  if (outcome?.taken) throw taken()
  if (outcome?.are_here) throw outOfRoom(outcome.refusal)
  // One of the users has just been deleted: either another user, which `checkSharers` reports, or the caller.
  await checkSharers(db, who, { users: users.slice(1) })
  throw fail('tokenInvalid')
}

/**
 * Throws an error that names the ids that are not users of this app. People with whom the caller may not share are also
 * reported as unknown. If one of the users has blocked another, the one later in the list is reported.
 */
async function checkSharers(
  db: Db,
  who: AppUser,
  { users, members = [] }: { users: string[]; members?: string[] },
): Promise<void> {
  if (users.length === 0) return
  const born = childrenBornAfter(who.at)
  const rows = await db.all(store.listSharers, { app: who.appId, person: who.personId, members, users, born })
  const known = new Set(rows.map((row) => row.user_id))
  const unknown = users.filter((user) => !known.has(user))
  if (unknown.length > 0)
    throw fail(
      'validationFailed',
      `Not users of this app: ${unknown.slice(0, 5).join(', ')}${unknown.length > 5 ? ' …' : ''}`,
    )
}

/** A change that can be made conditional on the version of the bucket. */
export type Versioned<T> = T & {
  /** The value of the `If-Match` header. */
  readonly ifMatch?: string | undefined
}

/**
 * Sets the value at a key and returns the whole bucket. Writes to different keys never overwrite each other: a write
 * succeeds only if the bucket still has the version that was read; otherwise it is tried again.
 */
export async function setBucketValue(
  db: Db,
  who: AppUser,
  what: Versioned<SetValue>,
  shares: Shares,
): Promise<BucketRecord> {
  const write = { ...what, steps: parseKey(what.key), shares }
  // A transaction must not wait for the gate: it holds a connection, and the write inside the gate may be waiting for
  // one, so neither could go on. It waits for the row lock instead.
  if (db.isTransaction) return setLocked(db, who, write)
  return writing(db).run(`${who.appId} ${what.id}`, async () => {
    for (let tries = 0; tries < TRIES_WITHOUT_LOCK; tries++) {
      const bucket = await tryToSet(db, who, write, store.findBucket)
      if (bucket === 'nobody pays') break
      if (bucket) return bucket
    }
    return db.transaction((tx) => setLocked(tx, who, write))
  })
}

type Write = Versioned<SetValue> & { readonly steps: readonly string[]; readonly shares: Shares }

/**
 * Sets the value after locking the bucket. The writer's row is locked too, because the bucket may be charged to the
 * writer. Every operation locks users before buckets, so that two of them cannot deadlock.
 */
async function setLocked(tx: Tx, who: AppUser, write: Write): Promise<BucketRecord> {
  await tx.first(store.holdUser, { app: who.appId, user: who.userId })
  const bucket = await tryToSet(tx, who, write, store.lockBucket)
  if (bucket === undefined || bucket === 'nobody pays') throw fail('conflict', 'The bucket has just changed; try again')
  return bucket
}

/**
 * Tries to set the value. Returns undefined if another write came first, or 'nobody pays' if the user charged for the
 * bucket is no longer a member.
 */
async function tryToSet(
  db: Db,
  who: AppUser,
  what: Write,
  find: typeof store.findBucket,
): Promise<BucketRecord | 'nobody pays' | undefined> {
  const row = settersOnly(await db.first(find, { app: who.appId, id: what.id, user: who.userId }))
  checkVersion(what.ifMatch, row.version)
  const sized = sizeUp(setAt(parseData(row.data), what.steps, asJson(what.value)))
  const version = await replace(db, who, what, row, sized)
  if (typeof version !== 'number') return version
  await trimChanges(db, row.bucket_no, version)
  return toRecord(row, sized.text, version)
}

async function replace(
  db: Db,
  who: AppUser,
  what: Write,
  row: Row,
  { text, blocks }: SizedText,
): Promise<number | 'nobody pays' | undefined> {
  const change = {
    no: row.bucket_no,
    version: row.version,
    data: text,
    key: what.key,
    value: streamed(JSON.stringify(what.value)),
    user: who.userId,
    now: who.at,
  }
  if (blocks === row.blocks) return (await db.first(store.replaceData, change))?.version
  const charge = { ...change, app: who.appId, blocks, ...what.shares }
  let outcome = await db.first(store.replaceDataAndCharge, charge)
  if (outcome?.refusal === 'payer') {
    if (!db.isTransaction) return 'nobody pays'
    await takeOver(db, who, { no: row.bucket_no }, what.shares)
    outcome = await db.first(store.replaceDataAndCharge, charge)
  }
  if (!outcome?.matched) return undefined
  if (outcome.version === null) throw outOfRoom(outcome.refusal)
  return outcome.version
}

/**
 * Charges the bucket to the caller: always or, if `from` is given, only if it is charged to `from`. The caller's row
 * and the bucket must be locked.
 */
async function takeOver(
  tx: Tx,
  who: AppUser,
  { no, from = null }: { no: number; from?: string | null },
  shares: Shares,
) {
  const payer = { app: who.appId, user: who.userId, anonymous: who.isAnonymous }
  const outcome = await tx.first(store.takeOver, { no, from, ...payer, ...shares })
  if (outcome?.refusal) throw outOfRoom(outcome.refusal)
}

/** The number of latest changes that a bucket stores for its stream. */
const KEPT_CHANGES = 256
/** Older changes are deleted whenever the version is a multiple of this number. */
const TRIM_EVERY = 64

async function trimChanges(db: Db, no: number, version: number): Promise<void> {
  if (version % TRIM_EVERY === 0) await db.all(store.trimChanges, { no, before: version - KEPT_CHANGES })
}

export function deleteBucket(db: Db, who: AppUser, what: Versioned<NameBucket>): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await lockForMember(tx, who, what)
    await tx.first(store.deleteBucket, { app: who.appId, no: row.bucket_no })
  })
}

/** Adds another user of the app to the members of a bucket. Idempotent. */
export function addBucketUser(db: Db, who: AppUser, what: Versioned<NameUser>): Promise<BucketRecord> {
  return db.transaction(async (tx) => {
    await tx.first(store.holdUser, { app: who.appId, user: what.userId })
    const row = await lockForMember(tx, who, what)
    if (row.users.includes(what.userId)) return toRecord(row, row.data, row.version)
    await checkSharers(tx, who, { users: [what.userId], members: row.users })
    const users = [...row.users, what.userId]
    checkUserCount(users)
    return replaceUsers(tx, who, row, users)
  })
}

/**
 * Removes a user from the members of a bucket. Idempotent. If the caller removes the user who is charged for the
 * bucket, the caller is charged instead, because that user can no longer delete it. Users who leave on their own stay
 * charged until the bucket grows, so that nobody is charged for what others leave behind.
 */
export function removeBucketUser(
  db: Db,
  who: AppUser,
  what: Versioned<NameUser>,
  shares: Shares,
): Promise<BucketRecord> {
  return db.transaction(async (tx) => {
    await tx.first(store.holdUser, { app: who.appId, user: who.userId })
    const row = await lockForMember(tx, who, what)
    if (!row.users.includes(what.userId)) return toRecord(row, row.data, row.version)
    const users = withoutUser(row.users, what.userId)
    if (what.userId !== who.userId) await takeOver(tx, who, { no: row.bucket_no, from: what.userId }, shares)
    return replaceUsers(tx, who, row, users)
  })
}

async function replaceUsers(tx: Tx, who: AppUser, row: OwnRow, users: string[]): Promise<BucketRecord> {
  const version = await setUsers(tx, row.bucket_no, users, who)
  return toRecord({ ...row, users }, row.data, version)
}

async function setUsers(tx: Tx, no: number, users: string[], by: { userId: string; at: Date }): Promise<number> {
  const value = streamed(JSON.stringify(users))
  const replaced = await tx.first(store.replaceUsers, { no, users, value, user: by.userId, now: by.at })
  await trimChanges(tx, no, replaced!.version)
  return replaced!.version
}

/** Maximum number of buckets per transaction when a user is deleted. */
const FORGOTTEN_AT_ONCE = 50

/**
 * Removes a deleted user from some of their buckets, and deletes buckets that have no other member. Returns true once
 * no bucket is left. The caller must have locked the user's row, so that the user cannot join further buckets
 * meanwhile. All buckets are locked first, as in every write; then the storage row, before the first bucket changes.
 * Otherwise this could deadlock with the creation of a bucket, which locks the storage row and then waits at the unique
 * index of ids for a bucket changed here.
 */
export async function forgetUser(tx: Tx, who: Caller, what: { appId: number; userId: string }): Promise<boolean> {
  const { appId, userId } = what
  const buckets = await tx.all(store.lockSomeOfMember, { user: userId, most: FORGOTTEN_AT_ONCE })
  const [own, shared] = [buckets.filter(isOnly), buckets.filter((bucket) => !isOnly(bucket))]
  for (const { bucket_no: no } of own) await tx.first(store.deleteBucket, { app: appId, no })
  for (const { bucket_no: no, users } of shared) {
    await setUsers(tx, no, withoutUser(users, userId), { userId, at: who.at })
  }
  return !(await tx.first(store.isInAny, { user: userId }))!.is_in_any
}

const isOnly = ({ users }: { users: readonly string[] }): boolean => users.length === 1

/** Returns a page of the ids of the caller's buckets, sorted, as JSON text. */
export async function listBuckets(db: Db, who: AppUser, what: ListBuckets): Promise<string> {
  const limit = what.limit ?? MAX_LISTED
  const page = await db.first(store.listBuckets, { user: who.userId, limit, offset: ((what.page ?? 1) - 1) * limit })
  return page!.ids
}

/** Yields the buckets of which a user is a member, sorted by id, for the data export. */
export async function* exportBuckets(db: Db, userId: string) {
  for (let after = ''; ; ) {
    const row = await db.first(store.findNextOfMember, { user: userId, after })
    if (!row) return
    yield {
      id: row.id,
      users: row.users,
      public: row.public,
      version: row.version,
      createdDate: row.created_at,
      dataText: row.data,
    }
    after = row.id
  }
}

export interface ResumedBucket extends NameBucket {
  /** The value of the `Last-Event-ID` header: the last version that the client has seen. */
  readonly lastEventId: string
}

/**
 * Returns the position at which a member's change stream starts: after the last event that the client has seen, or at
 * the current version. Changes from before the membership are not sent.
 */
export async function readPosition(db: Db, who: AppUser, what: ResumedBucket): Promise<Position> {
  const row = await db.first(store.findMembership, { id: what.id, user: who.userId })
  if (!row) {
    membersOnly(await db.first(store.findBucket, { app: who.appId, id: what.id, user: who.userId }))
    throw fail('forbidden', NOT_A_MEMBER)
  }
  const seen = /^\d{1,15}$/.test(what.lastEventId) ? Number(what.lastEventId) : row.version
  return { bucketNo: row.bucket_no, id: what.id, version: row.version, seen }
}

type OwnRow = Row & { data: string }

function membersOnly(row: Row | undefined): OwnRow {
  if (!row) throw fail('notFound', NOT_FOUND)
  if (!row.is_member || row.data === null) throw fail('forbidden', NOT_A_MEMBER)
  return { ...row, data: row.data }
}

function settersOnly(row: Row | undefined): OwnRow {
  return membersOnly(row && { ...row, is_member: row.may_set })
}

/** Locks a bucket until the transaction ends. Throws if the caller is not a member, or `ifMatch` does not match. */
async function lockForMember(tx: Tx, who: AppUser, what: Versioned<NameBucket>): Promise<OwnRow> {
  const row = membersOnly(await tx.first(store.lockBucket, { app: who.appId, id: what.id, user: who.userId }))
  checkVersion(what.ifMatch, row.version)
  return row
}

const toRecord = (
  row: Omit<Row, 'data' | 'is_member' | 'may_set'>,
  dataText: string,
  version: number,
): BucketRecord => ({
  id: row.id,
  users: row.users,
  isPublic: row.public,
  dataText,
  createdDate: row.created_at,
  version,
})

const streamed = (text: string): string | null => (Buffer.byteLength(text) <= MAX_STREAMED_BYTES ? text : null)
const taken = () => fail('conflict', 'A bucket with this id already exists')

const FULL_MESSAGES: Readonly<Record<string, string>> = {
  user: "The creator of this bucket has used up their share of the app's storage; delete some of their buckets",
  anonymous:
    'The anonymous users of this app have used up their shared storage; sign in, or delete some of their buckets',
}
const outOfRoom = (refusal: string | null) =>
  fail(
    'storageFull',
    FULL_MESSAGES[refusal ?? ''] ?? 'The app has used up its storage; delete buckets, or ask an administrator for more',
  )
