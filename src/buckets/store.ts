import {
  bool,
  int4,
  int8,
  int8Array,
  json,
  nullable,
  read,
  text,
  textArray,
  timestamptz,
  write,
} from '../database/statement.ts'

const record = {
  bucket_no: int8,
  id: text,
  users: textArray,
  public: bool,
  data: json,
  version: int8,
  blocks: int4,
  created_at: timestamptz,
}

/** Data leaves the database only for those who may see it: members, and every user of the app where the bucket is public. */
export const findBucket = read('buckets.find', {
  params: { app: int8, id: text, user: text },
  row: { ...record, data: nullable(json), is_member: bool },
  text: `
    select bucket_no, id, users, public, version, blocks, created_at, :user = any(users) as is_member,
           case when public or :user = any(users) then data end as data
      from buckets where app_id = :app and id = :id`,
})

/** The same, and nobody else writes to it until the transaction ends. */
export const lockBucket = write('buckets.lock', {
  params: { app: int8, id: text, user: text },
  row: { ...record, data: nullable(json), is_member: bool },
  text: `
    select bucket_no, id, users, public, version, blocks, created_at, :user = any(users) as is_member,
           case when public or :user = any(users) then data end as data
      from buckets where app_id = :app and id = :id
       for update`,
})

export const listBuckets = read('buckets.list', {
  params: { user: text, limit: int8, offset: int8 },
  row: { id: text },
  text: `select id from buckets where users @> array[:user] order by id limit :limit offset :offset`,
})

/** No row: the id is taken, or the app has no room. The storage row is locked first, so that a new version is above the floor. */
export const insertBucket = write('buckets.insert', {
  params: {
    app: int8,
    id: text,
    users: textArray,
    public: bool,
    data: json,
    blocks: int4,
    user: text,
    value: nullable(json),
    now: timestamptz,
  },
  row: { version: int8 },
  text: `
    with storage as (
      update app_storage set blocks_used = blocks_used + :blocks
       where app_id = :app and blocks_used + :blocks <= blocks_limit
         and not exists (select from buckets where app_id = :app and id = :id)
      returning version_floor
    ), bucket as (
      insert into buckets (app_id, id, users, public, data, version, blocks, created_at)
      select :app, :id, :users, :public, :data, version_floor + 1, :blocks, :now from storage
      returning bucket_no, version
    ), change as (
      insert into bucket_changes (bucket_no, version, kind, key, value, user_id, changed_at)
      select bucket_no, version, 'created', '', :value, :user, :now from bucket
    )
    select version from bucket`,
})

const CHANGE = {
  value: nullable(json),
  key: text,
  user: text,
  now: timestamptz,
}

/** Changes that are kept for a bucket's stream; older ones go now and then, with a write. */
const KEPT_CHANGES = 256
const keepChange = `
    change as (
      insert into bucket_changes (bucket_no, version, kind, key, value, user_id, changed_at)
      select bucket_no, version, 'set', :key, :value, :user, :now from bucket
    ), trimmed as (
      delete from bucket_changes c using bucket b
       where b.version % 64 = 0 and c.bucket_no = b.bucket_no and c.version <= b.version - ${KEPT_CHANGES}
    )`

/** Replaces the data if nobody else has written since; no row where somebody has. The bucket keeps its number of blocks. */
export const replaceData = write('buckets.replaceData', {
  params: { no: int8, version: int8, data: json, ...CHANGE },
  row: { version: int8 },
  text: `
    with bucket as (
      update buckets set data = :data, version = version + 1 where bucket_no = :no and version = :version
      returning bucket_no, version
    ), ${keepChange}
    select version from bucket`,
})

/** The same where the number of blocks changes: the quota moves in the same statement. `matched` without a version: the app has no room. */
export const replaceDataAndCharge = write('buckets.replaceDataAndCharge', {
  params: { app: int8, no: int8, version: int8, data: json, blocks: int4, ...CHANGE },
  row: { matched: bool, version: nullable(int8) },
  text: `
    with target as (
      select bucket_no, blocks from buckets where bucket_no = :no and version = :version for update
    ), storage as (
      update app_storage s set blocks_used = s.blocks_used + :blocks - t.blocks
        from target t
       where s.app_id = :app and (:blocks < t.blocks or s.blocks_used + :blocks - t.blocks <= s.blocks_limit)
      returning s.app_id
    ), bucket as (
      update buckets b set data = :data, version = b.version + 1, blocks = :blocks
        from target t, storage
       where b.bucket_no = t.bucket_no
      returning b.bucket_no, b.version
    ), ${keepChange}
    select exists (select from target) as matched, (select version from bucket) as version`,
})

const setUsers = (change: string, condition: string): string => `
    with bucket as (
      update buckets set users = ${change}, version = version + 1
       where app_id = :app and id = :id and :user = any(users) and ${condition}
      returning bucket_no, id, users, public, data, version, blocks, created_at
    ), change as (
      insert into bucket_changes (bucket_no, version, kind, key, value, user_id, changed_at)
      select bucket_no, version, 'users', null, to_json(users), :user, :now from bucket
    )
    select * from bucket`

/** No row where the caller is no member, the other one is already, or there is no room. */
export const addUser = write('buckets.addUser', {
  params: { app: int8, id: text, user: text, other: text, most: int4, now: timestamptz },
  row: record,
  text: setUsers('users || :other', 'not :other = any(users) and cardinality(users) < :most'),
})

/** No row where the caller is no member, or the other one is not, or is the last. */
export const removeUser = write('buckets.removeUser', {
  params: { app: int8, id: text, user: text, other: text, now: timestamptz },
  row: record,
  text: setUsers('array_remove(users, :other)', ':other = any(users) and cardinality(users) > 1'),
})

/** No row where the caller is no member. No later bucket of the app gets a version at or below the deleted one's. */
export const deleteBucket = write('buckets.delete', {
  params: { app: int8, id: text, user: text },
  row: { app_id: int8 },
  text: `
    with gone as (
      delete from buckets where app_id = :app and id = :id and :user = any(users) returning version, blocks
    )
    update app_storage s
       set blocks_used = s.blocks_used - g.blocks, version_floor = greatest(s.version_floor, g.version)
      from gone g where s.app_id = :app
    returning s.app_id`,
})

export const listVersions = read('buckets.listVersions', {
  params: { nos: int8Array },
  row: { bucket_no: int8, version: int8 },
  text: `select bucket_no, version from buckets where bucket_no = any(:nos)`,
})

export const listChanges = read('buckets.listChanges', {
  params: { no: int8, after: int8 },
  row: {
    version: int8,
    kind: text,
    key: nullable(text),
    value: nullable(json),
    user_id: text,
    changed_at: timestamptz,
  },
  text: `
    select version, kind, key, value, user_id, changed_at from bucket_changes
     where bucket_no = :no and version > :after order by version limit 500`,
})

export const readByNumber = read('buckets.readByNumber', {
  params: { no: int8 },
  row: record,
  text: `select bucket_no, id, users, public, data, version, blocks, created_at from buckets where bucket_no = :no`,
})
