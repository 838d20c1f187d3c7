import { type Html, html } from './html.ts'

export interface Problem {
  readonly status: number
  readonly code: number
  readonly sentence: string
  readonly requestId: string
}

const TITLES: Record<number, string> = {
  400: 'This request cannot be used',
  401: 'This app cannot be used here',
  403: 'This is not allowed',
  404: 'Nothing found',
  413: 'This is too large',
  429: 'Please wait a little',
  500: 'Something went wrong',
  503: 'Not available just now',
}

export const titleOf = ({ status }: Problem): string => TITLES[status] ?? 'This did not work'

export const errorPage = (problem: Problem): Html => html`<section class="card">
<h1>${titleOf(problem)}</h1>
<p class="alert" role="alert">${problem.sentence.replace(/[^.?!]$/, '$&.')}</p>
${problem.status === 413 && html`<p>Go back and send less, such as a smaller file.</p>`}
<p class="quiet">If you came here from an app, go back to it and try again, or tell its maker: error ${problem.code}, request ${problem.requestId}.</p>
</section>`
