import { type Html, html, nameOf } from '../html.ts'
import { showAgo } from './moments.ts'

/** A passkey that the form offers to remove when the password changes. */
interface OfferedPasskey {
  readonly passkeyId: string
  readonly name: string
  readonly createdDate: string
}

/** Renders fields that ask for the new password twice, because without a script the typed password cannot be shown. */
export const newPasswordFields = (minLength: number): Html => html`<label for="new-password">New password</label>
<input id="new-password" name="new_password" type="password" autocomplete="new-password" minlength="${minLength}" maxlength="1000" aria-describedby="new-password-rule" required>
<p class="quiet hint" id="new-password-rule">At least ${minLength} characters. A few words are easier to remember and harder to guess.</p>
<label for="again">Confirm new password</label>
<input id="again" name="again" type="password" autocomplete="new-password" minlength="${minLength}" maxlength="1000" required>`

export interface PasskeyBoxes {
  readonly passkeys: readonly OfferedPasskey[]
  readonly now: Date
  /** Ids of the ticked passkeys. */
  readonly ticked: readonly string[]
}

export const nameOfBox = (i: number): string => `remove_passkey_${i}`

/**
 * Renders checkboxes for removing passkeys. A new password ends all other sessions, but an attacker who has added a
 * passkey could still sign in with it.
 */
export const passkeyBoxes = ({ passkeys, now, ticked }: PasskeyBoxes): Html | undefined =>
  passkeys.length === 0
    ? undefined
    : html`<fieldset>
<legend>Passkeys</legend>
<p class="quiet">Passkeys still work after you change the password. Select any you don’t recognise or no longer use to delete them.</p>
${passkeys.map(
  ({ passkeyId, name, createdDate }, i) =>
    html`<label class="check"><input type="checkbox" name="${nameOfBox(i)}" value="${passkeyId}"${ticked.includes(passkeyId) && html` checked`}> <span>Delete ${nameOf(name)}, created ${showAgo(new Date(createdDate), now)}</span></label>\n`,
)}</fieldset>`

/** Renders the handle as a read-only field, because password managers store the password together with it. */
export const handleField = (handle: string): Html => html`<label for="handle">Handle</label>
<input id="handle" value="${handle}" autocomplete="username" readonly>`
