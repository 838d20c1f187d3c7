import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { before, describe, test } from 'node:test'
import type pg from 'pg'
import {
  backUp,
  createDatabase,
  createFilledDatabase,
  nameFile,
  prepareIn,
  readContents,
  refusal,
  restoreTo,
  run,
} from './test-backup.ts'

const PASSPHRASE = 'eight words that nobody else has – é'
const PIECE = 64 * 1024 + 16

describe('an encrypted backup', () => {
  let source: pg.ClientConfig
  let file: string
  let bytes: Buffer
  /** Offset of the first encrypted piece in the file. */
  let start: number

  before(async () => {
    source = await createFilledDatabase()
    // The rows cannot be compressed, so that the file has several pieces.
    await run(
      source,
      `insert into everything (id, bytes)
         select 100 + n, (select string_agg(sha512((n * 100 + i)::text::bytea), '') from generate_series(1, 16) i)
           from generate_series(1, 300) n`,
      'gs_production',
    )
    file = await backUp(source, PASSPHRASE)
    bytes = await readFile(file)
    start = bytes.indexOf('\n') + 1
    assert.ok(bytes.length - start > 4 * PIECE, String(bytes.length))
  })

  test('reveals nothing of its content, not even the names of tables', async () => {
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.deepEqual(Object.keys(JSON.parse(bytes.subarray(0, start).toString())), [
      'format',
      'version',
      'salt',
      'check',
    ])
    for (const text of ['accounts', 'good morning', 'gs_production', 'sha256']) assert.ok(!bytes.includes(text), text)
    const again = await readFile(await backUp(source, PASSPHRASE))
    assert.notDeepEqual(again.subarray(0, start), bytes.subarray(0, start), 'a salt is used once')
  })

  test('restores the same rows, even if the passphrase is typed on another keyboard', async () => {
    for (const passphrase of [PASSPHRASE, PASSPHRASE.normalize('NFD')]) {
      const target = await createDatabase()
      const { bytes: size } = await restoreTo(target, file, prepareIn(target), passphrase)
      assert.equal(size, bytes.length)
      assert.deepEqual(await readContents(target), await readContents(source))
    }
  })

  const pieces = (...order: number[]) =>
    Buffer.concat([
      bytes.subarray(0, start),
      ...order.map((i) => bytes.subarray(start + i * PIECE, start + (i + 1) * PIECE)),
    ])
  const count = () => Math.ceil((bytes.length - start) / PIECE)
  const all = () => Array.from({ length: count() }, (_, i) => i)
  const flip = (at: number) => {
    const copy = Buffer.from(bytes)
    copy[at]! ^= 1
    return copy
  }
  const other = (at: number) => Buffer.from(`${bytes.subarray(0, start)}`.replace(/"version":1/, `"version":${at}`))

  const refusals: [name: string, damage: () => Buffer | Promise<Buffer>, pattern: RegExp, passphrase?: string][] = [
    ['with another passphrase', () => bytes, /the passphrase is wrong/, `${PASSPHRASE}.`],
    ['with no passphrase', () => bytes, /the passphrase is wrong/, ''],
    ['with another salt', () => flip(bytes.indexOf('"salt":"') + 9), /the passphrase is wrong/],
    ['cut in its last byte', () => bytes.subarray(0, -1), /is not a complete/],
    ['cut between two pieces', () => pieces(0, 1, 2), /is not a complete/],
    ['cut shortly after a piece', () => bytes.subarray(0, start + PIECE + 7), /is not a complete/],
    ['cut after its first line', () => bytes.subarray(0, start), /is not a complete/],
    ['without a piece', () => pieces(...all().filter((i) => i !== 1)), /is not a complete/],
    ['with two pieces swapped', () => pieces(1, 0, ...all().slice(2)), /is not a complete/],
    ['with a piece twice', () => pieces(0, ...all()), /is not a complete/],
    ['with its last piece twice', () => pieces(...all(), count() - 1), /is not a complete/],
    ['longer than it was', () => Buffer.concat([bytes, Buffer.from('x')]), /is not a complete/],
    ['with a flipped byte in the middle', () => flip(start + PIECE + 1000), /is not a complete/],
    ['with a flipped byte in a tag', () => flip(start + PIECE - 1), /is not a complete/],
    [
      'with a piece of another backup',
      async () => {
        const strange = await readFile(await backUp(source, PASSPHRASE))
        return Buffer.concat([
          bytes.subarray(0, start + PIECE),
          strange.subarray(start + PIECE, start + 2 * PIECE),
          bytes.subarray(start + 2 * PIECE),
        ])
      },
      /is not a complete/,
    ],
    ['of a newer kind', () => Buffer.concat([other(2), bytes.subarray(start)]), /encrypted by a newer Groundschool/],
  ]
  for (const [name, damage, pattern, passphrase = PASSPHRASE] of refusals)
    test(`is refused before anything is changed: ${name}`, async () => {
      const damaged = nameFile()
      await writeFile(damaged, await damage())
      target ??= createDatabase()
      const untouched = await target
      const prepare = async () => assert.fail('nothing may be prepared')
      await assert.rejects(restoreTo(untouched, damaged, prepare, passphrase), refusal(pattern))
      assert.deepEqual(await readContents(untouched), {})
    })
})

/** Target database of the restores that must be refused. They share it, because none of them may change it. */
let target: Promise<pg.ClientConfig> | undefined
