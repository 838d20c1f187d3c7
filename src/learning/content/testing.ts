import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import type { Answer } from '../../operations/testing/testing.ts'

/** Uploads a file like the scripts of the platform's pages do. */
export async function upload(
  browser: TestBrowser,
  name: string,
  file: Buffer | string,
  more: { readonly organisation?: string; readonly type?: string } = {},
): Promise<Answer> {
  const query = new URLSearchParams({ organisation: more.organisation ?? 'school', name })
  const seen = await browser.send(`/edu/v1/file?${query}`, {
    method: 'POST',
    body: file as string,
    headers: { 'content-type': more.type ?? 'application/octet-stream' },
  })
  return { ...seen, body: seen.text === '' ? undefined : JSON.parse(seen.text) }
}

export interface LoadedFile {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly bytes: Buffer
}

/** Loads a URL of the content origin from the platform's address, with the host name of the URL. */
export async function load(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
  host = new URL(url).host,
): Promise<LoadedFile> {
  const { port, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    request(
      { hostname: '127.0.0.1', port, path: pathname + search, method, headers: { ...headers, host } },
      async (answer) => resolve({ status: answer.statusCode!, headers: answer.headers, bytes: await buffer(answer) }),
    )
      .on('error', reject)
      .end()
  })
}

const picture = () => sharp({ create: { width: 8, height: 8, channels: 3, background: '#1f5f8b' } })
export const makeImage = (format: 'png' | 'jpeg' | 'gif' | 'webp' | 'avif'): Promise<Buffer> =>
  picture().toFormat(format).toBuffer()

/** Makes a PDF of one page. `more` is added to its catalogue. */
export function makePdf(more = ''): Buffer {
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${more} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    '<< /Length 49 >>\nstream\nBT /F 24 Tf 40 100 Td (Walkaround checklist) Tj ET\nendstream',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, i) => {
    const at = text.length
    text += `${i + 1} 0 obj\n${object}\nendobj\n`
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  const start = text.length
  text += `xref\n0 6\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}

/** Makes a ZIP file with uncompressed entries (APPNOTE 4.3). */
export function makeZip(entries: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, text] of Object.entries(entries)) {
    const [nameBytes, data] = [Buffer.from(name), Buffer.from(text)]
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt32LE(crc32(data), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(nameBytes.length, 22)
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), common, nameBytes, data)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, nameBytes)
    at += 30 + nameBytes.length + data.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(directory.length / 4, 8)
  end.writeUInt16LE(directory.length / 4, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, listed, end])
}

/** Makes the beginning of an MP4 file of this brand. */
export const makeMp4 = (brand: string): Buffer =>
  Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`ftyp${brand}\0\0\0\0isommp42`, 'latin1'), Buffer.alloc(2000)])
