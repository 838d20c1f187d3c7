import assert from 'node:assert/strict'
import { copyFile, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type pg from 'pg'
import { createDatabase, nameFile, readContents, refusal, restoreTo, whole } from './test-backup.ts'

describe('a damaged file', () => {
  const damages: [name: string, damage: (file: string, size: number) => Promise<void>][] = [
    ['cut in its last byte', (file, size) => truncate(file, size - 1)],
    ['cut in the middle', (file, size) => truncate(file, size >> 1)],
    ['cut inside its checksum', (file, size) => truncate(file, size - 70)],
    ['cut inside its header', (file) => truncate(file, 20)],
    ['empty', (file) => truncate(file, 0)],
    ['something else', (file) => writeFile(file, 'hello\n')],
    ['longer than it was', (file) => writeFile(file, 'x', { flag: 'a' })],
    ['with a flipped byte in its header', (file) => flipByte(file, '"created":"2')],
    ['with a flipped byte in its rows', (file, size) => flipByte(file, size - 200)],
    ['with a flipped byte in its checksum', (file, size) => flipByte(file, size - 10)],
  ]
  for (const [name, damage] of damages) {
    test(`is refused before anything is changed: ${name}`, async () => {
      await refuseDamaged(damage, /is not a complete Groundschool backup/)
    })
  }

  test('or of a newer format is refused before anything is changed', async () => {
    await refuseDamaged((file) => replaceText(file, '"version":1', '"version":2'), /created by a newer Groundschool/)
  })
})

/** Target database of the restores that must be refused. They share it, because none of them may change it. */
let untouched: Promise<pg.ClientConfig> | undefined

async function refuseDamaged(damage: (file: string, size: number) => Promise<void>, pattern: RegExp): Promise<void> {
  const file = nameFile()
  await copyFile(whole, file)
  await damage(file, (await stat(file)).size)
  untouched ??= createDatabase()
  const target = await untouched
  await assert.rejects(
    restoreTo(target, file, async () => assert.fail('nothing may be prepared')),
    refusal(pattern),
  )
  assert.deepEqual(await readContents(target), {})
}

async function flipByte(file: string, place: number | string): Promise<void> {
  const bytes = await readFile(file)
  const position = typeof place === 'number' ? place : bytes.indexOf(place) + place.length - 1
  bytes[position]! ^= 1
  await writeFile(file, bytes)
}

async function replaceText(file: string, text: string, other: string): Promise<void> {
  const bytes = await readFile(file)
  assert.ok(bytes.includes(text))
  bytes.write(other, bytes.indexOf(text))
  await writeFile(file, bytes)
}
