import { deleteOlder } from '../database/retention.ts'
import { c, nullable, write } from '../database/statement.ts'

/** Parameters for the share that responses to anonymous users count against: the app and the network. */
const SHARE = { anonymousApp: nullable(c.int8), network: nullable(c.text) }

/**
 * Inserts the key. Waits while another transaction is inserting the same key; returns no row if the key then exists.
 */
export const claimKey = write('idempotency.claim', {
  params: { caller: c.text, key: c.text, fingerprint: c.bytea, now: c.timestamptz, ...SHARE },
  row: { key: c.text },
  text: `
    insert into idempotency_keys (caller, key, fingerprint, anonymous_app, network, created_at)
    values (:caller, :key, :fingerprint, :anonymousApp, :network, :now)
    on conflict (caller, key) do nothing
    returning key`,
})

export const findAnswer = write('idempotency.find', {
  params: { caller: c.text, key: c.text },
  row: { fingerprint: c.bytea, answer: nullable(c.text), headers: nullable(c.json), error: nullable(c.text) },
  text: `select fingerprint, answer, headers, error from idempotency_keys where caller = :caller and key = :key`,
})

export const keepAnswer = write('idempotency.keep', {
  params: { caller: c.text, key: c.text, answer: c.text, headers: c.json },
  row: { key: c.text },
  text: `
    update idempotency_keys set answer = :answer, headers = :headers where caller = :caller and key = :key
    returning key`,
})

/** Stores the key together with the error, because the transaction of the refused request was rolled back. */
export const keepRefusal = write('idempotency.keepRefusal', {
  params: {
    caller: c.text,
    key: c.text,
    fingerprint: c.bytea,
    error: c.text,
    answer: c.text,
    now: c.timestamptz,
    ...SHARE,
  },
  row: { key: c.text },
  text: `
    insert into idempotency_keys (caller, key, fingerprint, error, answer, anonymous_app, network, created_at)
    values (:caller, :key, :fingerprint, :error, :answer, :anonymousApp, :network, :now)
    on conflict (caller, key) do nothing
    returning key`,
})

/** Deletes a caller's oldest responses, beyond a maximum count and a maximum size. */
export const trimAnswers = write('idempotency.trim', {
  params: { caller: c.text, most: c.int8, bytes: c.int8 },
  row: { key: c.text },
  text: `
    delete from idempotency_keys k using (
      select key, row_number() over newest as place, sum(coalesce(octet_length(answer), 0)) over newest as bytes
        from idempotency_keys where caller = :caller
      window newest as (order by created_at desc, key)
    ) kept
    where k.caller = :caller and k.key = kept.key and (kept.place > :most or kept.bytes > :bytes)
    returning k.key`,
})

/**
 * Deletes the oldest responses of anonymous users of an app beyond the limits per network and per app. Skips rows that
 * another trim has locked, to avoid deadlocks.
 */
export const trimAnonymous = write('idempotency.trimAnonymous', {
  params: { app: c.int8, networkMost: c.int8, networkBytes: c.int8, appMost: c.int8, appBytes: c.int8 },
  row: { key: c.text },
  text: `
    with sized as (
      select caller, key, network, created_at, octet_length(key) + coalesce(octet_length(answer), 0) as bytes
        from idempotency_keys where anonymous_app = :app
    ), kept as (
      select caller, key, row_number() over of_network as network_place, sum(bytes) over of_network as network_bytes,
             row_number() over of_app as app_place, sum(bytes) over of_app as app_bytes
        from sized
      window of_network as (partition by network order by created_at desc, caller, key),
             of_app as (order by created_at desc, caller, key)
    ), gone as (
      select k.caller, k.key from idempotency_keys k join kept on kept.caller = k.caller and kept.key = k.key
       where network_place > :networkMost or network_bytes > :networkBytes or app_place > :appMost or app_bytes > :appBytes
         for update of k skip locked
    )
    delete from idempotency_keys k using gone where k.caller = gone.caller and k.key = gone.key
    returning k.key`,
})

export const forgetAnswers = write('idempotency.forget', {
  params: { caller: c.text },
  row: { key: c.text },
  text: `delete from idempotency_keys where caller = :caller returning key`,
})

export const deleteOldKeys = deleteOlder('idempotency.deleteOld', {
  table: 'idempotency_keys',
  key: { caller: c.text, key: c.text },
  by: 'created_at',
})
