import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSql } from '../../kernel/database/test-database.ts'
import { ownDatabase, runAll } from './testing.ts'

test('keys of the record store are added, listed, changed, renewed and revoked', async () => {
  const { settings, drop } = await ownDatabase()
  const made = await runAll([
    { args: ['credential', 'add', 'Simulator', '--scope', 'state', '--scope', 'define', '--library'], settings },
    { args: ['credential', 'add', 'Other', '--scope', 'all', '--environment', 'sandbox'], settings },
  ])
  const [key, other] = made.map(({ out }) => /^key {5}(\S+)\nsecret {2}gs_(?:sbx_)?cs_\S{40,}\n$/.exec(out)?.[1])
  assert.match(key!, /^gs_key_/)
  assert.match(other!, /^gs_sbx_key_/)
  const mail = '{"mbox":"mailto:lab@example.org"}'
  const steps: [args: string[], said: RegExp][] = [
    [['add', 'Wrong'], /^--scope is missing\./],
    [['add', 'Wrong', '--scope', 'all', '--authority', '['], /^--authority must be an xAPI agent as JSON/],
    [
      ['add', 'Wrong', '--scope', 'all', '--expires', 'soon'],
      /^--expires must be a date such as 2027-01-31, not 'soon'/,
    ],
    [['add', 'Lab', '--scope', 'all', '--authority', mail, '--expires', '2100-01-31'], /^key {5}gs_key_/],
    [['update', key!], /^Use at least one option/],
    [['update', key!, '--suspend', '--resume'], /^Use either --suspend or --resume/],
    [['update', key!, '--library', 'perhaps'], /^--library must be on or off, not 'perhaps'/],
    [
      ['update', key!, '--suspend', '--name', 'Simulator 3', '--library', 'off'],
      /\tsuspended\tstate define\tnever expires\tSimulator 3\n$/,
    ],
    [['update', key!, '--resume', '--never-expires', '--scope', 'profile'], /\tactive\tprofile\tnever expires\t/],
    [['rotate', key!], /^secret {2}gs_cs_\S{40,}\n$/],
    [['rotate', key!, '--drop-old'], /^Only the newest secret is left\.\n$/],
    [
      ['list'],
      new RegExp(`^gs_key_\\S+\tactive\tall\tnever used\tLab\n${key}\tactive\tprofile\tnever used\tSimulator 3\n$`),
    ],
    [['list', '--environment', 'sandbox'], new RegExp(`^${other}\tactive\tall\tnever used\tOther\n$`)],
    [['revoke', other!], /^gs_sbx_key_\S+ was revoked\.\n$/],
    [['revoke', 'gs_key_unknown'], /^The record store has no such key\n$/],
  ]
  try {
    const done = await runAll(steps.map(([args]) => ({ args: ['credential', ...args], settings })))
    for (const [i, { out, err }] of done.entries()) assert.match(out || err, steps[i]![1], steps[i]![0].join(' '))
    const inSandbox = ['--environment', 'sandbox']
    const lists = [
      ['list', '--json'],
      ['list', '--json', ...inSandbox],
    ]
    const [json, sandbox] = await runAll(lists.map((args) => ({ args: ['credential', ...args], settings })))
    const [lab, simulator] = JSON.parse(json!.out)
    assert.deepEqual(
      [lab.name, lab.authority.mbox, lab.expiresDate],
      ['Lab', 'mailto:lab@example.org', '2100-01-31T00:00:00.000Z'],
    )
    assert.deepEqual([simulator.key, simulator.status, simulator.scopes], [key, 'active', ['profile']])
    assert.doesNotMatch(json!.out, /_cs_/, 'secrets are shown once')
    assert.deepEqual(
      JSON.parse(sandbox!.out).map(({ key, status }: Record<string, string>) => [key, status]),
      [[other, 'revoked']],
    )
    const log = await runSql(
      { connectionString: settings.DATABASE_URL! },
      `select distinct action, address, person_id from gs_production.audit_entries where action like 'credential.%' order by 1`,
    )
    const actions = ['added', 'changed', 'secret-added', 'secrets-dropped']
    assert.deepEqual(
      log,
      actions.map((action) => ({ action: `credential.${action}`, address: 'command line', person_id: null })),
    )
  } finally {
    await drop()
  }
})
