import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { installUsedServer, type Server } from '../../operations/testing/machine.ts'
import type { Client } from '../../operations/testing/testing.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { isDecoding, isThere, onLinux, PICTURE, slow, until, workersOf } from './testing.ts'

/** Returns the id of the server's process, which has the port in its environment. */
function findServer({ nobody }: Server): number {
  const { port } = new URL(nobody.address)
  const pid = readdirSync('/proc')
    .map(Number)
    .find((one) => {
      try {
        return readFileSync(`/proc/${one}/environ`, 'latin1').split('\0').includes(`PORT=${port}`)
      } catch {
        return false
      }
    })
  assert.ok(pid)
  return pid
}

async function signIn(nobody: Client): Promise<string> {
  const answer = await nobody.post('/account/v1/signin', { handle: '@avery', password: 'groundschool' })
  assert.equal(answer.status, 200, answer.text)
  return answer.headers.get('set-cookie')!.split(';')[0]!
}

test('a platform that stops or is killed ends the worker of the image that it is reading (M3)', onLinux, async (t) => {
  const server = await installUsedServer(t)
  const large = await slow()
  const begin = async () => {
    await server.start()
    const cookie = await signIn(server.nobody)
    const put = (image: Buffer) =>
      server.nobody.send('PUT', PICTURE, { raw: image, headers: { cookie, 'content-type': 'image/png' } })
    const pid = findServer(server)
    const answer = put(large).catch(() => undefined)
    await until(() => workersOf(pid).some(isDecoding))
    return { worker: workersOf(pid)[0]!, answer }
  }

  await t.test('it stops at once, and tells the sender to come again', async () => {
    const { worker, answer } = await begin()
    const { code, tookMs } = await server.stop()
    t.diagnostic(`stopped after ${Math.round(tookMs)} ms`)
    assert.equal(code, 0, server.log())
    assertWithin(tookMs, 5_000)
    assert.equal((await answer)?.status, 503)
    assert.ok(!isThere(worker))
  })

  await t.test('nothing is left of one that was killed', async () => {
    const { worker, answer } = await begin()
    await server.kill()
    const killedMs = performance.now()
    await until(() => !isThere(worker), 5_000)
    t.diagnostic(`gone after ${Math.round(performance.now() - killedMs)} ms`)
    assert.equal(await answer, undefined)
  })
})
