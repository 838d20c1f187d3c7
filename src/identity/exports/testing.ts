import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { inflateRawSync } from 'node:zlib'
import { PASSWORD } from '../../apps/account/testing.ts'
import { PATH } from '../../apps/buckets/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import type { TestApp } from '../../operations/testing/testing.ts'

export const EXPORT = '/account/v1/export'

/** Requests an export and returns the unread response, like a browser that saves a file. */
export const openExport = (
  { address, cookies }: TestBrowser,
  fields: Record<string, string> = { password: PASSWORD },
  headers: Record<string, string> = {},
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = request(`${address}${EXPORT}`, {
      method: 'POST',
      agent: false,
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
    })
    sent.once('response', resolve).once('error', reject)
    sent.end(String(new URLSearchParams(fields)))
  })

export async function readAll(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50

/**
 * Extracts the files of a zip by its central directory (APPNOTE.TXT §4.3.12), independently of the code that writes
 * zips.
 */
export function unzip(zip: Buffer): Map<string, Buffer> {
  const end = zip.length - 22
  assert.equal(zip.readUInt32LE(end), END_OF_DIRECTORY)
  const files = new Map<string, Buffer>()
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    assert.equal(zip.readUInt32LE(at), DIRECTORY_ENTRY)
    const [method, packed, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 24)]
    const [name, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ]
    const start = zip.readUInt32LE(at + 42)
    const data = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28)
    const bytes = zip.subarray(data, data + packed)
    const content = method === 0 ? bytes : inflateRawSync(bytes)
    assert.equal(content.length, size)
    files.set(zip.toString('utf8', at + 46, at + 46 + name), content)
    at += 46 + name + extra + comment
  }
  return files
}

export const BUCKET_BYTES = 100_000

/**
 * Creates incompressible buckets of @avery. 200 of them exceed what the buffers between platform and client can hold.
 */
export async function fillBuckets(app: TestApp, count: number): Promise<void> {
  const avery = await app.as('avery')
  await app.sql('update app_storage set blocks_limit = 1000000')
  for (let i = 0; i < count; i += 10)
    await Promise.all(
      Array.from({ length: 10 }, (_, j) =>
        avery.put(PATH, {
          id: `large ${String(i + j).padStart(3, '0')}`,
          data: randomBytes((BUCKET_BYTES / 4) * 3).toString('base64'),
        }),
      ),
    )
}

const connections = new Set<Socket>()
subscribe('http.server.request.start', (message) => connections.add((message as { socket: Socket }).socket))

/** Waits until the platform stops writing because the buffers between platform and client are full. */
export async function untilPlatformWaits(): Promise<void> {
  const written = () => [...connections].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0)
  for (let [before, now] = [-1, written()]; now !== before; ) {
    await sleep(1_000)
    before = now
    now = written()
  }
}

/** A client that reads the response only in `read` and is paused otherwise. */
export class SlowReader {
  readonly answer: IncomingMessage
  readonly isCut: Promise<boolean>
  bytes = 0

  constructor(answer: IncomingMessage) {
    this.answer = answer
    this.isCut = new Promise((resolve) => {
      answer.once('end', () => resolve(false)).once('error', () => resolve(true))
    })
    answer.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length
    })
    answer.pause()
  }

  /** Reads at least this many more bytes, then pauses. Resolves to false if the response has ended. */
  read(least: number): Promise<boolean> {
    const goal = this.bytes + least
    if (this.answer.closed) return Promise.resolve(false)
    return new Promise((resolve) => {
      const stop = () => {
        this.answer.off('data', look).off('close', stop)
        this.answer.pause()
        resolve(!this.answer.readableEnded && !this.answer.destroyed)
      }
      const look = () => {
        if (this.bytes >= goal) stop()
      }
      this.answer.on('data', look).once('close', stop)
      this.answer.resume()
    })
  }
}
