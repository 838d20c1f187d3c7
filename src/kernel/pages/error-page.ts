import { type Html, html } from './html.ts'

export interface Problem {
  readonly status: number
  readonly code: number
  readonly sentence: string
  readonly requestId: string
}

const TITLES: Record<number, string> = {
  400: 'Invalid request',
  401: 'App not available',
  403: 'Access denied',
  404: 'Page not found',
  413: 'Too large',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Temporarily unavailable',
}

export const titleOf = ({ status }: Problem): string => TITLES[status] ?? 'Something went wrong'

export const errorPage = (problem: Problem): Html => html`<section class="card">
<h1>${titleOf(problem)}</h1>
<p class="alert" role="alert">${problem.sentence.replace(/[^.?!]$/, '$&.')}</p>
${problem.status === 413 && html`<p>Go back and choose a smaller file.</p>`}
<p class="quiet">If you came here from an app, go back to it and try again, or contact the app’s developer: error ${problem.code}, request ${problem.requestId}.</p>
</section>`
