import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type { Logger } from 'pino'
import sharp, { type Sharp } from 'sharp'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import type { Answer, Client, Person, TestApp } from '../../operations/testing/testing.ts'
import { signedIn } from '../passkeys/testing.ts'
import { ImageWorker, type NewImage, type SizedImage, type WorkerOptions } from './worker.ts'

export const PICTURE = '/account/v1/profile/picture'
export const COVER = '/account/v1/profile/cover'
export const MINE = '/user/v1/my/profile'
export const STATIC = '/image/v1/static'

/** Makes an image of one colour, not encoded in any format yet. */
export const plain = (width = 300, height = 200, background = '#3366cc'): Sharp =>
  sharp({ create: { width, height, channels: 3, background } })

export interface ImageResponse {
  readonly status: number
  readonly bytes: Buffer
  readonly headers: Headers
}

/** Requests an image, as `<img>` or an app does. */
export async function getImage(
  client: Client,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<ImageResponse> {
  const response = await fetch(`${client.address}${path}`, {
    method,
    headers: { ...(client.token ? { authorization: `Bearer ${client.token}` } : {}), ...headers },
  })
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()), headers: response.headers }
}

/** Uploads an image with the person's own browser. */
export async function sendImage(
  browser: TestBrowser,
  path: string,
  image: Buffer | string,
  type = 'image/png',
): Promise<Answer> {
  const seen = await browser.send(path, {
    method: 'PUT',
    body: image as never,
    headers: { 'content-type': type },
  })
  const isJson = seen.headers.get('content-type')?.startsWith('application/json')
  return { ...seen, body: isJson ? JSON.parse(seen.text) : undefined }
}

export const removeImage = (browser: TestBrowser, path: string) => browser.send(path, { method: 'DELETE' })

/** Returns a person's client in an app, and their browser on the platform. */
export async function appear(app: TestApp, person: Person): Promise<{ client: Client; browser: TestBrowser }> {
  return { client: await app.as(person), browser: await signedIn(app, person) }
}

/** Returns the image id as shown in profiles. */
export async function idOf(app: TestApp, client: Client, kind: 'picture' | 'cover' = 'picture'): Promise<string> {
  const [row] = await app.sql(
    `select p.${kind}_version as version from people p join app_users u on u.person_id = p.id where u.user_id = '${client.userId}'`,
  )
  return `${kind[0]}-${client.userId}-${row!.version}`
}

export async function colourAt(bytes: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (y * info.width + x) * info.channels
  return [...data.subarray(at, at + 3)]
}

export async function until(isSo: () => boolean, patienceMs = 20_000): Promise<void> {
  const endMs = performance.now() + patienceMs
  while (!isSo()) {
    assert.ok(performance.now() < endMs, 'it did not happen')
    await pause(10)
  }
}

export const onLinux = { skip: !existsSync('/proc/self') && 'reads /proc' }

function readProcess(pid: number, what: 'status' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8')
  } catch {
    return ''
  }
}

const parentOf = (pid: number): number => Number(/\nPPid:\t(\d+)/.exec(readProcess(pid, 'status'))?.[1])
/**
 * The parent of each process seen in the last call, cached because tests poll 100 times a second and reading /proc for
 * all processes is slow.
 */
let parents = new Map<number, number>()

/** Returns the ids of the image workers that a process has started, by default this process. */
export function workersOf(platform: number = process.pid): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Boolean)
  parents = new Map(pids.map((pid) => [pid, parents.get(pid) ?? parentOf(pid)]))
  return pids
    .filter((pid) => parents.get(pid) === platform && parentOf(pid) === platform)
    .filter((pid) => /worker-main/.test(readProcess(pid, 'cmdline')))
}

export const isThere = (pid: number): boolean => /\nState:\t[^Z]/.test(readProcess(pid, 'status'))

/** Returns the resident memory of a process, in MiB. */
export const mebibytesOf = (pid: number): number =>
  Number(/\nVmRSS:\s+(\d+) kB/.exec(readProcess(pid, 'status'))?.[1] ?? 0) / 1024

export const TOO_MUCH = {
  kind: 'validationFailed',
  message: /^The image takes too long, or too much memory, to read/,
} as const
export const NOT_NOW = { kind: 'notReady', message: /^Images cannot be processed at the moment/ } as const

/** Creates an image worker with the given options, and records its log in `told`. */
export function openWorker(t: TestContext, parts: Partial<WorkerOptions> = {}) {
  const told: { level: string; what: Record<string, unknown> }[] = []
  const tell = (level: string) => (what: Record<string, unknown>) => told.push({ level, what })
  const log = { warn: tell('warn'), error: tell('error') } as unknown as Logger
  const take = () => ({ isAllowed: true, waitSeconds: 0 })
  const worker = new ImageWorker({ name: 'production', log, take, pauseMs: 0, ...parts })
  t.after(() => worker.stop())
  const make = (image: Buffer, what: Partial<NewImage> & { person?: string } = {}): Promise<SizedImage[]> =>
    worker.makeSizes(what.person ?? 'somebody', { kind: 'picture', image, hasLeft: () => false, ...what })
  return { worker, make, told }
}

/** Whether the worker is decoding `slow()`, judging by its memory: 70 MiB when idle, and 250 MiB while decoding. */
export const isDecoding = (pid: number): boolean => mebibytesOf(pid) > 130

let slowImage: Promise<Buffer> | undefined
/** Returns an interlaced image, which must be decoded as a whole. Made only once, because making it takes seconds. */
export const slow = (): Promise<Buffer> => {
  slowImage ??= plain(6320, 6320).ensureAlpha().png({ progressive: true }).toBuffer()
  return slowImage
}

/** Size in bytes of a PNG's signature and IHDR chunk. */
export const HEAD_BYTES = 33

export function chunk(name: string, data: Buffer): Buffer {
  const frame = Buffer.alloc(data.length + 12)
  frame.writeUInt32BE(data.length, 0)
  frame.write(name, 4)
  data.copy(frame, 8)
  frame.writeUInt32BE(crc32(frame.subarray(4, -4)), data.length + 8)
  return frame
}

export const segment = (marker: number, ...data: readonly number[]): Buffer =>
  Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff, ...data])

export function webpPart(name: string, ...data: (number[] | Buffer)[]): Buffer {
  const content = Buffer.concat(data.map((one) => Buffer.from(one)))
  const frame = Buffer.alloc(8 + content.length + (content.length % 2))
  frame.write(name, 0)
  frame.writeUInt32LE(content.length, 4)
  content.copy(frame, 8)
  return frame
}
export const riff = (...parts: Buffer[]): Buffer => webpPart('RIFF', Buffer.from('WEBP'), ...parts)
