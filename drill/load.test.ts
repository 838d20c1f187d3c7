import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createTestDatabase, runSql, until } from '../src/kernel/database/test-database.ts'
import { schemaOf } from '../src/kernel/environment.ts'
import { hashToken } from '../src/kernel/sessions/tokens.ts'
import { databaseUrl, installServer } from '../src/operations/testing/machine.ts'
import { SECRET_KEY } from '../src/operations/testing/testing.ts'
import type { AtoRequest, Attempt, Bucket, Difference, Ledger, Statement } from './ledger.ts'
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
  const load = await startLoad(target, setup, { settleMs: 1_000, writesPerSecond: 150 })
  t.after(() => load.stop())
  const hasWritten = ({ attempts, requests, statements }: Ledger) =>
    attempts.filter(({ isComplete }) => isComplete).length >= 3 &&
    requests.filter(({ alert }) => alert).length >= 5 &&
    statements.filter(({ id }) => id).length >= 20
  await until('there is enough to verify', () => hasWritten(load.ledger), 30_000)
  const recovering = load.recovered('kill', 60_000)
  recovering.catch(() => {})
  await server.kill()
  await server.start()
  const recovery = await recovering
  assert.ok(recovery.writeGapMs > 100 && recovery.refused > 0, JSON.stringify(recovery))
  const ledger = await load.stop()
  const verification = await verify(target, setup, ledger)
  const report = { rounds: [{ node: 'platform', ...recovery }], verification }
  t.diagnostic(toMarkdown(report))
  assert.deepEqual(verification.differences, [])
  assert.partialDeepStrictEqual(toJson(report), { passed: true, nodes: [{ name: 'platform', rounds: 1 }] })
  assert.ok(Object.values(verification.acknowledged).every((count) => count > 10))

  await t.test('verification reports exactly what was lost, doubled and changed, and nothing else', async () => {
    const session = ledger.sessions.findLast(({ state }) => state === 'open')!
    const [bucket, another] = ledger.buckets as [Bucket, Bucket]
    const counter = bucket.counters[0]!
    const [attempt, scored, repeated] = ledger.attempts.filter(({ isComplete }) => isComplete) as [
      Attempt,
      Attempt,
      Attempt,
    ]
    const [statement, edited, twice] = ledger.statements.filter(({ id, sent }) => id && 'id' in sent) as [
      Statement,
      Statement,
      Statement,
    ]
    const [request, reported] = ledger.requests.filter(({ alert }) => alert) as [AtoRequest, AtoRequest]
    const [unheard, heard, late] = ledger.requests.slice(2).map(({ requestId }) => requestId) as [
      string,
      string,
      string,
    ]
    const copy = (table: string, condition: string, changes: object) =>
      `insert into ${table} overriding system value
       select (jsonb_populate_record(row, '${JSON.stringify(changes)}')).* from ${table} row where ${condition}`
    await runSql(
      connection,
      `set search_path to ${schemaOf('production')};
       delete from sessions where id = (select session_id from access_tokens
         where token_hash = '\\x${hashToken(session.accessToken).toString('hex')}');
       update buckets set data = jsonb_set(data::jsonb, '{${counter.key}}', '${counter.value - 1}') where id = '${bucket.id}';
       update buckets set version = version + 1 where id = '${another.id}';
       delete from attempts where key = '${attempt.lessonResultId}';
       update attempts set score = -1 where key = '${scored.lessonResultId}';
       ${copy('attempts', `key = '${repeated.lessonResultId}'`, { id: -1, key: 'repeated' })};
       insert into statements select (jsonb_populate_record(row, jsonb_build_object('seq', (select min(seq) - 1 from statements)))).*
         from statements row where statement_id = '${twice.id}';
       delete from statements where statement_id = '${statement.id}';
       update statements set payload = replace(payload, '"raw":', '"raw":1') where statement_id = '${edited.id}';
       delete from ato_entries where kind = 'alert' and detail::text like '%${request.alert}%';
       ${copy('ato_entries', `kind = 'alert' and detail::text like '%${reported.alert}%'`, { id: -1 })}`,
    )
    const { deliveries } = receiver
    const startOf = (id: string) => deliveries.findIndex((one) => one.requestId === id && one.purpose === 'request')
    deliveries.push({ ...deliveries[startOf(heard)]!, id: 'another id' })
    deliveries.push({ ...deliveries[startOf(late)]!, text: 'another text' })
    const unheardStart = deliveries[startOf(unheard)]!.id
    receiver.deliveries.splice(0, Infinity, ...deliveries.filter(({ id }) => id !== unheardStart))

    const found = (await verify(target, setup, ledger, 0)).differences
    const expected: [Difference['kind'], Difference['problem'], string | undefined][] = [
      ['session', 'lost', session.handle],
      ['bucket', 'lost', `${counter.key} of ${bucket.id}: ${counter.value} is ${counter.value - 1}`],
      ['bucket', 'doubled', another.id],
      ['progress', 'lost', attempt.lessonResultId],
      ['progress', 'lost', scored.lessonResultId],
      ['progress', 'doubled', 'repeated'],
      ['statement', 'lost', statement.id],
      ['statement', 'changed', edited.id],
      ['statement', 'doubled', twice.id],
      ['request', 'lost', request.alert],
      ['request', 'doubled', reported.alert],
      ['event', 'lost', unheard],
      ['event', 'doubled', heard],
      ['event', 'changed', deliveries[startOf(late)]!.id],
    ]
    const rest = expected.reduce((left, [kind, problem, what]) => {
      const place = left.findIndex((one) => one.kind === kind && one.problem === problem && one.what.includes(what!))
      assert.notEqual(place, -1, `${kind} ${problem} ${what} is not among ${JSON.stringify(found, null, 1)}`)
      return left.toSpliced(place, 1)
    }, found)
    assert.deepEqual(rest, [])
    assert.ok(!isPassed({ ...report, verification: { ...verification, differences: found } }))
  })
})
