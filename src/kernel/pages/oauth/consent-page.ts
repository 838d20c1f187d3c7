import { SCOPE_NAMES, SCOPE_WORDS, type ScopeName } from '../../../../web/parts/consent.ts'
import { type Html, html, nameOf } from '../html.ts'
import { alertBox, type FormFrame, postForm } from '../layout.ts'

export interface AskingApp {
  readonly name: string
  /** Name of the organisation or person that owns the app. */
  readonly owner: string | undefined
}

export interface AskedScopes {
  /** The app asks for these scopes. Undefined means everything, from an app that has registered no scopes. */
  readonly asked: readonly ScopeName[] | undefined
  /** The person has allowed these scopes before. Undefined means everything, an empty list nothing. */
  readonly allowed: readonly ScopeName[] | undefined
}

const listScopes = (scopes: readonly ScopeName[]): Html =>
  html`<ul>${scopes.map((scope) => html`<li>${SCOPE_WORDS[scope]}</li>`)}</ul>`

/** Renders the end of the sentence that says what the app asks for, and the lists of it. `where` may name a device. */
export function describeAccess({ asked = SCOPE_NAMES, allowed }: AskedScopes, where = ''): Html {
  const known = asked.filter((scope) => allowed === undefined || allowed.includes(scope))
  const added = asked.filter((scope) => !known.includes(scope))
  if (added.length === 0)
    return html`${where}. You’ve already allowed it to:</p>
${listScopes(known)}`
  return html`${where}. It asks to:</p>
${listScopes(added)}${
  known.length > 0 &&
  html`
<p>You’ve already allowed it to:</p>
${listScopes(known)}`
}`
}

/** Renders the app's name and, if known, its owner. */
export const describeApp = ({ name, owner }: AskingApp): Html =>
  html`<strong>${nameOf(name)}</strong>${owner !== undefined && html` by ${nameOf(owner)}`}`

export interface ConsentForm extends FormFrame {
  readonly app: AskingApp
  readonly handle: string
  readonly problem?: string | undefined
  readonly scopes: AskedScopes
  /** The redirect target, in a form that the person can recognise. */
  readonly destination?: string | undefined
  /** Link to the same page that lets the person sign in to another account. */
  readonly otherAccount?: string | undefined
}

export const consentPage = ({
  app,
  handle,
  problem,
  scopes,
  destination,
  otherAccount,
  ...frame
}: ConsentForm): Html => html`<section class="card">
<h1>Allow ${nameOf(app.name)}?</h1>
${alertBox(problem)}
<p>${describeApp(app)} wants to access your account, ${nameOf(handle)}${describeAccess(scopes)}
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
