import { c, read, write } from '../../kernel/database/statement.ts'

export const findAnonymousOfSession = read('anonymous.findAnonymousOfSession', {
  params: { session: c.uuid },
  row: { id: c.int8 },
  text: `select p.id from sessions s join people p on p.id = s.person_id where s.id = :session and p.anonymous`,
})

/**
 * Lists anonymous people all of whose sessions have ended or expired, earliest first. Upkeep deletes them, so there are
 * never many.
 */
export const listDeserted = write('anonymous.listDeserted', {
  params: { now: c.timestamptz, limit: c.int8 },
  row: { id: c.int8 },
  text: `
    select p.id from sessions s join people p on p.id = s.person_id
     where s.door = 'anonymous' and least(s.expires_at, s.ended_at) <= :now and p.anonymous
       and not exists (select from sessions o where o.person_id = p.id and o.ended_at is null and o.expires_at > :now)
     order by least(s.expires_at, s.ended_at) limit :limit`,
})

/** Locks the sessions of a person, so that none is refreshed until the transaction ends. */
export const lockSessions = write('anonymous.lockSessions', {
  params: { person: c.int8, now: c.timestamptz },
  row: { is_over: c.bool },
  text: `
    select ended_at is not null or expires_at <= :now as is_over from sessions where person_id = :person for update`,
})

export const listOfApp = write('anonymous.listOfApp', {
  params: { client: c.text },
  row: { id: c.int8 },
  text: `
    select p.id from apps a join app_users u on u.app_id = a.id join people p on p.id = u.person_id
     where a.client_id = :client and p.anonymous order by p.id`,
})
