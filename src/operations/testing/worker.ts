import { closeSync, openSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import './process-end.ts'
// Loads the platform's code once, outside the test of any file.
import './testing.ts'

// Files that run in separate processes measure times, so workers get a lower priority than those processes.
setPriority(5)

const queue = process.env.GROUNDSCHOOL_TEST_QUEUE!

/** Claims a file in the queue. Creating the marker file is atomic, so only one worker succeeds. */
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
 * Runs each claimed file within a test, so that the file's hooks run at its end. Workers take files from one queue, so
 * they finish at about the same time, and the platform's code is loaded and compiled once per worker.
 */
test('worker', async (t) => {
  const files = JSON.parse(readFileSync(queue, 'utf8')) as string[]
  for (const [number, file] of files.entries())
    if (claim(number)) await t.test(file, async () => void (await import(pathToFileURL(resolve(file)).href)))
})
