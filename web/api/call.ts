interface InputFault {
  /** JSON pointer of the value in the input, such as `/redirectUris/1`. */
  readonly pointer: string
  /** The end of a sentence that begins with the value and "must". */
  readonly must: string
  /** A whole sentence for people, if the platform has one. */
  readonly message?: string
  /** The requirement of a specification that a content package violates, by its id. */
  readonly rule?: string
}

interface Refusal {
  readonly error_code?: number
  readonly error_description?: string
  readonly faults?: readonly InputFault[]
}

/** Thrown if a call fails. Contains the message to show, and details that people can include in a bug report. */
export class ApiProblem extends Error {
  readonly status: number
  /** The platform's error code; 0 if the platform could not be reached. */
  readonly code: number
  readonly requestId: string | undefined
  /** Everything that is wrong with the input, if the platform lists it. */
  readonly faults: readonly InputFault[]

  constructor(
    message: string,
    what: { status: number; code: number; requestId?: string | undefined; faults?: readonly InputFault[] | undefined },
  ) {
    super(message)
    this.name = 'ApiProblem'
    this.status = what.status
    this.code = what.code
    this.requestId = what.requestId
    this.faults = what.faults ?? []
  }

  /** Whether the person has to sign in, either for the first time or again. */
  get isSignInNeeded(): boolean {
    return this.code === 4016
  }

  /** Whether the outcome is unknown: no answer arrived, or the platform failed. Repeating the call may succeed. */
  get isUnanswered(): boolean {
    return this.status === 0 || this.status >= 500
  }
}

const CONSENT_MISSING = 4019
/** Tells whether a call was refused only because the person has not allowed the app yet. */
export const isConsentMissing = (error: Error | null): boolean =>
  error instanceof ApiProblem && error.code === CONSENT_MISSING

export interface CallOptions {
  readonly signal?: AbortSignal
  /** An app's access token. Only the demo app and the API reference use tokens; other pages use an HttpOnly cookie. */
  readonly token?: string
  /** The platform runs a repeated write with the same key only once, and repeats its first answer. */
  readonly idempotencyKey?: string
  /**
   * Milliseconds after which a call without an answer fails. The body of the answer may take longer. With `onProgress`,
   * the time begins again whenever something was sent.
   */
  readonly timeoutMs?: number
  /** For uploads: called with the share of the file that has been sent, from 0 to 1. */
  readonly onProgress?: (sent: number) => void
}

type Fields = Readonly<Record<string, unknown>>

/** A function that calls one operation of the API. The operation's name is part of the cache key of its results. */
export interface Operation<Input, Output> {
  (input: Input, options?: CallOptions): Promise<Output>
  readonly operationName: string
}

/** Inserts fields into the placeholders of the path; all other fields are added to the query. */
function fillIn(path: string, fields: Fields): string {
  const rest = new URLSearchParams()
  let filled = path
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue
    if (path.includes(`{${name}}`)) filled = filled.replace(`{${name}}`, encodeURIComponent(String(value)))
    else rest.set(name, String(value))
  }
  return rest.size > 0 ? `${filled}?${rest}` : filled
}

/** Says that no answer arrived. A write keeps what the person entered, because its form stays as it is. */
const sayUnreachable = (method: string | undefined): string =>
  [
    navigator.onLine ? 'Groundschool can’t be reached.' : 'You’re offline.',
    method === 'GET' ? 'Try again when you’re connected.' : 'Your input is kept. Try again when you’re connected.',
  ].join(' ')

async function send<Output>(
  address: string,
  init: RequestInit,
  { signal, token, idempotencyKey, timeoutMs }: CallOptions,
): Promise<Output> {
  const headers = new Headers(init.headers)
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey)
  const late = new AbortController()
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => late.abort(), timeoutMs)
  let answer: Response
  let isJson: boolean | undefined
  try {
    answer = await fetch(address, {
      ...init,
      headers,
      credentials: token === undefined ? 'same-origin' : 'omit',
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    })
    clearTimeout(timer)
    isJson = answer.headers.get('content-type')?.startsWith('application/json')
    if (answer.ok) return await ((isJson ? answer.json() : answer.blob()) as Promise<Output>)
  } catch (error) {
    clearTimeout(timer)
    // The page has cancelled a read that it no longer needs.
    if (signal?.aborted) throw error
    throw new ApiProblem(sayUnreachable(init.method), { status: 0, code: 0 })
  }
  throw problemOf(answer.status, isJson ? await answer.json() : {}, answer.headers.get('x-request-id'))
}

