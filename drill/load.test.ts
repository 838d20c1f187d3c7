import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createTestDatabase, runSql } from '../src/kernel/database/test-database.ts'
import { databaseUrl, installServer } from '../src/operations/testing/machine.ts'
import { SECRET_KEY } from '../src/operations/testing/testing.ts'
import { startLoad } from './load.ts'
import { startReceiver } from './receiver.ts'
import { isPassed, toJson, toMarkdown } from './report.ts'
import { makeSchool, PLUGIN, prepare } from './school.ts'
import { verify } from './verify.ts'

const MAIN = fileURLToPath(new URL('../bin/groundschool.js', import.meta.url))

test('a killed platform loses nothing that it acknowledged, and what is lost or doubled is reported', async (t) => {
  const { connection, drop } = await createTestDatabase()
  t.after(drop)
  const receiver = await startReceiver({ host: '127.0.0.1', port: 0, ...PLUGIN, loseEvery: 10 })
  t.after(() => receiver.close())
  const settings = { DATABASE_URL: databaseUrl(connection), SECRET_KEY, DEMO: 'off' }
  const server = await installServer(t, settings)
  const school = join(server.dataDir, 'school.json')
  writeFileSync(school, JSON.stringify(makeSchool(`http://127.0.0.1:${receiver.port}`)))
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: server.dataDir, ...settings }
  await promisify(execFile)(process.execPath, [MAIN, 'import', school], { env })
  await server.start()

  const target = { url: server.nobody.address }
  const setup = await prepare(target, receiver)
  const load = await startLoad(target, setup, { settleMs: 1_000 })
  t.after(() => load.stop())
  await delay(2_000)
  const recovering = load.recovered('kill', 20_000)
  await server.kill()
  await server.start()
  const recovery = await recovering
  assert.ok(recovery.writeGapMs > 100 && recovery.refused > 0, JSON.stringify(recovery))
  const ledger = await load.stop()
  const verification = await verify(target, setup, ledger, 20_000)
  const report = { rounds: [{ node: 'platform', ...recovery }], verification }
  t.diagnostic(toMarkdown(report))
  assert.deepEqual(verification.differences, [])
  assert.ok(isPassed(report))
  assert.ok(Object.values(verification.acknowledged).every((count) => count > 10))

  await t.test('verification reports exactly what is missing', async () => {
    const session = ledger.sessions.find(({ state }) => state === 'open')!
    const attempt = ledger.attempts.find(({ isComplete }) => isComplete)!
    const statement = ledger.statements.find(({ id }) => id !== undefined)!
    const request = ledger.requests.find(({ statuses }) => statuses.includes('completed'))!
    void [session, attempt, statement, request, toJson, runSql]
  })
})
