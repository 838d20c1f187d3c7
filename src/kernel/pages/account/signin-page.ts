import { type Html, html, nameOf } from '../html.ts'
import { alertBox, type FormFrame, noticeBox, postForm } from '../layout.ts'

/** Script that offers sign-in with a passkey. The form also works without it. */
export const PASSKEY_SCRIPT = '/web/passkey.js'

export interface SignInForm extends FormFrame {
  readonly heading: string
  /** Says in a sentence or two what the person is signing in for. */
  readonly lead?: Html | undefined
  /** Result of the previous action. */
  readonly notice?: string | undefined
  readonly problem?: string | undefined
  readonly handle?: string | undefined
  /** True if sign-up is open. */
  readonly canSignUp?: boolean
  /** True if people can sign in with the provider of their organisation. */
  readonly hasProviders: boolean
  /** Providers that the signed-in person uses, who is asked again. */
  readonly providers?: readonly { readonly name: string; readonly path: string }[] | undefined
  /** True if there are demo people, whose password is public. */
  readonly hasDemo: boolean
}

/**
 * Renders the sign-in form with handle and password. The passkey button is hidden until the script shows it, in
 * browsers that support passkeys.
 */
export const signInPage = ({
  heading,
  lead,
  notice,
  problem,
  handle,
  canSignUp = false,
  hasProviders,
  providers = [],
  hasDemo,
  ...frame
}: SignInForm): Html => html`<section class="card">
<h1>${heading}</h1>
${lead}
${noticeBox(notice)}
${alertBox(problem)}
${postForm(
  frame,
  html`<label for="handle">Handle or e-mail address</label>
<input id="handle" name="handle" value="${handle ?? ''}" autocomplete="username webauthn" autocapitalize="none" spellcheck="false" maxlength="254" required${handle ? '' : html` autofocus`}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1000" required${handle ? html` autofocus` : ''}>
<label class="check"><input type="checkbox" name="keep" value="true"> Keep me signed in on this device</label>
<div class="buttons"><button>Sign in</button>${hasProviders && html`<button class="other" name="way" value="organisation" formnovalidate>Sign in with your organisation</button>`}</div>`,
)}
<div class="buttons" data-passkey hidden><button type="button" class="other" data-passkey-sign-in>Sign in with a passkey</button></div>
<p class="alert" role="alert" data-passkey-problem hidden></p>
${providers.map(
  ({ name, path }) => html`<p><a href="${path}">Sign in with ${nameOf(name)}</a></p>
`,
)}<p class="quiet"><a href="/account/reset">Forgot your password?</a>${canSignUp && html` · <a href="/account/signup">Create account</a>`}</p>
${hasDemo && html`<p class="quiet">Trying the demo? <a href="/">Sign in with one click on the home page</a>, or use the password <code>groundschool</code>.</p>\n`}</section>`
