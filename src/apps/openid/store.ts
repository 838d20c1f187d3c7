import { c, nullable, read } from '../../kernel/database/statement.ts'

/** Reads what userinfo says about a person. */
export const findPerson = read('openid.findPerson', {
  params: { person: c.int8 },
  row: {
    handle: c.text,
    first_name: c.text,
    last_name: c.text,
    email: nullable(c.text),
    email_confirmed: c.bool,
  },
  text: `
    select handle, first_name, last_name, email, email_confirmed_at is not null as email_confirmed
      from people where id = :person`,
})

/** Finds the person's id in an app, whether or not the consent is withdrawn. */
export const findUser = read('openid.findUser', {
  params: { app: c.int8, person: c.int8 },
  row: { user_id: c.text },
  text: `select user_id from app_users where app_id = :app and person_id = :person`,
})
