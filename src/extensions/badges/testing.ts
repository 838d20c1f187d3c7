import assert from 'node:assert/strict'
import { openSchool } from '../../learning/courses/testing.ts'
import { Client, type Person, type TestApp } from '../../operations/testing/testing.ts'
import { registerTestPlugin, type TestPlugin } from '../plugins/testing.ts'

export const AI = '/plugin/v2/ai'
export const BADGE = `${AI}/badge`
export const ASSERTION = `${BADGE}/assertion`

/** A plugin with an HTTP client, and a function that returns the plugin's userId of a person. */
export interface Helper extends TestPlugin {
  readonly client: Client
  userIdOf(person: Person): Promise<string>
}

export async function openHelper(
  app: TestApp,
  what: Partial<Parameters<typeof registerTestPlugin>[1]> & { key: string },
): Promise<Helper> {
  const plugin = await registerTestPlugin(app, { kind: 'ai', ...what })
  return {
    ...plugin,
    client: new Client(app.address, plugin.basic),
    // Creates the plugin's userId of the person if it does not exist. The userId stays even if the plugin loses access
    // to the person.
    userIdOf: async (person) => {
      const userId = `${what.key}-${person}-${'x'.repeat(12)}`
      await app.sql(
        `insert into plugin_users (user_id, plugin_id, person_id) select '${userId}', ${plugin.pluginId}, id from people where handle = '@${person}' on conflict do nothing`,
      )
      const [row] = await app.sql(
        `select user_id from plugin_users u join people p on p.id = u.person_id where u.plugin_id = ${plugin.pluginId} and p.handle = '@${person}'`,
      )
      return String(row!.user_id)
    },
  }
}

/**
 * Creates the organisation `school` with the course, Avery and Blake, and the organisation `other` with a course of its
 * own, Blake and Drew.
 */
export async function openSchools(app: TestApp): Promise<void> {
  await openSchool(app)
  await app.sql(
    `insert into organisations (key, name, created_at) values ('other', 'Other', now());
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'member' from (values ('school', '@avery'), ('school', '@blake'), ('other', '@blake'), ('other', '@drew')) r(key, handle)
       join organisations o on o.key = r.key join people p on p.handle = r.handle;
     with made as (insert into courses (key, organisation_id, created_at) select 'elsewhere', id, now() from organisations where key = 'other' returning id),
     version as (insert into course_versions (course_id, number, name, description, is_public, document, published_at) select id, 1, 'Elsewhere', '', false, '{}', now() from made returning id, course_id)
     insert into objectives (key, course_id) select 'far', course_id from version;
     update courses k set version_id = v.id from course_versions v where v.course_id = k.id and k.key = 'elsewhere'`,
  )
}

export const earned = (userId: string, more: object = {}) => ({
  userId,
  badgeId: 'own-badge',
  name: 'Own badge',
  type: 'skill',
  image: 'https://badges.example.org/own.png',
  issuedOn: '2026-05-01T12:00:00.000Z',
  issuerName: 'Helper',
  ...more,
})

export async function addBadge({ client }: Helper, what: object): Promise<string> {
  const { status, text, body } = await client.post(BADGE, { name: 'Badge', ...what })
  assert.equal(status, 200, text)
  return body.badgeId
}
