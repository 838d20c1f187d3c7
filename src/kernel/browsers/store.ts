import { deleteOlder } from '../database/retention.ts'
import { c, nullable, read, write } from '../database/statement.ts'

/** Finds a signed-in browser by its cookie. Returns no row if the person's epoch has changed since the sign-in. */
export const findBrowser = read('browsers.find', {
  params: { hash: c.bytea, now: c.timestamptz },
  row: {
    id: c.uuid,
    person_id: c.int8,
    epoch: c.int4,
    door: c.text,
    created_at: c.timestamptz,
    authenticated_at: nullable(c.timestamptz),
    last_used_at: c.timestamptz,
    handle: c.text,
    first_name: c.text,
    last_name: c.text,
    administrator: c.bool,
  },
  text: `
    select b.id, b.person_id, b.epoch, b.door, b.created_at, b.authenticated_at, b.last_used_at, p.handle, p.first_name, p.last_name, p.administrator
      from browsers b join people p on p.id = b.person_id
     where b.token_hash = :hash and b.expires_at > :now and b.epoch = p.epoch and p.disabled_at is null`,
})

/**
 * Finds the organisation with whose provider a person has to sign in. Returns no row if the person comes from the
 * provider of `organisation`, and that is one of those which they have to use.
 */
export const findRequired = read('browsers.findRequired', {
  params: { person: c.int8, organisation: nullable(c.int8) },
  row: { key: c.text, name: c.text, issuer: c.text },
  text: `
    select o.key, o.name, v.issuer from organisations o join providers v on v.organisation_id = o.id
     where o.id = required_provider(:person)
       and coalesce(:organisation not in (select required_providers(:person)), true)`,
})

/** A sign-in as a row of `browsers`. */
const SIGN_IN = {
  id: c.uuid,
  hash: c.bytea,
  person: c.int8,
  epoch: c.int4,
  door: c.text,
  device: c.text,
  address: nullable(c.text),
  authenticated: nullable(c.timestamptz),
  now: c.timestamptz,
  expires: c.timestamptz,
}

/**
 * Inserts a browser and deletes the person's least recently used ones beyond a hundred, which is also the length of the
 * list that the person sees.
 */
export const insertBrowser = write('browsers.insert', {
  params: SIGN_IN,
  row: { id: c.uuid },
  text: `
    with forgotten as (
      delete from browsers where id in
        (select id from browsers where person_id = :person order by last_used_at desc, created_at desc offset 99)
    )
    insert into browsers (id, token_hash, person_id, epoch, door, device, address, created_at, authenticated_at, last_used_at, expires_at)
    values (:id, :hash, :person, :epoch, :door, :device, :address, :now, :authenticated, :now, :expires) returning id`,
})

/**
 * Gives a browser a new cookie after the same person has signed in again. The row stays, because sessions of apps refer
 * to it. Returns no row if the browser has been signed out in the meantime.
 */
export const renewBrowser = write('browsers.renew', {
  params: SIGN_IN,
  row: { id: c.uuid },
  text: `
    update browsers set token_hash = :hash, epoch = :epoch, door = :door, device = :device, address = :address,
           created_at = :now, authenticated_at = :authenticated, last_used_at = :now, expires_at = :expires
     where id = :id and person_id = :person returning id`,
})

/** Locks a browser until the transaction ends, so that it is not signed out meanwhile. */
export const holdBrowser = write('browsers.hold', {
  params: { id: c.uuid, person: c.int8 },
  row: { id: c.uuid },
  text: `select id from browsers where id = :id and person_id = :person for share`,
})

export const deleteBrowser = write('browsers.delete', {
  params: { id: c.uuid, person: c.int8 },
  row: { id: c.uuid },
  text: `delete from browsers where id = :id and person_id = :person returning id`,
})

export const findExpiry = read('browsers.findExpiry', {
  params: { id: c.uuid },
  row: { created_at: c.timestamptz, expires_at: c.timestamptz },
  text: `select created_at, expires_at from browsers where id = :id`,
})

export const moveBrowser = write('browsers.move', {
  params: { id: c.uuid, person: c.int8, epoch: c.int4 },
  row: { id: c.uuid },
  text: `update browsers set epoch = :epoch where id = :id and person_id = :person returning id`,
})

/**
 * Updates each row at most once per interval, whichever process asks. A locked row is skipped; the browser's next use
 * updates it.
 */
export const touchBrowsers = write('browsers.touch', {
  params: { rows: c.json, everyMinutes: c.int4 },
  row: { id: c.uuid },
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
  id: c.uuid,
  device: c.text,
  door: c.text,
  address: nullable(c.text),
  created_at: c.instant,
  last_used_at: c.instant,
}

export const listOfPerson = read('browsers.listOfPerson', {
  params: { person: c.int8, now: c.timestamptz },
  row: SHOWN,
  text: `
    select b.id, b.device, b.door, b.address, b.created_at, b.last_used_at
      from browsers b join people p on p.id = b.person_id
     where b.person_id = :person and b.expires_at > :now and b.epoch = p.epoch
     order by b.last_used_at desc, b.created_at desc limit 100`,
})

/** Lists all browsers of a person, including expired ones that have not been deleted yet. */
export const listAllOfPerson = read('browsers.listAllOfPerson', {
  params: { person: c.int8 },
  row: { ...SHOWN, expires_at: c.instant },
  gather: false,
  text: `
    select id, device, door, address, created_at, last_used_at, expires_at
      from browsers where person_id = :person order by created_at, id`,
})

export const deleteOld = deleteOlder('browsers.deleteOld', { table: 'browsers', key: { id: c.uuid }, by: 'expires_at' })
