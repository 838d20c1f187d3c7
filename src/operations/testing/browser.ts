import assert from 'node:assert/strict'
import { type HttpResponse, sendRequest } from './http.ts'

export interface Seen {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** The Location header of a redirect. */
  readonly location: string | undefined
}

type Fields = Readonly<Record<string, string>>

async function open(url: URL, init: RequestInit & { headers: Headers }): Promise<HttpResponse> {
  const { method, headers, body, ...others } = init
  const isPlain = typeof body === 'string' || body instanceof Uint8Array || !body
  if (isPlain && Object.keys(others).length === 0)
    return sendRequest(url, { headers, ...(method && { method }), ...(body && { body: body as Buffer }) })
  const response = await fetch(url, { ...init, redirect: 'manual' })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

/**
 * A simulated browser without scripts: it stores cookies, loads pages and posts their forms. It does not follow
 * redirects.
 */
export class TestBrowser {
  readonly address: string
  readonly cookies = new Map<string, string>()

  constructor(address: string) {
    this.address = address
  }

  async send(path: string, init: RequestInit = {}): Promise<Seen> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = new Headers(init.headers)
    if (cookie !== '' && !headers.has('cookie')) headers.set('cookie', cookie)
    const answer = await open(new URL(path, this.address), { ...init, headers })
    for (const line of answer.headers.getSetCookie()) this.#keep(line)
    return { ...answer, location: answer.headers.get('location') ?? undefined }
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (/max-age=0/i.test(line)) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }

  get = (path: string, query: Fields = {}): Promise<Seen> => {
    const search = String(new URLSearchParams(query))
    return this.send(search === '' ? path : `${path}?${search}`)
  }

  /**
   * Posts a form of the page with the given fields and the form's hidden fields. `action` is a prefix of the form's
   * action URL.
   */
  submit(page: Seen, fields: Fields, action = ''): Promise<Seen> {
    const form = formsOf(page.text).find((one) => one.action.startsWith(action))
    assert.ok(form, `the page has no form for ${action}: ${page.text}`)
    return this.post(form.action, { ...form.hidden, ...fields })
  }

  post = (path: string, fields: Fields): Promise<Seen> =>
    this.send(path, {
      method: 'POST',
      body: String(new URLSearchParams(fields)),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })

  /** Follows a redirect to a page of the platform. */
  follow(seen: Seen): Promise<Seen> {
    assert.equal(seen.status, 303, seen.text)
    return this.send(seen.location!)
  }
}

const unescapeHtml = (text: string): string =>
  text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name as 'amp']!,
  )

export function formsOf(page: string): { action: string; hidden: Fields }[] {
  return [...page.matchAll(/<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(
    ([, action = '', body = '']) => ({
      action: unescapeHtml(action),
      hidden: Object.fromEntries(
        [...body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name = '', value = '']) => [
          name,
          unescapeHtml(value),
        ]),
      ),
    }),
  )
}
