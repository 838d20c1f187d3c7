import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProgress } from './progress.ts'

/** Creates a progress display with a fake output stream, and a clock that the test advances. */
function watch({ isTTY }: { isTTY: boolean }) {
  let [written, now] = ['', 0]
  const write = (text: string) => {
    written += text
    return true
  }
  const output = { isTTY, columns: 100, write } as unknown as typeof process.stderr
  const progress = startProgress({ isCounted: true, output, now: () => now })
  return {
    progress,
    after: (ms: number) => (now += ms),
    read: () => {
      // Removes the escape sequences that clear the rest of a line.
      const text = written.replaceAll('\x1b[K', '')
      written = ''
      return text
    },
  }
}

test('on a terminal one line shows how many are done and how long the rest takes', () => {
  const { progress, after, read } = watch({ isTTY: true })
  after(1_000)
  progress.update(0, 5_000, 'people')
  assert.equal(read(), `\r${'░'.repeat(24)}   0 %  people: 0 of 5000`)
  after(10)
  progress.update(1, 5_000, 'people')
  assert.equal(read(), '', 'it is not drawn more often than eyes can see')
  after(1_990)
  progress.update(1_000, 5_000, 'people')
  assert.match(read(), /^\r█{5}░{19} {2}20 % {2}people: 1000 of 5000, 8 s left$/)
  // The time left is estimated from the speed of the current phase.
  after(500)
  progress.update(1_000, 5_000, 'passwords')
  assert.match(read(), /passwords: 1000 of 5000$/)
  after(100_000)
  progress.update(1_100, 5_000, 'passwords')
  assert.match(read(), /passwords: 1100 of 5000, 6[56] min left/)
  progress.update(5_000, 5_000, 'passwords')
  progress.finish()
  assert.match(read(), /\r█{24} 100 % {2}passwords: 5000 of 5000.*\n$/)
})

test('elsewhere a line is printed every five seconds, and none for work that ends sooner', () => {
  const { progress, after, read } = watch({ isTTY: false })
  progress.update(0, 100, 'people')
  after(4_900)
  progress.update(50, 100, 'people')
  assert.equal(read(), '')
  after(100)
  progress.update(50, 100, 'people')
  assert.equal(read(), '50 %, people: 50 of 100, 5 s left\n')
  after(1_000)
  progress.update(60, 100, 'people')
  progress.finish()
  assert.equal(read(), '')
})
