import { type Html, html, nameOf } from '../html.ts'
import { showAgo } from './moments.ts'

/** A passkey that the person can remove along with the password. */
interface OfferedPasskey {
  readonly passkeyId: string
  readonly name: string
  readonly createdDate: string
}

/** Asks for the new password twice, because without a script it cannot be shown. */
export const newPasswordFields = (minLength: number): Html => html`<label for="new-password">New password</label>
<input id="new-password" name="new_password" type="password" autocomplete="new-password" minlength="${minLength}" maxlength="1000" aria-describedby="new-password-rule" required>
<p class="quiet hint" id="new-password-rule">At least ${minLength} characters. A few words are easier to remember and harder to guess.</p>
<label for="again">New password again</label>
<input id="again" name="again" type="password" autocomplete="new-password" minlength="${minLength}" maxlength="1000" required>`

export interface PasskeyBoxes {
  readonly passkeys: readonly OfferedPasskey[]
  readonly now: Date
  /** Ids of the ticked passkeys. */
  readonly ticked: readonly string[]
}

export const nameOfBox = (i: number): string => `remove_passkey_${i}`

/**
 * A new password signs out everything else, but a passkey added by an attacker would still open the account. So the
 * form offers to remove passkeys.
 */
export const passkeyBoxes = ({ passkeys, now, ticked }: PasskeyBoxes): Html | undefined =>
  passkeys.length === 0
    ? undefined
    : html`<fieldset>
<legend>Passkeys</legend>
<p class="quiet">They work also with the new password. Tick those that you do not know or no longer use: they are removed with the change.</p>
${passkeys.map(
  ({ passkeyId, name, createdDate }, i) =>
    html`<label class="check"><input type="checkbox" name="${nameOfBox(i)}" value="${passkeyId}"${ticked.includes(passkeyId) && html` checked`}> <span>Remove ${nameOf(name)}, added ${showAgo(new Date(createdDate), now)}</span></label>\n`,
)}</fieldset>`

/** Password managers store a password under this handle. */
export const handleField = (handle: string): Html => html`<label for="handle">Handle</label>
<input id="handle" value="${handle}" autocomplete="username" readonly>`
