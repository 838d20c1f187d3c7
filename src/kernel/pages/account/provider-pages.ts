import { type Html, html, nameOf } from '../html.ts'
import { alertBox, type FormFrame, postForm } from '../layout.ts'

export interface ProviderForm extends FormFrame {
  /** Name of the organisation. */
  readonly name: string
  readonly host: string
  readonly problem?: string | undefined
  /** Why the person is here: to sign in, because they have to, to connect their account, or to test the settings. */
  readonly reason: 'sign-in' | 'required' | 'connect' | 'test'
  /** Handle of the person who connects their account. */
  readonly handle?: string | undefined
  readonly hidden: Readonly<Record<string, string>>
  /** Path of the sign-in page with the other ways in. */
  readonly otherWays?: string | undefined
}

const REASONS: Record<ProviderForm['reason'], (form: ProviderForm) => { heading: Html | string; lead: Html }> = {
  'sign-in': ({ name, host }) => ({
    heading: html`Sign in with ${nameOf(name)}`,
    lead: html`<p>${nameOf(name)} signs its people in at <strong>${host}</strong>.</p>`,
  }),
  required: ({ name, host }) => ({
    heading: html`Sign in with ${nameOf(name)}`,
    lead: html`<p>${nameOf(name)} requires its people to sign in at <strong>${host}</strong>. Your password and your passkeys are not accepted here.</p>`,
  }),
  connect: ({ name, host, handle }) => ({
    heading: html`Connect your account to ${nameOf(name)}`,
    lead: html`<p>Sign in at <strong>${host}</strong> with the account that you have at ${nameOf(name)}. From then on, you can sign in to ${nameOf(handle ?? '')} there.</p>`,
  }),
  test: ({ name, host }) => ({
    heading: html`Test the sign-in of ${nameOf(name)}`,
    lead: html`<p>Sign in at <strong>${host}</strong>. Then you see what it says about you, and what would happen. Nobody is signed in, and nothing is connected.</p>`,
  }),
}

/** Renders the page from which people go to the provider of their organisation. */
export function providerPage(form: ProviderForm): Html {
  const { heading, lead } = REASONS[form.reason](form)
  return html`<section class="card">
<h1>${heading}</h1>
${alertBox(form.problem)}
${lead}
${postForm(
  form,
  html`${Object.entries(form.hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}<div class="buttons"><button>Continue to ${form.host}</button></div>`,
)}
${form.otherWays !== undefined && html`<p class="quiet"><a href="${form.otherWays}">Sign in another way</a></p>`}
</section>`
}

export interface ProviderFailure {
  readonly sentence: string
  readonly reference: string | undefined
  /** Path of the page to start again at. */
  readonly again: string | undefined
  readonly otherWays: string
}

/** Renders the page of a sign-in at a provider that has failed. */
export const providerFailurePage = ({
  sentence,
  reference,
  again,
  otherWays,
}: ProviderFailure): Html => html`<section class="card">
<h1>You are not signed in</h1>
${alertBox(sentence)}
<p>Nothing has changed.${reference !== undefined && html` If it happens again, tell an owner of your organisation this code: <strong>${reference}</strong>`}</p>
<p>${again !== undefined && html`<a href="${again}">Try again</a> · `}<a href="${otherWays}">Sign in another way</a></p>
</section>`

export interface TestFailure extends Pick<ProviderFailure, 'sentence' | 'reference'> {
  /** Path of the page to test again at. */
  readonly again: string
  readonly settings: string
}

/** Renders the page of a test in which the provider has not identified anybody. */
export const testFailurePage = ({
  sentence,
  reference,
  again,
  settings,
}: TestFailure): Html => html`<section class="card">
<h1>The sign-in does not work yet</h1>
${alertBox(sentence)}
${reference !== undefined && html`<p>The settings list it under Failed sign-ins, with the code <strong>${reference}</strong>.</p>`}
<p><a href="${settings}">Back to the settings</a> · <a href="${again}">Test again</a></p>
</section>`

export interface TestResult {
  readonly name: string
  /** One line for each claim that matters: its name, its value, and what that means here. */
  readonly claims: readonly { readonly name: string; readonly value: string; readonly meaning: string }[]
  readonly outcome: string
  readonly settings: string
}

/** Renders what a test has shown. */
export const testResultPage = ({ name, claims, outcome, settings }: TestResult): Html => html`<section class="card">
<h1>The sign-in works</h1>
<p>${outcome}</p>
<p>Nobody was signed in, and nothing was connected.</p>
<h2>What the provider of ${nameOf(name)} says</h2>
<dl>${claims.map(({ name: claim, value, meaning }) => html`<dt><code>${claim}</code></dt><dd>${value === '' ? 'Nothing' : nameOf(value)}<br><span class="quiet">${meaning}</span></dd>\n`)}</dl>
<p><a href="${settings}">Back to the settings</a></p>
</section>`

export interface SignedOutOf {
  readonly provider?: { readonly name: string; readonly host: string; readonly address: string } | undefined
  readonly continueAt?: string | undefined
}

/** Renders the page for people who were signed in through a provider, and may still be signed in there. */
export const signedOutOfPage = ({ provider, continueAt }: SignedOutOf): Html => html`<section class="card">
<h1>You are signed out</h1>
${
  provider
    ? html`<p>You may still be signed in at <strong>${provider.host}</strong>, so that somebody else in this browser could sign in as you.</p>
<p><a href="${provider.address}">Sign out of ${nameOf(provider.name)} too</a></p>`
    : html`<p>You can close this page.</p>`
}
${continueAt !== undefined && html`<p><a href="${continueAt}">Go back to the app</a></p>`}
<p class="quiet"><a href="/account/signin">Sign in again</a></p>
</section>`
