import { NEXT_STATUSES } from 'groundschool-sdk'
import type { KeptRequest } from './requests.ts'

export const STYLE = `:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
table { border-collapse: collapse } caption { text-align: left } th, td { text-align: left; padding: .25rem 1rem .25rem 0; vertical-align: top }
label { display: block; margin: .75rem 0 .25rem } input, select, textarea, button { font: inherit; padding: .4rem; max-width: 100% }
input[type=text], textarea { width: 100%; box-sizing: border-box } button { margin-top: 1rem } :focus-visible { outline: 3px solid }
.notice, .failed { border-left: .3rem solid; padding: .5rem 1rem }
`

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** HTML that is safe to insert without escaping. */
class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | null | undefined | Html | readonly Html[]

function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  const show = (value: Value): string =>
    value instanceof Html
      ? value.text
      : Array.isArray(value)
        ? value.map(show).join('')
        : String(value ?? '').replace(/[&<>"']/g, (character) => ENTITIES[character]!)
  return new Html(parts.map((part, at) => part + (at < values.length ? show(values[at]) : '')).join(''))
}

function page(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} – ATO helper</title><link rel="stylesheet" href="/style.css"></head>
<body><main><h1>${title}</h1>
${body}
</main></body></html>
`.text
}

export const sentencePage = (title: string, sentence: string): string => page(title, html`<p>${sentence}</p>`)

export interface PageNotice {
  readonly text: string
  readonly isFailure: boolean
}

/** Renders the page of a request, with forms for the next steps. `key` is the CSRF token of the forms. */
export function requestPage(request: KeptRequest, key: string, notice?: PageNotice): string {
  const { requestId, status = 'not-started' } = request
  const next = NEXT_STATUSES[status]
  const fields: [string, string | null | undefined][] = [
    ['Status', status],
    ['App', request.appName],
    ['Company', request.companyName],
    ['Phone', request.companyPhone],
    ['Requested by', [request.requestingUserFirstName, request.requestingUserLastName].filter(Boolean).join(' ')],
    ['E-mail', request.requestingUserEmail],
    ['Report URL', request.reportUri],
  ]
  const action = `/requests/${requestId}`
  const proof = html`<input type="hidden" name="key" value="${key}">`
  return page(
    request.packageName ?? 'ATO request',
    html`${notice ? html`<p role="${notice.isFailure ? 'alert' : 'status'}" class="${notice.isFailure ? 'failed' : 'notice'}">${notice.text}</p>` : ''}
<table><caption>Request</caption>${fields.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value || '–'}</td></tr>`)}</table>
<h2>Distributions</h2>
${
  request.distributions.length === 0
    ? html`<p>No distributions</p>`
    : html`<table><thead><tr><th scope="col">Name</th><th scope="col">Platform</th><th scope="col">Version</th><th scope="col">URL</th></tr></thead>
<tbody>${request.distributions.map((one) => html`<tr><td>${one.name}</td><td>${one.platform}</td><td>${one.version}</td><td>${one.uri}</td></tr>`)}</tbody></table>`
}
<h2>Status</h2>
${
  next.length === 0
    ? html`<p>Request completed</p>`
    : html`<form method="post" action="${action}/status">${proof}
<label for="status">Next status</label><select id="status" name="status">${next.map((one) => html`<option>${one}</option>`)}</select>
<label><input type="checkbox" name="cancellable" value="true"${new Html(request.cancellable ? ' checked' : '')}> The requester can cancel the request</label>
<button>Change status</button></form>`
}
<h2>Send an alert</h2>
<form method="post" action="${action}/alert">${proof}
<label for="type">Type</label><select id="type" name="type"><option>info</option><option>success</option><option>warning</option><option>error</option></select>
<label for="title">Title</label><input type="text" id="title" name="title" required maxlength="200">
<label for="text">Text</label><textarea id="text" name="text" rows="4" required maxlength="5000"></textarea>
<button>Send alert</button></form>`,
  )
}
