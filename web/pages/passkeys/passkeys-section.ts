import { showAgo } from '../account/moments.ts'
import { type Html, html } from '../html.ts'
import { postForm } from '../layout.ts'

export const REMOVE_PATH = '/account/passkey/remove'
export const RENAME_PATH = '/account/passkey/rename'

export interface ShownPasskey {
  readonly passkeyId: string
  readonly name: string
  readonly createdDate: string
  readonly lastUsedDate: string | null
}

export interface PasskeysSection {
  readonly passkeys: readonly ShownPasskey[]
  readonly now: Date
  /** Without one, a passkey proves who adds another. */
  readonly hasPassword: boolean
  readonly maxNameLength: number
  readonly csrfTokens: { readonly rename: string; readonly remove: string }
}

/** The passkeys of the account page. Adding one needs the script, and is hidden until it is there; everything else is plain forms. */
export function passkeysSection({ passkeys, now, hasPassword, maxNameLength, csrfTokens }: PasskeysSection): Html {
  const idField = (passkeyId: string) => html`<input type="hidden" name="passkeyId" value="${passkeyId}">`
  const showUse = (lastUsedDate: string | null) =>
    lastUsedDate === null ? 'not used yet' : html`last used ${showAgo(new Date(lastUsedDate), now)}`

  const showPasskey = ({ passkeyId, name, createdDate, lastUsedDate }: ShownPasskey) => html`<li>
<div><p>${name}</p>
<p class="quiet">Added ${showAgo(new Date(createdDate), now)}, ${showUse(lastUsedDate)}</p>
<details>
<summary aria-label="Rename ${name}">Rename</summary>
${postForm(
  { action: RENAME_PATH, csrfToken: csrfTokens.rename },
  html`${idField(passkeyId)}
<label for="name-${passkeyId}">New name</label>
<input id="name-${passkeyId}" name="name" value="${name}" maxlength="${maxNameLength}" autocomplete="off" required>
<div class="buttons"><button class="other small">Save</button></div>`,
)}
</details></div>
${postForm(
  { action: REMOVE_PATH, csrfToken: csrfTokens.remove },
  html`${idField(passkeyId)}
<button class="other small" aria-label="Remove ${name}">Remove</button>`,
)}
</li>`

  return html`<section class="card wide" aria-labelledby="passkeys">
<h2 id="passkeys">Passkeys</h2>
<p class="quiet">With a passkey you sign in by fingerprint, face or the PIN of your device, without your password.</p>
${passkeys.length > 0 && html`<ul class="rows">${passkeys.map(showPasskey)}</ul>`}
<p class="quiet" data-passkey-unable>This browser cannot add a passkey here.</p>
<p class="alert" role="alert" data-passkey-problem hidden></p>
<div data-passkey hidden>
<form data-passkey-add>
<label for="passkey-name">Name of a new passkey</label>
<input id="passkey-name" name="name" maxlength="${maxNameLength}" autocomplete="off" placeholder="Laptop">
${
  hasPassword
    ? html`<label for="passkey-password">Your password</label>
<input id="passkey-password" name="password" type="password" autocomplete="current-password" maxlength="1000" required>`
    : html`<p class="quiet">You are asked for one of your passkeys first, to prove that it is you.</p>`
}
<div class="buttons"><button class="other">Add a passkey</button></div>
</form>
</div>
</section>`
}
