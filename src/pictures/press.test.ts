import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { Press, type PressOptions } from './press.ts'
import { type Format, type Kind, SHAPES } from './rules.ts'
import { isDecoding, isThere, mebibytesOf, onLinux, plain, pressesOf, slow, until } from './testing.ts'
import { ADOBE, profile, program, withProfile } from './testing-profiles.ts'

const TOO_MUCH = { kind: 'validationFailed', message: /^The image takes too long, or too much memory, to read/ }
const NOT_NOW = { kind: 'notReady', message: /^Images cannot be read at the moment/ }
const small = await plain().png().toBuffer()
const UNREAD = fileURLToPath(new URL('testing-press.ts', import.meta.url))

function begin(t: TestContext, options: Partial<PressOptions> = {}) {
  const told: { level: string; what: Record<string, unknown> }[] = []
  const tell = (level: string) => (what: Record<string, unknown>) => told.push({ level, what })
  const log = { warn: tell('warn'), error: tell('error') } as unknown as Logger
  const press = new Press({ niceness: 5, log, ...options })
  t.after(() => press.stop())
  const killed: string[] = []
  const make = async (image: Buffer, format: Format = 'png', kind: Kind = 'picture') => {
    const sizes = await press.makeSizes({ kind, image, format, measured: () => {}, killed: () => killed.push(format) })
    return sizes.length
  }
  return { press, make, killed, told }
}

/** A program in the place of the one that reads images. */
function write(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gs-press-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'press.mjs')
  writeFileSync(path, text)
  return path
}

test('one process reads images, while there are some', onLinux, async (t) => {
  const { make } = begin(t, { maxIdleMs: 300 })
  assert.deepEqual(pressesOf(), [])
  assert.equal(await make(small), SHAPES.picture.widths.length)
  const [first, ...others] = pressesOf()
  assert.deepEqual(others, [])
  assert.equal(await make(small, 'png', 'cover'), SHAPES.cover.widths.length)
  assert.deepEqual(pressesOf(), [first])
  await until(() => !isThere(first!))
  assert.equal(await make(small), SHAPES.picture.widths.length)
  assert.notDeepEqual(pressesOf(), [first])
})

test('it stands behind the platform, and knows nothing of it', onLinux, async (t) => {
  process.env.SECRET_KEY = 'a secret'
  process.env.DATABASE_URL = 'postgres://somebody:secret@localhost/db'
  t.after(() => {
    delete process.env.SECRET_KEY
    delete process.env.DATABASE_URL
  })
  const { make } = begin(t, { niceness: 10 })
  await make(small)
  const [pid] = pressesOf()
  const read = (path: string) => readFileSync(`/proc/${pid}/${path}`, 'utf8')
  const names = read('environ').split('\0').filter(Boolean)
  const allowed = ['PATH', 'LD_LIBRARY_PATH', 'TZ', 'NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_']
  for (const name of names) assert.ok(allowed.includes(name.split('=')[0]!), name)
  assert.doesNotMatch(read('environ') + read('cmdline'), /secret/)
  assert.equal(read('oom_score_adj').trim(), '1000')
  // Of every thread, those of the decoder too (proc(5): the 19th field is how nice it is).
  const threads = readdirSync(`/proc/${pid}/task`)
  const nice = threads.map((thread) => read(`task/${thread}/stat`).split(') ')[1]!.split(' ')[16])
  assert.deepEqual([...new Set(nice)], ['10'])
  assert.ok(threads.length > 4)
})

test('an image that takes too long is ended, and the next one read', onLinux, async (t) => {
  const { make, killed, told } = begin(t, { maxTurnMs: 400 })
  await make(small)
  const [pid] = pressesOf()
  const startedMs = performance.now()
  await assert.rejects(make(await slow()), TOO_MUCH)
  assert.ok(performance.now() - startedMs < 5_000)
  assert.equal(isThere(pid!), false)
  assert.deepEqual(killed, ['png'])
  assert.deepEqual(
    told.map(({ level, what }) => [level, what.signal]),
    [['warn', 'SIGKILL']],
  )
  await make(small)
})

test('an image that takes too much memory is ended, and the next one read', async (t) => {
  const { make, killed } = begin(t, { maxMiB: 130 })
  await make(small)
  await assert.rejects(make(await slow()), TOO_MUCH)
  assert.deepEqual(killed, ['png'])
  await make(small)
})

test('an image is refused for what it is, and the process lives', onLinux, async (t) => {
  const { make, press, killed } = begin(t)
  await make(small)
  const before = pressesOf()
  await assert.rejects(make(small.subarray(0, -20)), { kind: 'validationFailed', message: /damaged/ })
  const costly = { kind: 'picture', format: 'png', image: small, killed: () => {} } as const
  const refuse = (pixels: number) => {
    throw new Error(`${pixels} are too many`)
  }
  await assert.rejects(press.makeSizes({ ...costly, measured: refuse }), /60000 are too many/)
  await make(small)
  assert.deepEqual([pressesOf(), killed], [before, []])
})

