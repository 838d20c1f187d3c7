import assert from 'node:assert/strict'
import type { EnvironmentName } from '../../kernel/config.ts'
import { type Answer, Client, type TestApp } from '../../operations/testing/testing.ts'

export const PROFILE = '/user/v1/my/profile'
export const ADULT = '1990-01-31'

/** An anonymous user, as seen by the app. */
export interface Anonymous {
  readonly answer: Answer
  readonly client: Client
  readonly userId: string
  readonly refreshToken: string
}

/** Creates an anonymous user over HTTP: by default an adult of the first app, in production. */
export async function join(app: TestApp, fields: object = {}, environment?: EnvironmentName): Promise<Anonymous> {
  const nobody = app.nobody(environment)
  const clientId = environment === 'sandbox' ? 'gs-sbx-first' : 'gs-first'
  const answer = await nobody.put(PROFILE, { anonymous: true, clientId, dateOfBirth: ADULT, ...fields })
  assert.equal(answer.status, 200, answer.text)
  const { userId } = answer.body
  const client = new Client(nobody.address, answer.headers.get('access_token')!, userId)
  return { answer, client, userId, refreshToken: answer.headers.get('refresh_token')! }
}

/** Returns the tables that still have rows of an anonymous user. */
export async function leftOf(
  app: TestApp,
  { userId, answer }: Pick<Anonymous, 'userId' | 'answer'>,
  environment?: EnvironmentName,
): Promise<string[]> {
  const ofUser = `user_id = '${userId}'`
  const places = {
    people: `handle = '${answer.body.handle}'`,
    app_users: ofUser,
    sessions: ofUser,
    access_tokens: `session_id in (select id from sessions where ${ofUser})`,
    bucket_members: ofUser,
    buckets: `'${userId}' = any(users)`,
  }
  const rows = await app.sql(
    Object.entries(places)
      .map(([table, condition]) => `select '${table}' as place where exists (select from ${table} where ${condition})`)
      .join(' union all '),
    environment,
  )
  return rows.map(({ place }) => String(place))
}
