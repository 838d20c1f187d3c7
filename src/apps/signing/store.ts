import { deleteOlder } from '../../kernel/database/retention.ts'
import { c, nullable, read, write } from '../../kernel/database/statement.ts'

/** Waits for other transactions that change the keys. */
export const takeTurn = write('signing.takeTurn', {
  params: {},
  row: { is_taken: c.bool },
  text: `
    select pg_advisory_xact_lock(hashtextextended('groundschool.signing.' || current_schema(), 0)) is not null as is_taken`,
})

/** Lists the keys, newest first. There are about twenty, unless an operator withdraws many. */
export const listKeys = read('signing.listKeys', {
  params: {},
  row: {
    kid: c.text,
    algorithm: c.text,
    public_jwk: c.json,
    sealed: nullable(c.bytea),
    published_at: c.timestamptz,
    used_from: c.timestamptz,
    retired_at: nullable(c.timestamptz),
    withdrawn_at: nullable(c.timestamptz),
  },
  gather: false,
  text: `
    select kid, algorithm, public_jwk, sealed, published_at, used_from, retired_at, withdrawn_at
      from signing_keys order by algorithm collate "C", used_from desc, kid limit 100`,
})

/** Inserts a key. The keys that it replaces retire when it is used. */
export const insertKey = write('signing.insertKey', {
  params: {
    kid: c.text,
    algorithm: c.text,
    publicJwk: c.json,
    sealed: c.bytea,
    now: c.timestamptz,
    usedFrom: c.timestamptz,
  },
  row: { kid: c.text },
  text: `
    with replaced as (
      update signing_keys set retired_at = :usedFrom
       where algorithm = :algorithm and retired_at is null and withdrawn_at is null
    )
    insert into signing_keys (kid, algorithm, public_jwk, sealed, published_at, used_from)
    values (:kid, :algorithm, :publicJwk, :sealed, :now, :usedFrom) returning kid`,
})

/** Withdraws a key and deletes its private key. */
export const withdrawKey = write('signing.withdrawKey', {
  params: { kid: c.text, now: c.timestamptz },
  row: { algorithm: c.text },
  text: `
    update signing_keys set withdrawn_at = :now, sealed = null where kid = :kid and withdrawn_at is null
    returning algorithm`,
})

/** Lets the next key of an algorithm be used at once. Returns no row if there is no next key. */
export const hurryNextKey = write('signing.hurryNextKey', {
  params: { algorithm: c.text, now: c.timestamptz, usedFrom: c.timestamptz },
  row: { kid: c.text },
  text: `
    update signing_keys set used_from = :usedFrom
     where algorithm = :algorithm and used_from > :now and withdrawn_at is null returning kid`,
})

/** Keeps the keys of an algorithm in use that would have retired for a key that was withdrawn. */
export const keepCurrentKey = write('signing.keepCurrentKey', {
  params: { algorithm: c.text, now: c.timestamptz },
  row: { kid: c.text },
  text: `
    update signing_keys set retired_at = null
     where algorithm = :algorithm and retired_at > :now and withdrawn_at is null returning kid`,
})

/** Deletes private keys that are no longer used. A process with a slow clock may use one a little longer. */
export const dropPrivateKeys = write('signing.dropPrivateKeys', {
  params: { before: c.timestamptz },
  row: { kid: c.text },
  text: `update signing_keys set sealed = null where retired_at < :before and sealed is not null returning kid`,
})

/** Stores a private key that was encrypted again. Updates no row if it was deleted meanwhile. */
export const reseal = write('signing.reseal', {
  params: { kid: c.text, before: c.bytea, sealed: c.bytea },
  row: { kid: c.text },
  text: `update signing_keys set sealed = :sealed where kid = :kid and sealed = :before returning kid`,
})

export const deleteOldKeys = deleteOlder('signing.deleteOldKeys', {
  table: 'signing_keys',
  key: { kid: c.text },
  by: 'retired_at',
})
