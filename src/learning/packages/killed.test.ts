import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, globSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { TestBrowser } from '../../operations/testing/browser.ts'
import { databaseUrl, installServer } from '../../operations/testing/machine.ts'
import { size } from '../../operations/testing/sizes.ts'
import { SECRET_KEY, testApp } from '../../operations/testing/testing.ts'
import { removeAbandoned } from '../content/temporary.ts'
import { removeUnused } from '../content/upload.ts'
import { openSchool } from '../courses/testing.ts'
import { makePackage, uploadPackage } from './testing.ts'

const KILLS = size(20)
const SENDERS = 3
const FILES = 40

test(`killed ${KILLS} times during uploads: each package is complete or not there, and its space is freed`, async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSchool(app)
  const finley = await signInBrowser(app, 'finley')
  await app.platform.stop()
  const { DATA_DIR } = app.environment().config
  const settings = { DATABASE_URL: databaseUrl(app.connection), SECRET_KEY, DEMO: 'off', DATA_DIR }
  const server = await installServer(t, settings)
  const browser = new TestBrowser(server.nobody.address)
  for (const [name, value] of finley.cookies) browser.cookies.set(name, value)
  const acknowledged = new Set<string>()
  let [isUp, broken] = [false, 0]
  const keepUploading = async () => {
    while (isUp) {
      const files = Object.fromEntries(Array.from({ length: FILES }, (_, i) => [`media/${i}.bin`, randomBytes(20_000)]))
      const answer = await uploadPackage(browser, makePackage(files)).catch(() => undefined)
      if (answer?.status === 200) acknowledged.add(answer.body.packageId)
      else broken++
    }
  }
  for (let kill = 0; kill < KILLS; kill++) {
    await server.start()
    isUp = true
    const senders = Array.from({ length: SENDERS }, keepUploading)
    const wanted = acknowledged.size + 2
    await until('some are stored', () => acknowledged.size >= wanted, 60_000)
    await sleep(Math.random() * 300)
    isUp = false
    await server.kill()
    await Promise.all(senders)
  }
  t.diagnostic(`${acknowledged.size} packages acknowledged, ${broken} uploads broken off`)
  assert.ok(broken >= KILLS, String(broken))

  const connections = `select from pg_stat_activity where datname = current_database() and application_name like 'groundschool%'`
  await until('the last transactions have ended', async () => (await app.sql(connections)).length === 0)
  const found = await app.sql(
    `select p.key, p.files, p.units, count(f.*)::int as stored, (select count(*)::int from package_items i where i.package_id = p.id) as items,
            array_agg(f.sha256) || p.sha256 as contents
       from packages p left join package_files f on f.package_id = p.id group by p.id`,
  )
  const isStored = (sha256: string) => existsSync(join(DATA_DIR, 'files', 'production', sha256.slice(0, 2), sha256))
  for (const { key, files, stored, units, items, contents } of found) {
    assert.deepEqual({ files, units, items }, { files: FILES + 2, units: 1, items: 1 })
    assert.equal(stored, files)
    assert.ok((contents as string[]).every(isStored), `a file of ${key} is missing`)
    acknowledged.delete(String(key))
  }
  assert.deepEqual([...acknowledged], [])

  const second = await app.startSecond()
  const environment = second.environments[0]!
  await app.sql(`update file_contents set used_at = now() - interval '2 hours'`)
  await removeUnused(environment)
  const held = await app.sql(
    `select count(distinct sha256)::int as n from (select sha256 from packages union all select sha256 from package_files) f`,
  )
  assert.equal(globSync('files/production/*/*', { cwd: DATA_DIR }).length, held[0]!.n)
  const usage = await app.sql(
    `select (select sum(stored_bytes)::float8 from packages) as packages, (select sum(used_bytes)::float8 from file_storage) as counted`,
  )
  assert.equal(usage[0]!.counted, usage[0]!.packages)
  const temporary = () => globSync('uploads/*/*', { cwd: DATA_DIR })
  for (const path of temporary()) utimesSync(join(DATA_DIR, path), 0, 0)
  await removeAbandoned(environment)
  assert.deepEqual(temporary(), [])
})
