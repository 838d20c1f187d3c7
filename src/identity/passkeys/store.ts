import { deleteOlder } from '../../kernel/database/retention.ts'
import { c, nullable, read, write } from '../../kernel/database/statement.ts'

export const listOfPerson = read('passkeys.listOfPerson', {
  params: { person: c.int8 },
  row: {
    id: c.uuid,
    credential_id: c.text,
    transports: c.textArray,
    name: c.text,
    created_at: c.instant,
    last_used_at: nullable(c.instant),
  },
  text: `
    select id, credential_id, transports, name, created_at, last_used_at
      from passkeys where person_id = :person order by created_at, id`,
})

/** Finds the passkey with this credential id. Passkeys of disabled accounts are treated as unknown. */
export const findForSignIn = read('passkeys.findForSignIn', {
  params: { credential: c.text },
  row: {
    id: c.uuid,
    person_id: c.int8,
    public_key: c.bytea,
    user_handle: nullable(c.bytea),
    epoch: c.int4,
    handle: c.text,
    first_name: c.text,
    last_name: c.text,
  },
  text: `
    select k.id, k.person_id, k.public_key, k.user_handle, p.epoch, p.handle, p.first_name, p.last_name
      from passkeys k join people p on p.id = k.person_id
     where k.credential_id = :credential and p.disabled_at is null`,
})

/**
 * Locks the person, so that concurrent additions of passkeys respect the limit. Returns no row if the account is
 * disabled or its password was changed.
 */
export const lockPerson = write('passkeys.lockPerson', {
  params: { person: c.int8, epoch: c.int4 },
  row: { id: c.int8 },
  text: `select id from people where id = :person and epoch = :epoch and disabled_at is null for no key update`,
})

export const countOfPerson = write('passkeys.countOfPerson', {
  params: { person: c.int8 },
  row: { passkeys: c.int8 },
  text: `select count(*) as passkeys from passkeys where person_id = :person`,
})

/** Locks a person's passkeys, so that none is used or deleted until the transaction ends. */
export const lockOfPerson = write('passkeys.lockOfPerson', {
  params: { person: c.int8 },
  row: { id: c.uuid, name: c.text },
  text: `select id, name from passkeys where person_id = :person order by created_at, id for update`,
})

export const insertPasskey = write('passkeys.insert', {
  params: {
    id: c.uuid,
    credential: c.text,
    person: c.int8,
    key: c.bytea,
    userHandle: c.bytea,
    counter: c.int8,
    transports: c.textArray,
    name: c.text,
    now: c.timestamptz,
  },
  row: { id: c.uuid },
  text: `
    insert into passkeys (id, credential_id, person_id, public_key, user_handle, counter, transports, name, created_at)
    values (:id, :credential, :person, :key, :userHandle, :counter, :transports, :name, :now)
    on conflict (credential_id) do nothing returning id`,
})

/** Lists passkeys that were added before user handles were stored. */
export const listWithoutHandle = read('passkeys.listWithoutHandle', {
  params: { after: nullable(c.uuid), limit: c.int8 },
  row: { id: c.uuid, person_id: c.int8 },
  gather: false,
  text: `
    select id, person_id from passkeys where user_handle is null and (:after is null or id > :after) order by id limit :limit`,
})

export const keepHandles = write('passkeys.keepHandles', {
  params: { ids: c.uuidArray, handles: c.textArray },
  row: { id: c.uuid },
  text: `
    update passkeys k set user_handle = decode(g.handle, 'hex')
      from unnest(:ids, :handles) as g(id, handle) where k.id = g.id and k.user_handle is null returning k.id`,
})

export const renamePasskey = write('passkeys.rename', {
  params: { id: c.uuid, person: c.int8, name: c.text },
  row: { id: c.uuid },
  text: `update passkeys set name = :name where id = :id and person_id = :person returning id`,
})

export const deletePasskey = write('passkeys.delete', {
  params: { id: c.uuid, person: c.int8 },
  row: { name: c.text },
  text: `delete from passkeys where id = :id and person_id = :person returning name`,
})

/** Locks a passkey, so that its uses are serialised and each sees the counter of the previous one. */
export const lockPasskey = write('passkeys.lock', {
  params: { id: c.uuid },
  row: { counter: c.int8 },
  text: `select counter from passkeys where id = :id for update`,
})

export const recordUse = write('passkeys.recordUse', {
  params: { id: c.uuid, counter: c.int8, now: c.timestamptz },
  row: { id: c.uuid },
  text: `update passkeys set counter = :counter, last_used_at = :now where id = :id returning id`,
})

/**
 * Marks the challenge as used. If several requests do so at once, only one of them gets a row and may use the
 * challenge.
 */
export const takeChallenge = write('passkeys.takeChallenge', {
  params: { hash: c.bytea, expires: c.timestamptz },
  row: { expires_at: c.timestamptz },
  text: `
    insert into passkey_challenges (challenge_hash, expires_at) values (:hash, :expires)
    on conflict (challenge_hash) do nothing returning expires_at`,
})

export const deleteOldChallenges = deleteOlder('passkeys.deleteOldChallenges', {
  table: 'passkey_challenges',
  key: { challenge_hash: c.bytea },
  by: 'expires_at',
})
