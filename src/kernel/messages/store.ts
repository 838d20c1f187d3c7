import { deleteOlder } from '../database/retention.ts'
import { c, nullable, read, write } from '../database/statement.ts'

export const insertMessage = write('messages.insert', {
  params: { person: c.int8, kind: c.text, recipient: c.text, sealed: c.bytea, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into messages (person_id, kind, recipient, sealed, created_at)
    select p.id, :kind, :recipient, :sealed, :now from people p where p.id = :person
    returning id`,
})

/** Inserts a message that is being sent, without its content, because it is not sent again. */
export const insertTried = write('messages.insertTried', {
  params: { person: c.int8, kind: c.text, recipient: c.text, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into messages (person_id, kind, recipient, created_at) values (:person, :kind, :recipient, :now) returning id`,
})

/** Inserts a message to a person who was deleted. */
export const insertForDeleted = write('messages.insertForDeleted', {
  params: { kind: c.text, recipient: c.text, sealed: c.bytea, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into messages (kind, recipient, sealed, created_at) values (:kind, :recipient, :sealed, :now) returning id`,
})

export const findWaiting = read('messages.findWaiting', {
  params: { id: c.int8 },
  row: {
    id: c.int8,
    person_id: nullable(c.int8),
    kind: c.text,
    recipient: c.text,
    sealed: nullable(c.bytea),
    created_at: c.timestamptz,
  },
  text: `
    select id, person_id, kind, recipient, sealed, created_at
      from messages where id = :id and sent_at is null and given_up_at is null`,
})

/** Erases the content of a message that was sent or given up. If the person was deleted, the address is erased too. */
const settled = `sealed = null, recipient = case when person_id is null then '' else recipient end`

export const markSent = write('messages.markSent', {
  params: { id: c.int8, now: c.timestamptz },
  row: { id: c.int8 },
  text: `update messages set sent_at = :now, ${settled} where id = :id returning id`,
})

export const giveUp = write('messages.giveUp', {
  params: { id: c.int8, now: c.timestamptz },
  row: { id: c.int8 },
  text: `update messages set given_up_at = :now, ${settled} where id = :id and sent_at is null returning id`,
})

/** Deletes a message that was certainly not delivered and is tried again as a new one. */
export const discard = write('messages.discard', {
  params: { id: c.int8 },
  row: { id: c.int8 },
  text: `delete from messages where id = :id and sent_at is null returning id`,
})

/** Returns the given messages that still exist. */
export const findKept = read('messages.findKept', {
  params: { ids: c.int8Array },
  row: { id: c.int8, created_at: c.timestamptz },
  gather: false,
  text: `select id, created_at from messages where id = any(:ids)`,
})

/** Lists a person's messages without their contents, which are encrypted. */
export const listOfPerson = read('messages.listOfPerson', {
  params: { person: c.int8, after: c.int8, limit: c.int8 },
  row: {
    id: c.int8,
    kind: c.text,
    recipient: c.text,
    created_at: c.instant,
    sent_at: nullable(c.instant),
    given_up_at: nullable(c.instant),
  },
  gather: false,
  text: `
    select id, kind, recipient, created_at, sent_at, given_up_at
      from messages where person_id = :person and id > :after order by id limit :limit`,
})

export const deleteOld = deleteOlder('messages.deleteOld', { table: 'messages', key: { id: c.int8 }, by: 'created_at' })
