import sharp, { type Sharp } from 'sharp'
import { signedIn } from '../passkeys/testing.ts'
import type { Answer, Client, Person, TestApp } from '../testing.ts'
import type { TestBrowser } from '../testing-browser.ts'

export const PICTURE = '/account/v1/profile/picture'
export const COVER = '/account/v1/profile/cover'
export const MINE = '/user/v1/my/profile'
export const STATIC = '/image/v1/static'

/** A plain image of one colour, for tests to make of it what they want. */
export const plain = (width = 300, height = 200, background = '#3366cc'): Sharp =>
  sharp({ create: { width, height, channels: 3, background } })

export interface Got {
  readonly status: number
  readonly bytes: Buffer
  readonly headers: Headers
}

/** Asks for an image, as `<img>` or an app does. */
export async function getImage(
  client: Client,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Got> {
  const response = await fetch(`${client.address}${path}`, {
    method,
    headers: { ...(client.token ? { authorization: `Bearer ${client.token}` } : {}), ...headers },
  })
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()), headers: response.headers }
}

/** Sends an image from the person's own browser. */
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

/** A person in an app and in their own browser. */
export async function appear(app: TestApp, person: Person): Promise<{ client: Client; browser: TestBrowser }> {
  return { client: await app.as(person), browser: await signedIn(app, person) }
}

/** What a profile would say. */
export async function idOf(app: TestApp, client: Client, kind: 'picture' | 'cover' = 'picture'): Promise<string> {
  const [row] = await app.sql(
    `select p.${kind}_version as version from people p join app_users u on u.person_id = p.id where u.user_id = '${client.userId}'`,
  )
  return `${kind[0]}-${client.userId}-${row!.version}`
}

/** The colour in the middle of an image, and of its edge. */
export async function colourAt(bytes: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (y * info.width + x) * info.channels
  return [...data.subarray(at, at + 3)]
}
