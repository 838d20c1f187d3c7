import { deleteOlder } from '../database/retention.ts'
import { bool, bytea, int4, int8, read, text, timestamptz, uuid, write } from '../database/statement.ts'

/** Holds only while the person's epoch is the one in which they signed in. */
export const findBrowser = read('browsers.find', {
  params: { hash: bytea, now: timestamptz },
  row: {
    id: uuid,
    person_id: int8,
    epoch: int4,
    created_at: timestamptz,
    handle: text,
    first_name: text,
    last_name: text,
    administrator: bool,
  },
  text: `
    select b.id, b.person_id, b.epoch, b.created_at, p.handle, p.first_name, p.last_name, p.administrator
      from browsers b join people p on p.id = b.person_id
     where b.token_hash = :hash and b.expires_at > :now and b.epoch = p.epoch and p.disabled_at is null`,
})

/** A person is signed in in a hundred browsers at most: as many as are shown to them. */
export const insertBrowser = write('browsers.insert', {
  params: {
    id: uuid,
    hash: bytea,
    person: int8,
    epoch: int4,
    door: text,
    device: text,
    now: timestamptz,
    expires: timestamptz,
  },
  row: { id: uuid },
  text: `
    with forgotten as (
      delete from browsers where id in
        (select id from browsers where person_id = :person order by created_at desc offset 99)
    )
    insert into browsers (id, token_hash, person_id, epoch, door, device, created_at, expires_at)
    values (:id, :hash, :person, :epoch, :door, :device, :now, :expires) returning id`,
})

export const deleteBrowser = write('browsers.delete', {
  params: { id: uuid, person: int8 },
  row: { id: uuid },
  text: `delete from browsers where id = :id and person_id = :person returning id`,
})

export const findExpiry = read('browsers.findExpiry', {
  params: { id: uuid },
  row: { created_at: timestamptz, expires_at: timestamptz },
  text: `select created_at, expires_at from browsers where id = :id`,
})

export const moveBrowser = write('browsers.move', {
  params: { id: uuid, person: int8, epoch: int4 },
  row: { id: uuid },
  text: `update browsers set epoch = :epoch where id = :id and person_id = :person returning id`,
})

export const listOfPerson = read('browsers.listOfPerson', {
  params: { person: int8, now: timestamptz },
  row: { id: uuid, device: text, door: text, created_at: timestamptz },
  text: `
    select b.id, b.device, b.door, b.created_at
      from browsers b join people p on p.id = b.person_id
     where b.person_id = :person and b.expires_at > :now and b.epoch = p.epoch
     order by b.created_at desc limit 100`,
})

/** Also those that are over and not tidied away yet. */
export const listAllOfPerson = read('browsers.listAllOfPerson', {
  params: { person: int8 },
  row: { id: uuid, device: text, door: text, created_at: timestamptz, expires_at: timestamptz },
  gather: false,
  text: `
    select id, device, door, created_at, expires_at from browsers where person_id = :person order by created_at, id`,
})

export const deleteOld = deleteOlder('browsers.deleteOld', { table: 'browsers', key: { id: uuid }, by: 'expires_at' })
