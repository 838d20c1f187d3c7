import { handleField } from '../account/password-page.ts'
import { type Html, html } from '../html.ts'
import { alertBox, postForm } from '../layout.ts'
import { REMOVE_PATH } from './passkeys-section.ts'

export interface RemoveForm {
  readonly passkeyId: string
  readonly name: string
  readonly handle: string
  readonly hasPassword: boolean
  readonly problem: string | undefined
  readonly csrfToken: string
}

/** Asks for proof: the password, or a passkey where there is none. That needs the script, which the button waits for. */
export const removePage = ({
  passkeyId,
  name,
  handle,
  hasPassword,
  problem,
  csrfToken,
}: RemoveForm): Html => html`<section class="card">
<h1>Remove a passkey</h1>
<p>Nobody can sign in with <strong>${name}</strong> any more once it is removed.</p>
${alertBox(problem)}
${
  hasPassword
    ? postForm(
        { action: REMOVE_PATH, csrfToken },
        html`<input type="hidden" name="passkeyId" value="${passkeyId}">
${handleField(handle)}
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1000" required autofocus>
<div class="buttons"><button>Remove</button></div>`,
      )
    : html`<p>Prove that it is you: use one of your passkeys.</p>
<p class="quiet" data-passkey-unable>This browser cannot ask for a passkey here.</p>
<p class="alert" role="alert" data-passkey-problem hidden></p>
<div data-passkey hidden>
<form data-passkey-remove>
<input type="hidden" name="passkeyId" value="${passkeyId}">
<div class="buttons"><button>Remove</button></div>
</form>
</div>`
}
<p class="quiet"><a href="/account">Back to your account</a></p>
</section>`
