import type { AtoStatus } from './payloads.ts'

export interface ClientOptions {
  /** The address of the platform, such as `http://localhost:4000`. */
  readonly baseUrl: string
  readonly clientId: string
  readonly secret: string
  /** For one call; 10 seconds unless told. */
  readonly timeoutMs?: number
}

/** The platform refused. What to do about a code is in docs/errors.md. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly status: number
  readonly errorCode: number | undefined
  readonly errorDescription: string
  /** To find the call in the platform's log. */
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(response: Response, body: unknown) {
    const { error_code: code, error_description: description } = Object(body) as Record<string, unknown>
    const told = String(description ?? response.headers.get('error_description') ?? response.statusText)
    super(`${response.status}/${code ?? '–'}: ${told}`)
    this.status = response.status
    this.errorCode = Number(code ?? response.headers.get('error_code')) || undefined
    this.errorDescription = told
    this.requestId = response.headers.get('x-request-id') ?? undefined
    this.retryAfterSeconds = Number(response.headers.get('retry-after')) || undefined
  }
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  /** Such as `1d`. */
  readonly expires_in: string
  readonly token_type: string
}

export interface RecordOfUser {
  readonly userId: string
  readonly dutyTitle: string | null
  readonly afsc: string | null
  readonly education: unknown
  readonly courses: readonly {
    readonly courseId: string
    readonly name: string
    readonly lessonsPassed: number
    readonly lessons: number
    readonly completed: boolean
  }[]
  readonly badges: readonly { readonly badgeId: string; readonly name: string }[]
  readonly skills: readonly string[]
}

export interface NewBadge {
  readonly name: string
  readonly description?: string
  readonly type?: string
  readonly image?: string
  readonly issuerName?: string
  readonly criteria?: string
  readonly courseId?: string
  readonly objectiveId?: string
}

export interface Badge extends Omit<NewBadge, 'courseId' | 'objectiveId'> {
  readonly badgeId: string
  readonly courseId?: string | null
  readonly objectiveId?: string | null
}

export interface NewAssertion {
  readonly userId: string
  readonly badgeId: string
  readonly name: string
  readonly type: string
  readonly image: string
  /** ISO 8601. */
  readonly issuedOn: string
  readonly issuerName: string
  readonly lessonId?: string
  readonly classId?: string
  readonly versionId?: string
}

export interface Assertion extends NewAssertion {
  readonly assertionId: string
}

export interface OtherSkills {
  readonly userId: string
  readonly hobbies: readonly string[]
  readonly skills: readonly string[]
}

export interface StatusChange {
  readonly requestId: string
  readonly status: AtoStatus
  readonly complete?: boolean
  /** Whether the user may cancel the request. */
  readonly cancellable?: boolean
}

export interface Alert {
  readonly requestId: string
  readonly title: string
  readonly text: string
  /** Whatever the plugin calls it. */
  readonly providerId?: string
  readonly status?: string
  /** `info` unless told. */
  readonly type?: 'info' | 'success' | 'warning' | 'error'
}

interface Page {
  /** All that the plugin may see unless told. */
  readonly orgIds?: readonly string[]
  readonly page?: number
  readonly limit?: number
}
type BadgesOf<Id extends string> = { readonly orgIds: readonly string[] } | { readonly [K in Id]: string }
interface Done {
  readonly success: true
}

const PAGE_LIMIT = 100

/** The operations that a plugin calls. A new client is cheap; it keeps nothing but its options. */
export function createClient({ baseUrl, clientId, secret, timeoutMs = 10_000 }: ClientOptions) {
  const basic = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`

  async function call<T>(method: string, path: string, headers: Record<string, string>, body?: string): Promise<T> {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: { accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
      // The header with the secret goes to the platform and nowhere else.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    let answer: unknown
    try {
      answer = JSON.parse(text)
    } catch {
      if (response.ok) throw new TypeError(`${method} ${path} did not answer JSON: is ${baseUrl} the platform?`)
    }
    if (!response.ok) throw new PlatformError(response, answer)
    return answer as T
  }

  const post = <T>(path: string, authorization: string, body: object) =>
    call<T>('POST', path, { authorization, 'content-type': 'application/json' }, JSON.stringify(body))

  function get<T>(path: string, query: object): Promise<T> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined)
    const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()
    return call<T>('GET', text === '' ? path : `${path}?${text}`, { authorization: basic })
  }

  /** As form fields: what is in an address ends up in logs. */
  const token = (grant: Record<string, string>) =>
    call<Tokens>(
      'POST',
      '/oauth/token',
      { 'content-type': 'application/x-www-form-urlencoded' },
      new URLSearchParams({ ...grant, client_id: clientId, client_secret: secret }).toString(),
    )

  const listRecords = (page: Page = {}) => get<RecordOfUser[]>('/plugin/v2/ai/record-data', page)

  return {
    /** One page of learning records; needs `user-records`. */
    listRecords,
    /** Every learning record, page after page. */
    async *eachRecord(what: Pick<Page, 'orgIds'> = {}): AsyncGenerator<RecordOfUser> {
      for (let page = 1; ; page++) {
        const records = await listRecords({ ...what, page, limit: PAGE_LIMIT })
        yield* records
        if (records.length < PAGE_LIMIT) return
      }
    },
    /** Needs `user-records`. `info` is any JSON of up to 64 KiB. */
    addInfo: (what: { userId: string; info: unknown }) =>
      post<{ userId: string; info: unknown }>('/plugin/v2/ai/additional-info', basic, what),

    /** Needs `badges`. */
    assertBadge: (what: NewAssertion) => post<Assertion>('/plugin/v2/ai/badge/assertion', basic, what),
    /** Badges that somebody holds; needs `badges`. */
    listAssertions: (userId: string) => get<Assertion[]>('/plugin/v2/ai/badge/assertion', { userId }),
    /** Needs `badges`. */
    createBadge: (what: NewBadge) => post<Badge>('/plugin/v2/ai/badge', basic, what),
    /** Needs `badges`. */
    listCourseBadges: (what: BadgesOf<'courseId'>) => get<Badge[]>('/plugin/v2/ai/badge/course', what),
    /** Needs `badges`. */
    listObjectiveBadges: (what: BadgesOf<'objectiveId'>) => get<Badge[]>('/plugin/v2/ai/badge/objective', what),

    /** Needs `skills`. */
    readOtherSkills: (userId: string) => get<OtherSkills>('/plugin/v2/ai/other-skills', { userId }),

    /** The code that the redirect carried, for tokens. It works once, for a minute. */
    exchangeCode: (code: string, verifier?: string) =>
      token({ grant_type: 'authorization_code', code, ...(verifier ? { code_verifier: verifier } : {}) }),
    /** Each refresh token works once: keep the new one. */
    refresh: (refreshToken: string) => token({ grant_type: 'refresh_token', refresh_token: refreshToken }),

    /** ATO operations, for the user who signed in. */
    as: (accessToken: string) => ({
      setStatus: (what: StatusChange) => post<Done>('/plugin/v1/ato/status', `Bearer ${accessToken}`, what),
      sendAlert: (what: Alert) => post<Done>('/plugin/v1/ato/alert', `Bearer ${accessToken}`, what),
    }),
  }
}

export type Client = ReturnType<typeof createClient>
