import { bytea, json, nullable, text, timestamptz, write } from '../database/statement.ts'

/** Waits for a request with the same key that is still under way; no row where that one has claimed the key. */
export const claimKey = write('idempotency.claim', {
  params: { caller: text, key: text, fingerprint: bytea, now: timestamptz },
  row: { key: text },
  text: `
    insert into idempotency_keys (caller, key, fingerprint, created_at) values (:caller, :key, :fingerprint, :now)
    on conflict (caller, key) do nothing
    returning key`,
})

export const findAnswer = write('idempotency.find', {
  params: { caller: text, key: text },
  row: { fingerprint: bytea, answer: nullable(text), headers: nullable(json) },
  text: `select fingerprint, answer, headers from idempotency_keys where caller = :caller and key = :key`,
})

export const keepAnswer = write('idempotency.keep', {
  params: { caller: text, key: text, answer: text, headers: json },
  row: { key: text },
  text: `
    update idempotency_keys set answer = :answer, headers = :headers where caller = :caller and key = :key
    returning key`,
})

export const deleteOldKeys = write('idempotency.deleteOld', {
  params: { before: timestamptz },
  row: { key: text },
  text: `
    delete from idempotency_keys where (caller, key) in
      (select caller, key from idempotency_keys where created_at < :before order by created_at limit 1000)
    returning key`,
})
