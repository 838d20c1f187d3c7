import { type Html, html, nameOf } from '../html.ts'
import { alertBox, type FormFrame, postForm } from '../layout.ts'
import { type AskedScopes, type AskingApp, describeAccess, describeApp } from '../oauth/consent-page.ts'

export interface CodeForm extends FormFrame {
  readonly userCode: string
  readonly problem?: string | undefined
}

/**
 * Renders the form that asks for the code shown by a device. If the link contains the code, the field is filled in, and
 * the person only has to compare.
 */
export const codePage = ({ userCode, problem, ...frame }: CodeForm): Html => html`<section class="card code">
<h1>Connect a device</h1>
<p>${userCode === '' ? 'Enter the code shown on your device.' : 'Check that your device shows the same code.'}</p>
${alertBox(problem)}
${postForm(
  frame,
  html`<label for="user-code">Code</label>
<input id="user-code" name="user_code" value="${userCode}" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="100" required autofocus>
<div class="buttons"><button>Continue</button></div>`,
)}
</section>`

export interface DecisionForm extends FormFrame {
  readonly app: AskingApp
  readonly handle: string
  readonly userCode: string
  readonly scopes: AskedScopes
  /** The scopes that the page lists, as the form sends them back. */
  readonly shown: string
  readonly problem?: string | undefined
}

/**
 * Renders the form for allowing a device. Its warning protects people who received the link from an attacker (RFC 8628
 * §5.4).
 */
export const decisionPage = ({
  app,
  handle,
  userCode,
  scopes,
  shown,
  problem,
  ...frame
}: DecisionForm): Html => html`<section class="card">
<h1>Allow ${nameOf(app.name)} on a device?</h1>
${alertBox(problem)}
<p class="alert">Only continue if you started this yourself, on a device in front of you that shows the code <strong>${userCode}</strong>. If someone sent you the code or a link, choose Deny. Otherwise they get access to your account.</p>
<p>${describeApp(app)} wants to access your account, ${nameOf(handle)}${describeAccess(scopes, ', on that device')}
<p>It never sees your password or what you do in other apps. You can revoke its access at any time in your account, under Security.</p>
${postForm(
  frame,
  html`<input type="hidden" name="user_code" value="${userCode}"><input type="hidden" name="shown" value="${shown}">
<div class="buttons"><button name="decision" value="allow">Allow</button><button class="other" name="decision" value="deny">Deny</button></div>`,
)}
</section>`

export const decidedPage = ({ isAllowed }: { isAllowed: boolean }): Html => html`<section class="card">
<h1>Go back to your device</h1>
<p>${isAllowed ? 'It connects in a few seconds.' : 'You denied access.'} You can close this page.</p>
<p class="quiet"><a href="/account/security">Manage connected apps</a></p>
</section>`
