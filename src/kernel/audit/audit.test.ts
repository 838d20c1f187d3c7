import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setAppStatus, setAppStorage } from '../../apps/apps/apps.ts'
import { changePassword, disablePerson } from '../../identity/people/people.ts'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import { tidy } from '../../operations/platform/upkeep.ts'
import { testApp } from '../../operations/testing/testing.ts'
import type { Caller } from '../caller.ts'
import type { AuditAction } from './actions.ts'
import { recordAudit } from './audit.ts'

const OPERATOR: Caller = { at: new Date('2026-05-01T12:00:00.000Z'), requestId: 'audit-test', address: '192.0.2.9' }
const DAY_MS = 86_400_000

test('the audit log', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const { db } = app.environment()
  const entries = () =>
    app.sql(
      `select e.at, e.action, p.handle_key as person, a.client_id as app, e.session_id, e.address, e.request_id, e.detail::text
         from audit_entries e left join people p on p.id = e.person_id left join apps a on a.id = e.app_id order by e.id`,
    )
  const common = {
    at: OPERATOR.at,
    person: null,
    app: null,
    session_id: null,
    address: OPERATOR.address,
    request_id: OPERATOR.requestId,
    detail: '{}',
  }

  await t.test('records who did what to whom, when and from where, and no secret', async () => {
    await changePassword(db, OPERATOR, { handle: '@avery', password: 'a new password' })
    await disablePerson(db, OPERATOR, { handle: '@blake', isDisabled: true }, FORGETTING)
    await disablePerson(db, OPERATOR, { handle: '@blake', isDisabled: false }, FORGETTING)
    await setAppStatus(db, OPERATOR, { clientId: 'gs-first', status: 'suspended' })
    await setAppStatus(db, OPERATOR, { clientId: 'gs-first', status: 'approved' })
    await setAppStorage(db, OPERATOR, { clientId: 'gs-first', bytes: 2048 })
    const found = await entries()
    assert.deepEqual(found, [
      { ...common, action: 'password.changed', person: 'avery' },
      { ...common, action: 'sessions.ended', person: 'avery', detail: '{"reason":"password changed"}' },
      { ...common, action: 'person.disabled', person: 'blake' },
      { ...common, action: 'sessions.ended', person: 'blake', detail: '{"reason":"person disabled"}' },
      { ...common, action: 'person.enabled', person: 'blake' },
      { ...common, action: 'app.suspended', app: 'gs-first' },
      { ...common, action: 'app.approved', app: 'gs-first' },
      { ...common, action: 'app.storage', app: 'gs-first', detail: '{"bytes":2048}' },
    ])
    assert.doesNotMatch(JSON.stringify(found), /a new password|argon2/)
  })

  await t.test('contains nothing of rolled back transactions, and everything of committed ones', async () => {
    const before = (await entries()).length
    const failing = db.transaction(async (tx) => {
      await recordAudit(tx, OPERATOR, { action: 'import' })
      throw new Error('undone')
    })
    await assert.rejects(failing, /undone/)
    await assert.rejects(changePassword(db, OPERATOR, { handle: '@nobody', password: 'long enough' }), { code: 4042 })
    await assert.rejects(setAppStatus(db, OPERATOR, { clientId: 'gs-none', status: 'approved' }), { code: 4041 })
    assert.equal((await entries()).length, before)
  })

  await t.test('is separate for each environment', async () => {
    assert.deepEqual(await app.sql('select action from audit_entries', 'sandbox'), [])
  })
})

test('the audit log is kept for AUDIT_DAYS, and no longer', async (t) => {
  const app = await testApp(t, { AUDIT_DAYS: '60' })
  const environment = app.environment()
  const record = (action: AuditAction) =>
    recordAudit(environment.db, { ...OPERATOR, at: environment.clock() }, { action })
  const kept = async () => (await app.sql('select action from audit_entries order by id')).map(({ action }) => action)
  await record('verb.added')
  app.advance(30 * DAY_MS)
  await record('verb.removed')
  app.advance(29 * DAY_MS)
  await tidy(environment)
  assert.deepEqual(await kept(), ['verb.added', 'verb.removed'])
  app.advance(2 * DAY_MS)
  await tidy(environment)
  assert.deepEqual(await kept(), ['verb.removed'])
})
