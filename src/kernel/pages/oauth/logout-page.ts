import { type Html, html, nameOf } from '../html.ts'
import { alertBox, type FormFrame, postForm } from '../layout.ts'

export interface SignOutForm extends FormFrame {
  readonly handle: string
  /** The name of the app that sent the person here, if it is known. */
  readonly app: string | undefined
  readonly problem: string | undefined
}

/** Asks the person whether to sign out. */
export const signOutPage = ({ handle, app, problem, ...frame }: SignOutForm): Html => html`<section class="card">
<h1>Sign out?</h1>
${alertBox(problem)}
<p>${app === undefined ? 'An app' : html`<strong>${nameOf(app)}</strong>`} wants to sign you out. You are signed in as ${nameOf(handle)}.</p>
<p>You will be signed out of Groundschool in this browser, and of the apps that you opened with it.</p>
${postForm(
  frame,
  html`<div class="buttons"><button name="decision" value="sign-out">Sign out</button><button class="other" name="decision" value="stay">Stay signed in</button></div>`,
)}
</section>`

export const signedOutPage = ({ problem }: { problem: string | undefined }): Html => html`<section class="card">
<h1>You are signed out</h1>
${alertBox(problem)}
<p>You can close this page.</p>
<p class="quiet"><a href="/account/signin">Sign in again</a></p>
</section>`

export const stillSignedInPage = ({ handle }: { handle: string }): Html => html`<section class="card">
<h1>You are still signed in</h1>
<p>You are signed in as ${nameOf(handle)}. You can close this page.</p>
<p class="quiet"><a href="/account">Go to your account</a></p>
</section>`
