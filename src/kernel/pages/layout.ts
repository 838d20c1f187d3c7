import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Html, html } from './html.ts'

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')
/**
 * Returns the path of a script or style sheet. It changes with the content, so browsers may cache the file for long.
 */
const pathOf = (text: string, ending: string): string =>
  `/web/${createHash('sha256').update(text).digest('base64url').slice(0, 16)}.${ending}`

export const STYLE = read('style.css')
export const STYLE_PATH = pathOf(STYLE, 'css')
export const ICON = read('icon.svg')
export const ICON_PATH = pathOf(ICON, 'svg')

export interface Frame {
  readonly title: string
  readonly isSandbox: boolean
  /** Handle of the signed-in person, for the page header. */
  readonly handle?: string | undefined
  readonly scripts?: readonly string[] | undefined
}

/** Renders a complete page around the given body. */
export const layOutPage = ({ title, isSandbox, handle, scripts = [] }: Frame, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Groundschool</title>
<link rel="icon" href="${ICON_PATH}">
<link rel="stylesheet" href="${STYLE_PATH}">
${scripts.map((path) => html`<script type="module" src="${path}"></script>\n`)}</head>
<body>
<header class="top">
<p class="brand">${handle === undefined ? 'Groundschool' : html`<a href="/">Groundschool</a>`}${isSandbox && html` <span class="badge">Sandbox</span>`}</p>
${handle !== undefined && html`<nav aria-label="Account"><a href="/account">${handle}</a></nav>`}
</header>
${isSandbox && html`<div class="stripes"></div>`}<main>
${body}
</main>
</body>
</html>
`.text

/** Renders an error message above a form or a page. Screen readers announce it immediately. */
export const alertBox = (sentence: string | undefined): Html | undefined =>
  sentence === undefined ? undefined : html`<p class="alert" role="alert">${sentence}</p>`

export const noticeBox = (sentence: string | undefined): Html | undefined =>
  sentence === undefined ? undefined : html`<p class="notice" role="status">${sentence}</p>`

export interface FormFrame {
  readonly action: string
  readonly csrfToken: string
}

/** Renders a form with a CSRF token. */
export const postForm = ({ action, csrfToken }: FormFrame, body: Html): Html =>
  html`<form method="post" action="${action}"><input type="hidden" name="csrf_token" value="${csrfToken}">
${body}
</form>`
