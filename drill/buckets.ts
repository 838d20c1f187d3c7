import { randomUUID } from 'node:crypto'
import { bearer, type Client, describe, key } from './client.ts'
import type { Bucket, Ledger, Report } from './ledger.ts'
import type { Run } from './run.ts'
import { type Person, type Setup, WRITERS } from './school.ts'

export const openBuckets = ({ buckets }: Setup): Bucket[] =>
  buckets.map(({ id, version }) => ({ id, created: version, version, acknowledged: 0, counters: [] }))

/** Counts under the person's own key of a bucket, to which others write too. */
export async function driveBuckets(run: Run, person: Person, index: number): Promise<void> {
  const { client, ledger } = run
  const bucket = ledger.buckets[Math.floor(index / WRITERS)]!
  const counter = { key: `count${index}`, token: person.token, sent: 0, value: 0 }
  bucket.counters.push(counter)
  while (!run.isOver()) {
    const before = bucket.version
    const value = ++counter.sent
    const answer = await client.write(ledger.watch, 'bucket', {
      method: 'POST',
      path: '/app/v1/bucket',
      body: { id: bucket.id, key: counter.key, value },
      headers: { ...bearer(person.token), ...key(randomUUID()) },
    })
    const place = `${counter.key} of ${bucket.id}`
    if (answer.status !== 200) ledger.report('bucket', 'unexpected', `${place}: ${describe(answer)}`)
    else {
      const { version, data } = answer.body
      counter.value = value
      bucket.acknowledged++
      if (version <= before) ledger.report('bucket', 'lost', `version ${before} of ${bucket.id}; now it is ${version}`)
      if (data[counter.key] !== value)
        ledger.report('bucket', 'changed', `${place} was set to ${value} and became ${data[counter.key]}`)
      bucket.version = Math.max(bucket.version, version)
    }
    await run.pause()
  }
}

/** Checks that each counter has its last value, and that each write took effect once. */
export async function checkBuckets(client: Client, ledger: Ledger, report: Report): Promise<void> {
  for (const { id, created, version, acknowledged, counters } of ledger.buckets) {
    const headers = bearer(counters[0]!.token)
    const answer = await client.read({ method: 'GET', path: '/app/v1/bucket', query: { id }, headers })
    if (answer.status !== 200) {
      report('bucket', 'lost', `${id}: ${describe(answer)}`)
      continue
    }
    const kept = answer.body
    const unknown = counters.filter((counter) => counter.sent > counter.value).length
    for (const counter of counters) {
      const value = kept.data[counter.key] ?? 0
      if (value < counter.value) report('bucket', 'lost', `${counter.key} of ${id}: ${counter.value} is ${value}`)
      if (value > counter.sent) report('bucket', 'changed', `${counter.key} of ${id} is ${value}`)
    }
    if (kept.version < version) report('bucket', 'lost', `version ${version} of ${id}; now it is ${kept.version}`)
    const written = kept.version - created
    if (written > acknowledged + unknown)
      report('bucket', 'doubled', `${id} was written ${written} times, and ${acknowledged} were acknowledged`)
  }
}
