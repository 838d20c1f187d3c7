import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startExample } from '../../examples/testing.ts'
import { TestBrowser } from '../testing/browser.ts'
import { installUsedServer } from '../testing/machine.ts'
import { findFreePort } from '../testing/ports.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The code of a page in docs/, by its language, from a heading to the next one, or all of it. */
function examplesIn(file: string, heading: string | undefined, language: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const section = heading === undefined ? text : text.split(/^## /m).find((part) => part.startsWith(heading))
  assert.ok(section, `${file} has no section ${heading}`)
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code!)
}

test('what README.md, docs/how-to-sign-in.md, docs/buckets.md, docs/learning.md, docs/xapi.md and docs/plugins.md show works as it stands', async (t) => {
  const server = await installUsedServer(t)
  await server.start()
  const base = server.nobody.address.replace('127.0.0.1', 'localhost')
  const folder = mkdtempSync(join(tmpdir(), 'gs-examples-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const run = async (script: string) =>
    (await promisify(execFile)('sh', ['-euc', script.replaceAll('http://localhost:4000', base)], { cwd: folder }))
      .stdout

  /** What a script printed that is JSON. A stream has no end; one that is left after a while is what curl calls a failure. */
  const answersOf = async (file: string, heading?: string) => {
    const output = await run(
      examplesIn(file, heading, 'sh')
        .join('\n')
        .replace(/^curl -sN .*$/m, '$& || true'),
    )
    const answers = output
      .split('\n')
      .filter((line) => /^[{[]/.test(line))
      .map((line) => JSON.parse(line))
    return { output, answers, codes: answers.flatMap(({ error_code: code }) => code ?? []) }
  }

  await t.test('the tour', async () => {
    const { output, answers, codes } = await answersOf('README.md', 'A tour in five minutes')
    assert.deepEqual(codes, [], output)
    assert.equal(answers.length, 11, output)
    assert.match(output, /"result":"PASS","score":90/)
    assert.match(output, /"statements":\[\{/)
    assert.match(output, /"requestId":"[^"]+"/)
  })

  await t.test('buckets', async () => {
    const { output, answers, codes } = await answersOf('docs/buckets.md')
    // Before it is shared.
    assert.deepEqual(codes, [4032], output)
    assert.equal(answers.length, 12, output)
    assert.match(output, /^event: ready$/m)
    const [first, again] = answers.slice(-3)
    assert.deepEqual(first, again)
  })

  await t.test('with nothing but curl: code, exchange, call, refresh, logout', async () => {
    const lines = (await run(examplesIn('docs/how-to-sign-in.md', 'With nothing but curl', 'sh').join('\n')))
      .trim()
      .split('\n')
    const [tokens, state, refreshed, out] = lines.map((line) => JSON.parse(line))
    assert.deepEqual(Object.keys(tokens), ['access_token', 'refresh_token', 'expires_in', 'token_type'])
    assert.equal(state.valid, true)
    assert.notEqual(refreshed.refresh_token, tokens.refresh_token)
    assert.deepEqual(out, { success: true })
  })

  await t.test('with a standard library', async (t) => {
    const [program] = examplesIn('docs/how-to-sign-in.md', 'With a standard library', 'js')
    const port = String(await findFreePort())
    const file = join(ROOT, `node_modules/.cache/signing-in-${process.pid}.mjs`)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, program!.replaceAll('http://localhost:4000', base).replaceAll('5055', port))
    t.after(() => rmSync(file))
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => child.kill())
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
    while (!/^Open (\S+)\n/.test(output)) await once(child.stdout, 'data')
    const browser = new TestBrowser(base)
    const page = await browser.send(/^Open (\S+)\n/.exec(output)![1]!)
    let seen = await browser.submit(page, { handle: '@blake', password: 'groundschool' })
    if (seen.location === undefined) seen = await browser.submit(seen, { decision: 'allow' })
    assert.equal(await (await fetch(seen.location!)).text(), 'Signed in. You can close this page.')
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
    assert.match(output, /access_token: 'gs_at_/)
  })

  await t.test('on a device without a browser', async () => {
    const [ask, poll] = examplesIn('docs/how-to-sign-in.md', 'On a device without a browser', 'sh')
    const grant = JSON.parse(await run(ask!))
    assert.equal(grant.verification_uri, `${base}/device`)
    const answer = JSON.parse(await run(`BASE=${base}\nDEVICE_CODE=${grant.device_code}\n${poll}`))
    assert.equal(answer.error, 'authorization_pending')
  })

  await t.test('reporting progress', async () => {
    const { output, answers, codes } = await answersOf('docs/learning.md')
    assert.equal(answers.length, 28, output)
    // The start that is repeated without its key.
    assert.deepEqual(codes, [4091], output)
    assert.match(output, /^event: ready$/m)
    assert.match(output, /"uri":"[^"]+&studentId=student-avery&code=gs_ac_/)
  })

  await t.test('statements and the record store', async () => {
    const { output, answers, codes } = await answersOf('docs/xapi.md')
    // The statement that is wrong.
    assert.deepEqual(codes, [4003], output)
    assert.equal(answers.length, 10, output)
    assert.match(output, /^event: ready$/m)
    assert.match(output, /"count":1,/)
    assert.deepEqual(answers.at(-1), { page: 7 })
  })

  await t.test('writing a plugin', async (t) => {
    // The examples listen elsewhere here than the demo data says, so that two suites can run on one machine.
    const [aiPort, atoPort, ownPort] = [await findFreePort(), await findFreePort(), await findFreePort()].map(String)
    const [ai, ato] = [`http://localhost:${aiPort}`, `http://localhost:${atoPort}`]
    const drew = new TestBrowser(base)
    const call = (path: string, body: object) =>
      drew.send(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
    await call('/account/v1/signin', { handle: '@drew', password: 'groundschool' })
    for (const moved of [
      { clientId: 'gs-demo-ai', addresses: { capabilities: `${ai}/capabilities`, candidates: `${ai}/candidates` } },
      {
        clientId: 'gs-demo-ato',
        addresses: { request: `${ato}/request`, distributions: `${ato}/distributions` },
        redirectUris: [`${ato}/callback`],
      },
    ])
      assert.equal((await call('/plugin/v1/plugin', moved)).status, 200)
    const [engine, helper] = [
      await startExample(t, 'ai-plugin', { PLATFORM_URL: base, PORT: aiPort! }),
      await startExample(t, 'ato-plugin', {
        PLATFORM_URL: base,
        PORT: atoPort!,
        DATA_FILE: join(folder, 'requests.json'),
      }),
    ]

    const [program] = examplesIn('docs/plugins.md', '5. Your own', 'js')
    writeFileSync(join(folder, 'my-plugin.mjs'), program!.replaceAll('4103', ownPort!))
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const commands = examplesIn('docs/plugins.md', undefined, 'sh')
      .join('\n')
      .replaceAll('4102', atoPort!)
      .replaceAll('4103', ownPort!)
      .replaceAll('node my-plugin', `${process.execPath} my-plugin`)
    const output = await run(`PLUGIN=; trap 'kill $PLUGIN 2>/dev/null || true' EXIT\n${commands}`)
    const answers = output.split('\n').filter((line) => /^[{[]/.test(line))
    assert.deepEqual(
      answers.filter((line) => line.startsWith('{"error')),
      [],
      output,
    )
    assert.equal(answers.length, 30, output)
    assert.match(output, /^started Demo app for schools \[/m)
    assert.match(output, /^ships 3 \[/m)
    assert.match(output, /"status":"completed"/)
    assert.match(output, /"candidates":\[\{"handle":"@/)
    await helper.wrote(/request started: Demo app for schools of Demo app, distributions: 1; open/)
    await helper.wrote(/distributions changed: request \S+ has Windows installer 2\.4\.0, Headset build 2\.4\.1/)
    await engine.wrote(/search \S+: \d+ capabilities for "somebody who knows the preflight"/)
    await engine.wrote(/search \S+: 3 candidates/)
  })
})
