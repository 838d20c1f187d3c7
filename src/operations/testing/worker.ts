import { closeSync, openSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import './process-end.ts'
// The platform loads once for all files, and outside of them.
import './testing.ts'

const queue = process.env.GROUNDSCHOOL_TEST_QUEUE!

/** Whichever worker makes the file has the number to itself. */
function claim(number: number): boolean {
  try {
    closeSync(openSync(`${queue}.${number}`, 'wx'))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Each file is a test around its own tests: it loads when its turn comes, and its hooks run at its end. Workers take
 * one file after the other, so that all of them end at about the same time, with code that is loaded and compiled.
 */
test('worker', async (t) => {
  const files = JSON.parse(readFileSync(queue, 'utf8')) as string[]
  for (const [number, file] of files.entries())
    if (claim(number)) await t.test(file, async () => void (await import(pathToFileURL(resolve(file)).href)))
})
