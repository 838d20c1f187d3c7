import { deleteOlder } from '../database/retention.ts'
import {
  bool,
  bytea,
  instant,
  int4,
  int8,
  json,
  nullable,
  read,
  text,
  timestamptz,
  uuid,
  write,
} from '../database/statement.ts'

/** Finds a row only while the person's epoch is the one of the sign-in. */
export const findBrowser = read('browsers.find', {
  params: { hash: bytea, now: timestamptz },
  row: {
    id: uuid,
    person_id: int8,
    epoch: int4,
    door: text,
    created_at: timestamptz,
    last_used_at: timestamptz,
    handle: text,
    first_name: text,
    last_name: text,
    administrator: bool,
  },
  text: `
    select b.id, b.person_id, b.epoch, b.door, b.created_at, b.last_used_at, p.handle, p.first_name, p.last_name, p.administrator
      from browsers b join people p on p.id = b.person_id
     where b.token_hash = :hash and b.expires_at > :now and b.epoch = p.epoch and p.disabled_at is null`,
})

/** Keeps at most a hundred browsers per person, those used last. The person is shown as many. */
export const insertBrowser = write('browsers.insert', {
  params: {
    id: uuid,
    hash: bytea,
    person: int8,
    epoch: int4,
    door: text,
    device: text,
    address: nullable(text),
    now: timestamptz,
    expires: timestamptz,
  },
  row: { id: uuid },
  text: `
    with forgotten as (
      delete from browsers where id in
        (select id from browsers where person_id = :person order by last_used_at desc, created_at desc offset 99)
    )
    insert into browsers (id, token_hash, person_id, epoch, door, device, address, created_at, last_used_at, expires_at)
    values (:id, :hash, :person, :epoch, :door, :device, :address, :now, :now, :expires) returning id`,
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

/**
 * Updates each row at most once per interval, whichever process asks. A locked row is left to the browser's next use.
 */
export const touchBrowsers = write('browsers.touch', {
  params: { rows: json, everyMinutes: int4 },
  row: { id: uuid },
  text: `
    with used as (
      select b.id, u.at, u.address
        from json_to_recordset(:rows) as u(id uuid, at timestamptz, address text) join browsers b on b.id = u.id
       where b.last_used_at <= u.at - make_interval(mins => :everyMinutes)
         for update of b skip locked
    )
    update browsers b set last_used_at = u.at, address = u.address from used u where b.id = u.id returning b.id`,
})

const SHOWN = {
  id: uuid,
  device: text,
  door: text,
  address: nullable(text),
  created_at: instant,
  last_used_at: instant,
}

export const listOfPerson = read('browsers.listOfPerson', {
  params: { person: int8, now: timestamptz },
  row: SHOWN,
  text: `
    select b.id, b.device, b.door, b.address, b.created_at, b.last_used_at
      from browsers b join people p on p.id = b.person_id
     where b.person_id = :person and b.expires_at > :now and b.epoch = p.epoch
     order by b.last_used_at desc, b.created_at desc limit 100`,
})

/** Includes expired browsers that upkeep has not deleted yet. */
export const listAllOfPerson = read('browsers.listAllOfPerson', {
  params: { person: int8 },
  row: { ...SHOWN, expires_at: instant },
  gather: false,
  text: `
    select id, device, door, address, created_at, last_used_at, expires_at
      from browsers where person_id = :person order by created_at, id`,
})

export const deleteOld = deleteOlder('browsers.deleteOld', { table: 'browsers', key: { id: uuid }, by: 'expires_at' })
