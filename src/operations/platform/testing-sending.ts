import { operations } from '../../app.ts'
import { plain } from '../../identity/pictures/testing.ts'
import { ownPages } from '../../kernel/http/callers/needs.ts'
import { isFile, isWholeBody, namesInPath } from '../../kernel/http/input/fields.ts'
import type { Operation } from '../../kernel/http/operation.ts'
import type { Scene } from './testing-scene.ts'

/** Sends the examples that an example depends on, recursively. */
export async function sendFirst(name: string | undefined, scene: Scene): Promise<void> {
  const first = operations.find((operation) => operation.name === name)
  if (!first) return
  await sendFirst(first.example?.after, scene)
  await send(first, translate({ ...first.example?.request }, scene), first.example?.headers ?? {}, scene)
}

/** Replaces sample values with real values. */
export const translate = <T>(value: T, { real }: Scene): T =>
  JSON.parse(Object.entries(real).reduce((text, [sample, one]) => text.replaceAll(sample, one), JSON.stringify(value)))

export interface ReceivedResponse {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

const TYPES: Partial<Record<Operation['from'], string>> = { image: 'image/png', csv: 'text/csv' }

/** Sends an example with the credentials of the required kind of caller. */
export async function send(
  operation: Operation,
  request: Record<string, unknown>,
  exampleHeaders: Readonly<Record<string, string>>,
  { app, user, browser, visitor, basic, storeKey, launchKey }: Scene,
): Promise<ReceivedResponse> {
  const { method, from, output, who } = operation
  const isInPages = who.name === 'person' || operation.needs?.some(({ name }) => name === ownPages.name)
  const inPath = namesInPath(operation.path)
  const path = inPath.reduce(
    (text, name) => text.replace(`{${name}}`, encodeURIComponent(String(request[name]))),
    operation.path,
  )
  const isBody = (name: string) => isWholeBody(from) && isFile(operation.input.properties[name])
  const file = Object.entries(request).find(([name]) => isBody(name))?.[1]
  const fields = Object.entries(request).filter(([name]) => !inPath.includes(name) && !isBody(name))
  const query = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)]))
  const isInQuery = from === 'query' || from === 'csv' || from === 'raw' || from === 'stream'
  const headers = {
    ...((['app user', 'member'].includes(who.name) && !isInPages) ||
    operation.requestHeaders?.Authorization?.startsWith('Bearer')
      ? { authorization: `Bearer ${user.token}` }
      : {}),
    ...(who.name === 'plugin' ? { authorization: basic } : {}),
    ...(who.name === 'record store' ? { authorization: storeKey } : {}),
    ...(who.name === 'content' ? { authorization: launchKey } : {}),
    ...(from === 'query' ? {} : { 'content-type': TYPES[from] ?? 'application/json' }),
    ...Object.fromEntries(Object.entries(exampleHeaders).map(([name, value]) => [name.toLowerCase(), value])),
  }
  const body =
    from === 'image' ? await plain().png().toBuffer() : (fileText(file) ?? JSON.stringify(Object.fromEntries(fields)))
  const address = isInQuery && query.size > 0 ? `${path}?${query}` : path
  const init = { method, headers, ...(from === 'query' ? {} : { body: body as string }) }
  if (output.kind === 'events') {
    const cookie = [...(isInPages ? browser : visitor).cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return glance(new URL(address, app.address), { ...init, headers: { ...headers, ...(cookie && { cookie }) } })
  }
  return (isInPages ? browser : visitor).send(address, init)
}

const fileText = (file: unknown) => (file === undefined || typeof file === 'string' ? file : JSON.stringify(file))

/** Reads only the start of a stream, because a stream does not end. */
async function glance(url: URL, init: RequestInit): Promise<ReceivedResponse> {
  const response = await fetch(url, init)
  await response.body?.cancel()
  return { status: response.status, text: '', headers: response.headers }
}
