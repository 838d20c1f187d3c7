import { deleteOlder } from '../database/retention.ts'
import { bytea, instant, int8, int8Array, nullable, read, text, timestamptz, write } from '../database/statement.ts'

export const insertMessage = write('messages.insert', {
  params: { person: int8, kind: text, recipient: text, sealed: bytea, now: timestamptz },
  row: { id: int8 },
  text: `
    insert into messages (person_id, kind, recipient, sealed, created_at)
    select p.id, :kind, :recipient, :sealed, :now from people p where p.id = :person
    returning id`,
})

/** Inserts a message to a person who was deleted. */
export const insertForDeleted = write('messages.insertForDeleted', {
  params: { kind: text, recipient: text, sealed: bytea, now: timestamptz },
  row: { id: int8 },
  text: `
    insert into messages (kind, recipient, sealed, created_at) values (:kind, :recipient, :sealed, :now) returning id`,
})

export const findWaiting = read('messages.findWaiting', {
  params: { id: int8 },
  row: {
    id: int8,
    person_id: nullable(int8),
    kind: text,
    recipient: text,
    sealed: nullable(bytea),
    created_at: timestamptz,
  },
  text: `
    select id, person_id, kind, recipient, sealed, created_at
      from messages where id = :id and sent_at is null and given_up_at is null`,
})

/** Erases the content of a finished message. For a deleted person the address is erased too. */
const settled = `sealed = null, recipient = case when person_id is null then '' else recipient end`

export const markSent = write('messages.markSent', {
  params: { id: int8, now: timestamptz },
  row: { id: int8 },
  text: `update messages set sent_at = :now, ${settled} where id = :id returning id`,
})

export const giveUp = write('messages.giveUp', {
  params: { id: int8, now: timestamptz },
  row: { id: int8 },
  text: `update messages set given_up_at = :now, ${settled} where id = :id and sent_at is null returning id`,
})

/** Lists those of these messages that still exist. */
export const findKept = read('messages.findKept', {
  params: { ids: int8Array },
  row: { id: int8, created_at: timestamptz },
  gather: false,
  text: `select id, created_at from messages where id = any(:ids)`,
})

/** Leaves out the contents, which are sealed. */
export const listOfPerson = read('messages.listOfPerson', {
  params: { person: int8, after: int8, limit: int8 },
  row: {
    id: int8,
    kind: text,
    recipient: text,
    created_at: instant,
    sent_at: nullable(instant),
    given_up_at: nullable(instant),
  },
  gather: false,
  text: `
    select id, kind, recipient, created_at, sent_at, given_up_at
      from messages where person_id = :person and id > :after order by id limit :limit`,
})

export const deleteOld = deleteOlder('messages.deleteOld', { table: 'messages', key: { id: int8 }, by: 'created_at' })