const problemOf = (status: number, said: Refusal, requestId: string | null): ApiProblem =>
  new ApiProblem(said.error_description ?? `Groundschool responded with status ${status}`, {
    status,
    code: said.error_code ?? status,
    requestId: requestId ?? undefined,
    faults: said.faults,
  })

/** Sends a file with XMLHttpRequest, because `fetch` does not report how much it has sent. */
const sendFile = <Output>(
  address: string,
  { method, headers, body }: { method: string; headers: RequestHeaders; body: Blob },
  { onProgress, signal, timeoutMs }: CallOptions,
): Promise<Output> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, address)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    const abort = () => request.abort()
    let timer: ReturnType<typeof setTimeout> | undefined
    const watch = () => {
      clearTimeout(timer)
      if (timeoutMs !== undefined) timer = setTimeout(abort, timeoutMs)
    }
    watch()
    signal?.addEventListener('abort', abort)
    request.upload.onprogress = ({ loaded, total }) => {
      watch()
      onProgress?.(loaded / total)
    }
    request.onloadend = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
    request.onerror = request.onabort = () => reject(new ApiProblem(sayUnreachable(method), { status: 0, code: 0 }))
    request.onload = () => {
      const said = JSON.parse(request.responseText || '{}')
      if (request.status < 300) resolve(said)
      else reject(problemOf(request.status, said, request.getResponseHeader('x-request-id')))
    }
    request.send(body)
  })

const named = <F extends object>(call: F, operationName: string): F & { readonly operationName: string } =>
  Object.assign(call, { operationName })

type RequestHeaders = Readonly<Record<string, string>>

export const operation = <Input extends object, Output>(
  name: string,
  method: string,
  path: string,
  more: RequestHeaders = {},
) =>
  named((input: Input, options: CallOptions = {}): Promise<Output> => {
    if (method === 'GET') return send(fillIn(path, input as Fields), { method, headers: more }, options)
    const headers = { ...more, 'content-type': 'application/json' }
    return send(path, { method, body: JSON.stringify(input), headers }, options)
  }, name)

/** Creates a function for an operation whose request body is a file. All other fields are sent in the query. */
export const upload = <Input extends object, Output>(
  name: string,
  method: string,
  path: string,
  more: RequestHeaders = {},
) =>
  named((input: Input & { readonly file: Blob }, options: CallOptions = {}): Promise<Output> => {
    const { file, ...fields } = input
    const headers = { ...more, 'content-type': file.type || 'application/octet-stream' }
    if (options.onProgress) return sendFile(fillIn(path, fields), { method, body: file, headers }, options)
    return send(fillIn(path, fields), { method, body: file, headers }, options)
  }, name)

/**
 * Creates a function that returns the URL of a resource that the browser itself loads, such as an image or a download.
 */
export const address =
  <Input extends object>(path: string) =>
  (input: Input): string =>
    fillIn(path, input as Fields)

type Listeners<Events> = { readonly [Name in keyof Events]?: (data: Events[Name]) => void }

const REOPEN_MS = 5000
const LONGEST_REOPEN_MS = 60_000

/**
 * Creates a function that opens a stream of server-sent events and returns a function that closes it. After a lost
 * connection, the browser reconnects and resumes after the last event.
 */
export const stream =
  <Input extends object, Events extends object>(path: string) =>
  (input: Input, listeners: Listeners<Events>, onConnected?: (isConnected: boolean) => void): (() => void) => {
    let source: EventSource
    let timer: ReturnType<typeof setTimeout> | undefined
    let reopenMs = REOPEN_MS
    const open = () => {
      source = new EventSource(fillIn(path, input as Fields))
      for (const [name, listen] of Object.entries(listeners) as [string, (data: unknown) => void][])
        source.addEventListener(name, (event) => listen(JSON.parse((event as MessageEvent<string>).data)))
      source.onopen = () => {
        reopenMs = REOPEN_MS
        onConnected?.(true)
      }
      source.onerror = () => {
        onConnected?.(false)
        // Browsers do not reconnect after an error status, such as 503 while the platform is starting.
        if (source.readyState !== EventSource.CLOSED) return
        timer = setTimeout(open, reopenMs)
        reopenMs = Math.min(LONGEST_REOPEN_MS, reopenMs * 2)
      }
    }
    open()
    return () => {
      clearTimeout(timer)
      source.close()
    }
  }
