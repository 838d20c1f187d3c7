import { handleField } from '../account/password-page.ts'
import { type Html, html } from '../html.ts'
import { alertBox, postForm } from '../layout.ts'
import { REMOVE_PATH } from './passkeys-section.ts'

export interface RemoveForm {
  readonly passkeyId: string
  readonly name: string
  readonly handle: string
  readonly problem: string
  readonly csrfToken: string
}

/** Asks for the password of somebody who signed in a while ago. */
export const removePage = ({
  passkeyId,
  name,
  handle,
  problem,
  csrfToken,
}: RemoveForm): Html => html`<section class="card">
<h1>Remove a passkey</h1>
<p>Nobody can sign in with <strong>${name}</strong> any more once it is removed.</p>
${alertBox(problem)}
${postForm(
  { action: REMOVE_PATH, csrfToken },
  html`<input type="hidden" name="passkeyId" value="${passkeyId}">
${handleField(handle)}
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1000" required autofocus>
<div class="buttons"><button>Remove</button></div>`,
)}
<p class="quiet"><a href="/account">Back to your account</a></p>
</section>`
