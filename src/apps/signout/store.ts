import { c, nullable, read } from '../../kernel/database/statement.ts'

/** Finds an app, with the person whom an ID token is about (`user`), who may have been deleted. */
export const findParties = read('signout.findParties', {
  params: { client: c.text, user: nullable(c.text) },
  row: {
    id: c.int8,
    client_id: c.text,
    name: c.text,
    status: c.text,
    uris: c.textArray,
    person_id: nullable(c.int8),
  },
  text: `
    select a.id, a.client_id, a.name, a.status, coalesce(a.post_logout_redirect_uris, '{}') as uris, u.person_id
      from apps a left join app_users u on u.user_id = :user and u.app_id = a.id
     where a.client_id = :client`,
})
