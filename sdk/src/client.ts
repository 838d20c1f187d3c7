import type { AtoStatus } from './payloads.ts'

export interface ClientOptions {
  /** Base URL of the platform, such as `http://localhost:4000`. */
  readonly baseUrl: string
  readonly clientId: string
  readonly secret: string
  /** Timeout of one call in milliseconds; 10 seconds by default. */
  readonly timeoutMs?: number
}

/** Thrown if the platform refuses a call. docs/errors.md says what to do about each code. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly status: number
  readonly errorCode: number | undefined
  readonly errorDescription: string
  /** Identifies the call in the platform's log; include it in bug reports. */
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
  /** A duration such as `1d`. */
  readonly expires_in: string
  readonly token_type: string
}

export interface RecordOfUser {
  readonly userId: string
  /** Empty if the platform does not know it. */
  readonly dutyTitle: string
  readonly afsc: string
  readonly education: readonly string[]
  readonly courses: readonly {
    readonly courseId: string
    readonly name: string
    readonly organisation: string
    readonly lessons: number
    readonly lessonsPassed: number
    readonly completed: boolean
    readonly completedDate: string | null
    readonly score: number | null
  }[]
  readonly badges: readonly {
    readonly badgeId: string
    readonly name: string
    readonly issuedOn: string
    /** Client ID of the plugin that asserted the badge; null if the platform awarded it. */
    readonly assertedBy: string | null
  }[]
  readonly skills: readonly string[]
}

interface BadgeFields {
  readonly name: string
  readonly description: string
  readonly type: string
  /** An https URL, or the id of an image. */
  readonly image: string
  readonly issuerName: string
  readonly criteria: string
}

/** Fields of a badge to create. A badge belongs either to a course or to an objective. */
export type NewBadge = Pick<BadgeFields, 'name'> &
  Partial<BadgeFields> &
  ({ readonly courseId: string } | { readonly objectiveId: string })

export interface Badge extends BadgeFields {
  readonly badgeId: string
  readonly courseId: string
  /** Null if the badge belongs to the whole course. */
  readonly objectiveId: string | null
  readonly organisation: string
  readonly createdDate: string
  readonly updatedDate: string
}

interface AssertionFields extends Pick<BadgeFields, 'name' | 'type' | 'image' | 'issuerName'> {
  readonly userId: string
  /** Id of a badge of the platform, or any other id for a badge of the plugin's own. */
  readonly badgeId: string
  /** Date and time in ISO 8601. */
  readonly issuedOn: string
}
type EarnedWith = 'lessonId' | 'classId' | 'versionId'

export type NewAssertion = AssertionFields & { readonly [Id in EarnedWith]?: string }

export type Assertion = AssertionFields & { readonly [Id in EarnedWith]: string | null } & {
  /** Stays the same if the same badge is asserted again. */
  readonly assertionId: string
  readonly organisation: string | null
  /** Client ID of the plugin that asserted the badge; null if the platform awarded it. */
  readonly assertedBy: string | null
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
  /** The plugin's own id for the alert. */
  readonly providerId?: string
  readonly status?: string
  /** `info` by default. */
  readonly type?: 'info' | 'success' | 'warning' | 'error'
}

interface OrganisationFilter {
  /** Keys of organisations; by default all organisations that the plugin may see. */
  readonly orgIds?: readonly string[]
}
interface Page extends OrganisationFilter {
  readonly page?: number
  readonly limit?: number
}
interface SuccessResponse {
  readonly success: true
}

const PAGE_LIMIT = 100

/** Creates a client for the operations that a plugin calls. Creating one is cheap: it opens no connection. */
export function createClient({ baseUrl, clientId, secret, timeoutMs = 10_000 }: ClientOptions) {
  const basic = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`

  async function call<T>(method: string, path: string, headers: Record<string, string>, body?: string): Promise<T> {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: { accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
      // Do not follow redirects: they could send the secret to another server.
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
    const given = Object.entries(query).filter(([, value]) => value !== undefined && String(value) !== '')
    const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()
    return call<T>('GET', text === '' ? path : `${path}?${text}`, { authorization: basic })
  }

  /** Requests tokens. The values are sent as form fields, not in the URL, because URLs end up in logs. */
  const token = (grant: Record<string, string>) =>
    call<Tokens>(
      'POST',
      '/oauth/token',
      { 'content-type': 'application/x-www-form-urlencoded' },
      new URLSearchParams({ ...grant, client_id: clientId, client_secret: secret }).toString(),
    )

  const listRecords = (page: Page = {}) => get<RecordOfUser[]>('/plugin/v2/ai/record-data', page)

  return {
    /** Reads one page of learning records. Needs the permission `user-records`. */
    listRecords,
    /** Yields all learning records, reading page after page. Needs the permission `user-records`. */
    async *eachRecord(what: OrganisationFilter = {}): AsyncGenerator<RecordOfUser> {
      for (let page = 1; ; page++) {
        const records = await listRecords({ ...what, page, limit: PAGE_LIMIT })
        yield* records
        if (records.length < PAGE_LIMIT) return
      }
    },
    /** Stores data about a person: any JSON of up to 64 KiB. Needs the permission `user-records`. */
    addInfo: (what: { userId: string; info: unknown }) =>
      post<{ userId: string; info: unknown; updatedDate: string }>('/plugin/v2/ai/additional-info', basic, what),

    /** Records that a person holds a badge. Needs the permission `badges`. */
    assertBadge: (what: NewAssertion) => post<Assertion>('/plugin/v2/ai/badge/assertion', basic, what),
    /** Lists the badges that a person holds. Needs the permission `badges`. */
    listAssertions: (userId: string) => get<Assertion[]>('/plugin/v2/ai/badge/assertion', { userId }),
    /** Creates a badge. Needs the permission `badges`. */
    createBadge: (what: NewBadge) => post<Badge>('/plugin/v2/ai/badge', basic, what),
    /** Lists badges of courses. Needs the permission `badges`. */
    listCourseBadges: (what: OrganisationFilter & { readonly courseId?: string } = {}) =>
      get<Badge[]>('/plugin/v2/ai/badge/course', what),
    /** Lists badges of objectives. Needs the permission `badges`. */
    listObjectiveBadges: (what: OrganisationFilter & { readonly objectiveId?: string } = {}) =>
      get<Badge[]>('/plugin/v2/ai/badge/objective', what),

    /** Reads hobbies and skills of a person. Needs the permission `skills`. */
    readOtherSkills: (userId: string) => get<OtherSkills>('/plugin/v2/ai/other-skills', { userId }),

    /** Exchanges the code of the redirect for tokens. A code works once, within a minute. */
    exchangeCode: (code: string, verifier?: string) =>
      token({ grant_type: 'authorization_code', code, ...(verifier ? { code_verifier: verifier } : {}) }),
    /** Gets new tokens. A refresh token works only once: store the new one. */
    refresh: (refreshToken: string) => token({ grant_type: 'refresh_token', refresh_token: refreshToken }),

    /** ATO operations on behalf of the user whose access token is given. */
    as: (accessToken: string) => ({
      setStatus: (what: StatusChange) => post<SuccessResponse>('/plugin/v1/ato/status', `Bearer ${accessToken}`, what),
      sendAlert: (what: Alert) => post<SuccessResponse>('/plugin/v1/ato/alert', `Bearer ${accessToken}`, what),
    }),
  }
}

export type Client = ReturnType<typeof createClient>
