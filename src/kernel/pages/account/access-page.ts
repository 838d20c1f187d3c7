import { SCOPE_WORDS, type ScopeName } from '../../../../web/parts/consent.ts'
import { type Html, html, nameOf } from '../html.ts'
import { alertBox, type FormFrame, noticeBox, postForm } from '../layout.ts'

interface AllowedApp {
  readonly clientId: string
  readonly name: string
  readonly scopes: readonly ScopeName[]
  /** The form with which the person withdraws a scope. */
  readonly form: FormFrame
}

export interface AccessView {
  readonly apps: readonly AllowedApp[]
  readonly notice?: string | undefined
  readonly problem?: string | undefined
}

const listApp = ({ clientId, name, scopes, form }: AllowedApp): Html => html`
<h2>${nameOf(name)}</h2>
${
  scopes.length === 0
    ? html`<p>It has no access to your data.</p>`
    : postForm(
        form,
        html`<input type="hidden" name="clientId" value="${clientId}">
<p>It can:</p>
<ul class="choices">${scopes.map(
          (scope) =>
            html`<li>${SCOPE_WORDS[scope]} <button class="other" name="scope" value="${scope}" aria-label="Remove from ${name}: ${SCOPE_WORDS[scope]}">Remove</button></li>`,
        )}</ul>`,
      )
}`

/** Renders what each app may do, with a button for everything that the person can withdraw. */
export const accessPage = ({ apps, notice, problem }: AccessView): Html => html`<section class="card">
<h1>What your apps can do</h1>
${noticeBox(notice)}
${alertBox(problem)}
<p>If you remove something, you’re signed out of the app on all devices. It has to ask you before it can do it again.</p>
${apps.length === 0 ? html`<p>No connected apps yet.</p>` : apps.map(listApp)}
<p class="quiet"><a href="/account/security">Back to Security</a></p>
</section>`
