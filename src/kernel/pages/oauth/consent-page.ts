import { SEES } from '../../../../web/parts/consent.ts'
import { type Html, html, nameOf } from '../html.ts'
import { alertBox, type FormFrame, postForm } from '../layout.ts'

export interface AskingApp {
  readonly name: string
  /** Name of the organisation or person that owns the app. */
  readonly owner: string | undefined
}

export const listWhatAppsSee = (): Html => html`<ul>${SEES.map((line) => html`<li>${line}</li>`)}</ul>`

/** Renders the app's name and, if known, its owner. */
export const describeApp = ({ name, owner }: AskingApp): Html =>
  html`<strong>${nameOf(name)}</strong>${owner !== undefined && html` by ${nameOf(owner)}`}`

export interface ConsentForm extends FormFrame {
  readonly app: AskingApp
  readonly handle: string
  readonly problem?: string | undefined
  /** The redirect target, in a form that the person can recognise. */
  readonly destination?: string | undefined
  /** Link to the same page that lets the person sign in to another account. */
  readonly otherAccount?: string | undefined
}

export const consentPage = ({
  app,
  handle,
  problem,
  destination,
  otherAccount,
  ...frame
}: ConsentForm): Html => html`<section class="card">
<h1>Allow ${nameOf(app.name)}?</h1>
${alertBox(problem)}
<p>${describeApp(app)} wants to access your account, ${nameOf(handle)}. It can see:</p>
${listWhatAppsSee()}
<p>It never sees your password or what you do in other apps. You can revoke its access at any time in your account, under Security.</p>
${postForm(
  frame,
  html`<div class="buttons"><button name="decision" value="allow">Allow</button><button class="other" name="decision" value="deny">Deny</button></div>`,
)}
${destination !== undefined && html`<p class="quiet">Either way, you return to ${destination}.</p>`}
${otherAccount !== undefined && html`<p class="quiet">Not ${nameOf(handle)}? <a href="${otherAccount}">Use another account</a></p>`}
</section>`

/** Renders the line on the sign-in page that names the app. */
export const signInLead = (app: AskingApp): Html => html`<p>to continue to ${describeApp(app)}</p>`
