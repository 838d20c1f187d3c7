import type { HeldCredentials } from './credentials.ts'
import { type AuthMethod, type PreparedRequest, pretty, proofOf } from './request.ts'

/** The content of a response. Text is always shown as plain text, whatever its content type. */
export type Content =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean; readonly address: string }
  | { readonly kind: 'image'; readonly address: string }
  | { readonly kind: 'file'; readonly address: string; readonly name: string; readonly bytes: number }
  | { readonly kind: 'events'; readonly text: string; readonly isOpen: boolean }

export interface Outcome {
  readonly status: number
  readonly ms: number
  readonly headers: readonly (readonly [string, string])[]
  readonly requestId: string | undefined
  readonly errorCode: number | undefined
  readonly content: Content
  /** The parsed content, if the response is JSON. */
  readonly json?: unknown
}

/** Maximum number of characters to show. The complete text can be saved as a file. */
const MOST_SHOWN = 200_000
const SHOWN = /^(?:text\/(?!csv)|application\/(?:[\w.+-]*\+)?json\b)/

const fileName = (headers: Headers): string =>
  /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? 'answer'

/** Sends the request and reports the response. For a stream, reports it again after each piece. */
export async function send(
  { method, path, headers, body }: PreparedRequest,
  { way, held, signal }: { readonly way: AuthMethod; readonly held: HeldCredentials; readonly signal: AbortSignal },
  onOutcome: (outcome: Outcome) => void,
): Promise<void> {
  const startedAt = performance.now()
  const answer = await fetch(path, {
    method,
    headers: { ...headers, ...proofOf(way, held) },
    ...(body !== undefined && { body }),
    // Send the cookie only if the person has chosen it for authentication.
    credentials: way === 'browser' ? 'same-origin' : 'omit',
    cache: 'no-store',
    signal,
  })
  const ms = performance.now() - startedAt
  const type = answer.headers.get('content-type') ?? ''
  const outcome = {
    status: answer.status,
    ms,
    headers: [...answer.headers]
      .filter(([name]) => name !== 'content-type')
      .concat(type === '' ? [] : [['content-type', type]]),
    requestId: answer.headers.get('x-request-id') ?? undefined,
    errorCode: answer.ok ? undefined : Number(answer.headers.get('errorcode')) || undefined,
  }
  if (type.startsWith('text/event-stream') && answer.body) {
    let text = ''
    const tell = (isOpen: boolean) => onOutcome({ ...outcome, content: { kind: 'events', text, isOpen } })
    tell(true)
    try {
      for await (const piece of pieces(answer.body)) {
        text = (text + piece).slice(-MOST_SHOWN)
        tell(true)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      tell(false)
    }
    return
  }
  const blob = await answer.blob()
  const json = /^application\/(?:[\w.+-]*\+)?json\b/.test(type) ? parse(await blob.text()) : undefined
  onOutcome({ ...outcome, content: await contentOf(blob, type, answer.headers), json })
}

async function* pieces(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

async function contentOf(blob: Blob, type: string, headers: Headers): Promise<Content> {
  if (blob.size === 0) return { kind: 'none' }
  if (type.startsWith('image/')) return { kind: 'image', address: URL.createObjectURL(blob) }
  // The type octet-stream ensures that the browser cannot open the response as a page of this origin.
  const address = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }))
  if (!SHOWN.test(type)) return { kind: 'file', address, name: fileName(headers), bytes: blob.size }
  const text = readable(await blob.text())
  return { kind: 'text', text: text.slice(0, MOST_SHOWN), isCut: text.length > MOST_SHOWN, address }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const readable = (text: string): string => {
  const json = parse(text)
  return json === undefined ? text : pretty(json)
}

/** Revokes the object URL of a response, if it has one. */
export function release(outcome: Outcome | undefined): void {
  if (outcome && 'address' in outcome.content) URL.revokeObjectURL(outcome.content.address)
}
