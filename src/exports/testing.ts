import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { inflateRawSync } from 'node:zlib'
import { PASSWORD } from '../account/testing.ts'
import type { TestBrowser } from '../testing-browser.ts'

export const EXPORT = '/account/v1/export'

/** Asks for an export and gives the answer unread, as a browser that saves a file has it. */
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

/** The files of a zip, by its directory (APPNOTE.TXT §4.3.12): as much as tests need, and nothing of what wrote it. */
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