test(
  'a profile that is a program ends no more than that process, even where it reaches a decoder',
  onLinux,
  async (t) => {
    const { make, killed } = begin(t, { program: UNREAD, maxTurnMs: 3_000, maxMiB: 300 })
    const large = await withProfile('png', profile({ ...ADOBE, D2B0: program(2_000, 50_000) }))
    const long = await withProfile('jpeg', profile({ ...ADOBE, D2B0: program(200_000) }))
    await make(small)
    let mostMiB = 0
    const watch = setInterval(() => {
      for (const pid of pressesOf()) mostMiB = Math.max(mostMiB, mebibytesOf(pid))
    }, 5)
    t.after(() => clearInterval(watch))
    const ownMiB = mebibytesOf(process.pid)
    for (const [image, format] of [
      [large, 'png'],
      [long, 'jpeg'],
    ] as const) {
      await assert.rejects(make(image, format), TOO_MUCH)
      await make(small)
    }
    assert.deepEqual(killed, ['png', 'jpeg'])
    t.diagnostic(`at most ${Math.round(mostMiB)} MiB`)
    assert.ok(mostMiB < 600, `${mostMiB} MiB`)
    assert.ok(mebibytesOf(process.pid) - ownMiB < 100)
  },
)

test('a process that somebody else kills is replaced', onLinux, async (t) => {
  const { make, killed } = begin(t)
  await make(small)
  const [pid] = pressesOf()
  const reading = make(await slow())
  await until(() => isDecoding(pid!))
  process.kill(pid!, 'SIGKILL')
  await assert.rejects(reading, NOT_NOW)
  await make(small)
  const [another] = pressesOf()
  process.kill(another!, 'SIGKILL')
  await until(() => pressesOf().length === 0)
  await make(small)
  assert.deepEqual(killed, [])
})

test('signals that are meant for the platform do not end it', onLinux, async (t) => {
  const { make } = begin(t)
  await make(small)
  const [pid] = pressesOf()
  const reading = make(await slow())
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(pid!, signal)
  assert.equal(await reading, 4)
})

test('where it cannot be started, or says what nobody asked, that is said, and nothing else happens', async (t) => {
  const speak = `
    import { Socket } from 'node:net'
    const platform = new Socket({ fd: 3 })
    const say = (what, bytes = Buffer.alloc(0)) => {
      const words = Buffer.from(what)
      const head = Buffer.alloc(8)
      head.writeUInt32BE(words.length)
      head.writeUInt32BE(bytes.length, 4)
      platform.write(Buffer.concat([head, words, bytes]))
    }
    say('{"isReady":true}')
    let heard = 0
  `
  const absent = begin(t, { program: '/nowhere/press.mjs' })
  await assert.rejects(absent.make(small), NOT_NOW)
  assert.match(String(absent.told[0]!.what.output), /nowhere/)
  const ending = begin(t, { program: write(t, `process.exit(3)`) })
  for (let i = 0; i < 2; i++) await assert.rejects(ending.make(small), NOT_NOW)
  assert.deepEqual(
    ending.told.map(({ level, what }) => [level, what.code]),
    Array(2).fill(['error', 3]),
  )
  for (const nonsense of [
    `platform.write(Buffer.alloc(99, 0xff))`,
    `say('{"pixels":')`,
    `say('null')`,
    `say('{"pixels":-5}')`,
    `say('{"pixels":"NaN"}')`,
    `heard++ === 0 ? say('{"pixels":5}') : say('{"sizes":5}')`,
    `heard++ === 0 ? say('{"pixels":5}') : say('{"sizes":[4,4,4,4]}', Buffer.from('<html><script>x'))`,
    `heard++ === 0 ? say('{"pixels":5}') : say('{"sizes":[-1,1e99,null,"x"]}', Buffer.from('RIFFxxxxWEBP'))`,
    `process.kill(process.pid, 'SIGSEGV')`,
  ]) {
    const { make, killed } = begin(t, { program: write(t, `${speak} platform.on('data', () => { ${nonsense} })`) })
    await assert.rejects(make(small), TOO_MUCH, nonsense)
    assert.deepEqual(killed, ['png'], nonsense)
  }
})

test('a process that stands still is given up, and so is the one after it', onLinux, async (t) => {
  const { make, killed } = begin(t, { maxStartMs: 500, program: write(t, `setInterval(() => {}, 1000)`) })
  for (let i = 0; i < 2; i++) {
    const startedMs = performance.now()
    await assert.rejects(make(small), NOT_NOW)
    assert.ok(performance.now() - startedMs < 3_000)
  }
  const usual = begin(t, { maxStartMs: 2_000 })
  await usual.make(small)
  const [pid] = pressesOf()
  process.kill(pid!, 'SIGSTOP')
  await usual.make(small)
  assert.deepEqual([isThere(pid!), killed], [false, []])
})

test('a stop ends an image that is being read, at once', onLinux, async (t) => {
  const { make, press, killed } = begin(t)
  await make(small)
  const [pid] = pressesOf()
  const reading = make(await slow())
  reading.catch(() => {})
  await until(() => isDecoding(pid!))
  const askedMs = performance.now()
  await press.stop()
  assert.ok(performance.now() - askedMs < 1_000)
  await assert.rejects(reading, NOT_NOW)
  await assert.rejects(make(small), NOT_NOW)
  assert.deepEqual([pressesOf(), killed], [[], []])
  const late = begin(t)
  const starting = assert.rejects(late.make(small), NOT_NOW)
  await late.press.stop()
  await starting
})
