import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { type ImageKind, SHAPES } from './rules.ts'
import {
  isDecoding,
  isThere,
  NOT_NOW,
  onLinux,
  openWorker,
  plain,
  slow,
  TOO_MUCH,
  until,
  workersOf,
} from './testing.ts'
import { describe, exifInItself } from './testing-exif.ts'

const small = await plain().png().toBuffer()

/** Waits until a worker is decoding, and returns its process id. */
async function findDecoding(): Promise<number> {
  await until(() => workersOf().some(isDecoding))
  return workersOf().find(isDecoding)!
}

/** Writes a program to a file, to replace the program of the image worker. */
function write(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gs-worker-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'worker-main.mjs')
  writeFileSync(path, text)
  return path
}

test('an image is read in a process of its own, which ends afterwards', onLinux, async (t) => {
  const { make } = openWorker(t)
  for (const kind of ['picture', 'cover'] as ImageKind[]) {
    const sizes = await make(small, { kind })
    assert.deepEqual(
      sizes.map(({ width }) => width),
      SHAPES[kind].widths,
    )
    assert.deepEqual(workersOf(), [])
  }
})

test('the process has a lower priority than the platform, and no access to its secrets', onLinux, async (t) => {
  process.env.SECRET_KEY = 'a secret'
  process.env.DATABASE_URL = 'postgres://somebody:secret@localhost/db'
  t.after(() => {
    delete process.env.SECRET_KEY
    delete process.env.DATABASE_URL
  })
  const { make } = openWorker(t, { name: 'sandbox', maxMs: 60_000 })
  const reading = make(await slow())
  const pid = await findDecoding()
  const read = (path: string) => readFileSync(`/proc/${pid}/${path}`, 'utf8')
  const names = read('environ').split('\0').filter(Boolean)
  for (const name of names)
    assert.ok(['PATH', 'LD_LIBRARY_PATH', 'TZ', 'NODE_COMPILE_CACHE'].includes(name.split('=')[0]!), name)
  assert.doesNotMatch(read('environ') + read('cmdline'), /secret/)
  assert.equal(read('oom_score_adj').trim(), '1000')
  // Check all threads, including those of the decoder (proc(5): the 19th field is the nice value).
  const threads = readdirSync(`/proc/${pid}/task`)
  const nice = threads.map((thread) => read(`task/${thread}/stat`).split(') ')[1]!.split(' ')[16])
  assert.deepEqual([...new Set(nice)], ['10'])
  assert.ok(threads.length > 4)
  await reading
})

test('an image that takes too long is ended, and the next one read', onLinux, async (t) => {
  const { make, told } = openWorker(t, { maxMs: 3_000 })
  const startedMs = performance.now()
  await assert.rejects(make(await describe('jpeg', exifInItself())), TOO_MUCH)
  assertWithin(performance.now() - startedMs, 8_000)
  assert.deepEqual(workersOf(), [])
  assert.deepEqual(
    told.map(({ level, what }) => [level, what.signal, what.why]),
    [['warn', 'SIGKILL', 'it takes too long']],
  )
  await make(small)
})

test('an image that takes too much memory is ended, and the next one read', async (t) => {
  const { make, told } = openWorker(t, { maxMiB: 130 })
  await assert.rejects(make(await slow()), TOO_MUCH)
  assert.equal(told[0]!.what.why, 'it takes too much memory')
  await make(small)
})

test('an image is refused by its declared pixels before they are decoded', async (t) => {
  const taken: number[] = []
  const take = (_: string, megapixels: number) => {
    taken.push(megapixels)
    return { isAllowed: megapixels < 39, waitSeconds: 7 }
  }
  const { make } = openWorker(t, { take })
  const refused = { kind: 'tooManyRequests', retryAfterSeconds: 7 }
  await assert.rejects(make(await slow()), refused)
  assert.deepEqual(taken, [3.5, 39.9424])
  await make(small, { kind: 'cover' })
  assert.deepEqual(taken.slice(2), [17, 0.06])
})

