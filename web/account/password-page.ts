import { type Html, html } from '../html.ts'
import { alertBox, type FormFrame, postForm } from '../layout.ts'

export interface PasswordForm extends FormFrame {
  readonly handle: string
  readonly minLength: number
  readonly problem?: string | undefined
}

/** The new password twice, because without a script nobody can look at what they type. */
export const newPasswordFields = (minLength: number): Html => html`<label for="new-password">New password</label>
<input id="new-password" name="new_password" type="password" autocomplete="new-password" minlength="${minLength}" maxlength="1000" aria-describedby="new-password-rule" required>
<p class="quiet hint" id="new-password-rule">At least ${minLength} characters. A few words are easier to remember and harder to guess.</p>
<label for="again">New password again</label>
<input id="again" name="again" type="password" autocomplete="new-password" minlength="${minLength}" maxlength="1000" required>`

/** For password managers, which keep a password with its handle. */
export const handleField = (handle: string): Html => html`<label for="handle">Handle</label>
<input id="handle" value="${handle}" autocomplete="username" readonly>`

export const passwordPage = ({
  handle,
  minLength,
  problem,
  ...frame
}: PasswordForm): Html => html`<section class="card">
<h1>Change your password</h1>
<p class="quiet">Afterwards you are signed out everywhere else, in all apps too.</p>
${alertBox(problem)}
${postForm(
  frame,
  html`${handleField(handle)}
<label for="password">Current password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1000" required autofocus>
${newPasswordFields(minLength)}
<div class="buttons"><button>Change password</button></div>`,
)}
<p class="quiet"><a href="/account">Back to your apps and devices</a></p>
</section>`
