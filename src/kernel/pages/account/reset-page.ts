import { type Html, html, nameOf } from '../html.ts'
import { alertBox, type FormFrame, noticeBox, postForm } from '../layout.ts'
import { handleField, newPasswordFields, type PasskeyBoxes, passkeyBoxes } from './new-password.ts'

export interface AskForm extends FormFrame {
  /** True if this installation can send reset links. */
  readonly canSend: boolean
  readonly notice?: string | undefined
  readonly problem?: string | undefined
  readonly handle?: string | undefined
}

export const askResetPage = ({
  canSend,
  notice,
  problem,
  handle,
  ...frame
}: AskForm): Html => html`<section class="card">
<h1>Forgot your password?</h1>
${noticeBox(notice)}
${alertBox(problem)}
${
  canSend
    ? html`<p>We’ll e-mail you a link to set a new password.</p>
${postForm(
  frame,
  html`<label for="handle">Handle or e-mail address</label>
<input id="handle" name="handle" value="${handle ?? ''}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required>
<div class="buttons"><button>Send link</button></div>`,
)}`
    : html`<p>This platform can’t send e-mails. Ask an administrator for a link to set a new password.</p>`
}
<p class="quiet"><a href="/account/signin">Back to sign-in</a></p>
</section>`

export interface ResetForm extends FormFrame {
  readonly code: string
  readonly handle: string
  /** True for a new account: it has no password yet, and can get a passkey instead. */
  readonly isNew: boolean
  readonly passkeys: PasskeyBoxes
  readonly minLength: number
  readonly problem?: string | undefined
}

export const resetPage = ({
  code,
  handle,
  isNew,
  passkeys,
  minLength,
  problem,
  ...frame
}: ResetForm): Html => html`<section class="card">
<h1>${isNew ? 'Set up your account' : 'Set a new password'}</h1>
<p class="quiet">${isNew ? `Your handle is ${handle}. Choose a password, or create a passkey.` : 'You’ll be signed in here and signed out everywhere else.'}</p>
${alertBox(problem)}
${postForm(
  frame,
  html`<input type="hidden" name="code" value="${code}">
${isNew && html`<input type="hidden" name="invitation" value="true">`}
${handleField(handle)}
${newPasswordFields(minLength)}
${passkeyBoxes(passkeys)}
<div class="buttons"><button>Set password</button></div>`,
)}
${
  isNew &&
  html`<div class="buttons" data-passkey hidden><button type="button" class="other" data-passkey-create data-code="${code}">Create a passkey instead</button></div>
<p class="alert" role="alert" data-passkey-problem hidden></p>`
}
</section>`

/**
 * Renders the confirmation of a password reset. It is a separate page, because it must work without a script, unlike
 * the account pages.
 */
export const resetDonePage = (): Html => html`<section class="card">
<h1>Password changed</h1>
<p>You’re signed in here and signed out everywhere else. Passkeys you kept still work. If you came from an app, go back to it and sign in again.</p>
<p><a href="/account">Go to your account</a></p>
</section>`

/** Renders the confirmation of the first password or passkey of an account. */
export const accountReadyPage = (joined: readonly { name: string; role: string }[]): Html => html`<section class="card">
<h1>Your account is ready</h1>
${joined.map(({ name, role }) => html`<p>You joined ${nameOf(name)} as ${role}.</p>`)}
<p>You’re signed in. Your classes and courses are on the dashboard.</p>
<p><a href="/dashboard">Go to the dashboard</a> · <a href="/account">Go to your account</a></p>
</section>`

/** Renders the page of an invitation that cannot be used. It offers no new link: only the inviter can send one. */
export const invitationEndedPage = (problem: string | undefined): Html => html`<section class="card">
<h1>Invitation no longer valid</h1>
${alertBox(problem)}
<p class="quiet"><a href="/account/signin">Sign in</a></p>
</section>`