test('a person whose image was ended can send no other for a while, and their waiting ones are refused', async (t) => {
  const { worker, make } = openWorker(t, { maxMiB: 130, pauseMs: 1_500 })
  const killing = assert.rejects(make(await slow(), { person: 'a' }), TOO_MUCH)
  const waiting = assert.rejects(make(small, { person: 'a' }), /^PlatformError: Too many images are being processed/)
  const other = make(small, { person: 'b' })
  assert.equal(worker.gate.waiting, 2)
  await killing
  await waiting
  await assert.rejects(make(small, { person: 'a' }), { kind: 'tooManyRequests', retryAfterSeconds: 2 })
  await other
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  await make(small, { person: 'a' })
})

test('an image whose sender has disconnected is skipped', async (t) => {
  const { make } = openWorker(t, { program: write(t, '') })
  await assert.rejects(make(small, { hasLeft: () => true }), /^PlatformError: Too many images are being processed/)
})

test('a process that is killed from outside does not count against the sender', onLinux, async (t) => {
  const { make, told } = openWorker(t)
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
    const reading = make(await slow())
    reading.catch(() => {})
    process.kill(await findDecoding(), signal)
    await assert.rejects(reading, NOT_NOW)
  }
  assert.deepEqual(
    told.map(({ level, what }) => [level, what.signal]),
    [
      ['error', 'SIGKILL'],
      ['error', 'SIGTERM'],
      ['error', 'SIGINT'],
    ],
  )
  await make(small)
})

test('a worker that cannot start, or sends unexpected messages, is logged and does no other harm', async (t) => {
  const absent = openWorker(t, { program: '/nowhere/worker-main.mjs' })
  await assert.rejects(absent.make(small), NOT_NOW)
  assert.match(String(absent.told[0]!.what.output), /nowhere/)
  const ending = openWorker(t, { program: write(t, `process.exit(3)`) })
  await assert.rejects(ending.make(small), NOT_NOW)
  assert.deepEqual([ending.told[0]!.level, ending.told[0]!.what.code], ['error', 3])
  const webp = Buffer.from('RIFFxxxxWEBP').toString('base64')
  const html = Buffer.from('<html><script>x').toString('base64')
  const say = (what: unknown) => `process.stdout.write(${JSON.stringify(`${JSON.stringify(what)}\n`)})`
  for (const nonsense of [
    `process.stdout.write('x\\n')`,
    `process.stdout.write('{"pixels":\\n')`,
    `const go = () => process.stdout.write('x'.repeat(1e6), go); go()`,
    say(null),
    say(5),
    say({}),
    say({ pixels: -5 }),
    say({ pixels: 'NaN' }),
    say({ problem: 5 }),
    say({ sizes: 5 }),
    say({ sizes: [] }),
    say({ sizes: [webp] }),
    say({ sizes: [html, html, html, html] }),
    say({ sizes: [null, -1, [], {}] }),
    `process.kill(process.pid, 'SIGSEGV')`,
  ]) {
    const program = write(t, `process.stdin.on('data', () => {}); ${nonsense}`)
    await assert.rejects(openWorker(t, { program }).make(small), TOO_MUCH, nonsense)
  }
  const standing = openWorker(t, { program: write(t, `setInterval(() => {}, 1000)`), maxMs: 500 })
  await assert.rejects(standing.make(small), TOO_MUCH)
})

test('a stop ends an image that is being read, at once', onLinux, async (t) => {
  const { make, worker } = openWorker(t)
  const [reading, waiting] = [make(await slow()), make(small)]
  for (const one of [reading, waiting]) one.catch(() => {})
  const pid = await findDecoding()
  const askedMs = performance.now()
  await worker.stop()
  assertWithin(performance.now() - askedMs, 1_000)
  assert.ok(!isThere(pid))
  await assert.rejects(reading, NOT_NOW)
  await assert.rejects(waiting, { kind: 'notReady' })
  await assert.rejects(make(small), NOT_NOW)
  assert.deepEqual(workersOf(), [])
})
