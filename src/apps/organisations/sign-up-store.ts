import { c, nullable, read, write } from '../../kernel/database/statement.ts'

export const findSettings = read('organisations.findSignUp', {
  params: { organisation: c.text },
  row: { id: c.int8, key: c.text, name: c.text, domains: c.textArray, code: nullable(c.text) },
  text: `
    select id, key, name, sign_up_domains as domains, sign_up_code as code from organisations where key = :organisation`,
})

export const setSettings = write('organisations.setSignUp', {
  params: { organisation: c.int8, domains: c.textArray, code: nullable(c.text) },
  row: { id: c.int8 },
  text: `
    update organisations set sign_up_domains = :domains, sign_up_code = :code where id = :organisation returning id`,
})

/** Reads what decides whether a person may join: the confirmed address, the age, and whether they are a member. */
export const findJoiner = read('organisations.findSignUpPerson', {
  params: { person: c.int8, organisation: c.int8 },
  row: { email: nullable(c.text), date_of_birth: nullable(c.text), is_member: c.bool },
  text: `
    select case when p.email_confirmed_at is not null then p.email end as email, to_char(p.date_of_birth, 'YYYY-MM-DD') as date_of_birth,
           exists (select from organisation_members m where m.organisation_id = :organisation and m.person_id = p.id) as is_member
      from people p where p.id = :person`,
})
