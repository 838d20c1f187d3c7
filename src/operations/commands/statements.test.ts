import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { ownDatabase, runAll } from './testing.ts'

test('old statements are removed from one environment, after showing their number', async () => {
  const { settings, drop } = await ownDatabase()
  const client = new pg.Client(settings.DATABASE_URL)
  try {
    await client.connect()
    await client.query(
      `insert into gs_production.statements (seq, statement_id, payload)
       select n * 1000000, gen_random_uuid(), '{"actor":{"mbox":"mailto:a@example.org"},"verb":{"id":"x:y"},"object":{"id":"x:z"}}' from generate_series(1, 3) n`,
    )
    const line = (text: string) => ({ args: ['statements', 'retention', ...text.split(' ')], settings })
    const [dry, done, again, sandbox, wrong, future] = await runAll([
      line('--before 2020-01-01 --dry-run'),
      line('--before 2020-01-01'),
      line('--before 2020-01-01'),
      line('--before 2020-01-01 --environment sandbox'),
      line('--before yesterday'),
      line('--before 2999-01-01'),
    ])
    const sentence = (many: string, went: string, name = 'production') =>
      `${many} and 0 attachments, including 0 whole months, ${went} from ${name}.\n`
    assert.deepEqual([dry!.code, dry!.out, dry!.err], [0, sentence('3 statements', 'would be deleted'), ''])
    assert.deepEqual([done!.code, done!.out, done!.err], [0, sentence('3 statements', 'were deleted'), ''])
    assert.equal(again!.out, sentence('0 statements', 'were deleted'))
    assert.equal(sandbox!.out, sentence('0 statements', 'were deleted', 'sandbox'))
    assert.deepEqual([wrong!.code, future!.code], [2, 1])
    assert.match(wrong!.err, /--before must be a date/)
    assert.match(future!.err, /before must be in the past/)
    const { rows } = await client.query(
      `select action, address from gs_production.audit_entries where action = 'statements.removed'`,
    )
    assert.deepEqual(rows, [{ action: 'statements.removed', address: 'command line' }])
  } finally {
    await client.end()
    await drop()
  }
})
