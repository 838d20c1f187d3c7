import { type Html, html, nameOf } from '../html.ts'
import { noticeBox, postForm } from '../layout.ts'
import { nameDevice } from './device-name.ts'
import { showAgo } from './moments.ts'

export interface ShownSession {
  readonly sessionId: string
  readonly device: string
  readonly createdDate: Date
  readonly lastUsedDate: Date
}

export interface ShownApp {
  readonly clientId: string
  readonly name: string
  readonly owner: string | null
  readonly sinceDate: Date
  /** Null: somebody else enrolled them, and they were not asked yet. */
  readonly allowedDate: Date | null
  readonly sessions: readonly ShownSession[]
}

export interface ShownBrowser {
  readonly browserId: string
  readonly device: string
  readonly createdDate: Date
  readonly isCurrent: boolean
}

/** What can be done on the page; each has a form key of its own. */
export type AccountAction = 'endSession' | 'endBrowser' | 'endAll' | 'withdraw' | 'signOut'

/** Where the form of each action goes. */
export const ACTION_PATHS: Readonly<Record<AccountAction, string>> = {
  endSession: '/account/session/end',
  endBrowser: '/account/browser/end',
  endAll: '/account/sessions/end-all',
  withdraw: '/account/app/withdraw',
  signOut: '/account/signout',
}

export interface AccountPage {
  readonly handle: string
  readonly name: string
  readonly now: Date
  readonly notice?: string | undefined
  readonly apps: readonly ShownApp[]
  readonly browsers: readonly ShownBrowser[]
  readonly csrfTokens: Readonly<Record<AccountAction, string>>
  /** The section that lists passkeys, from its own room. */
  readonly passkeys?: Html | undefined
}

export function accountPage({ handle, name, now, notice, apps, browsers, csrfTokens, passkeys }: AccountPage): Html {
  /** One button that does one thing; `label` says to whom, for those who hear the page. */
  const button = (
    action: AccountAction,
    text: string,
    label: string | undefined,
    hidden?: [name: string, value: string],
  ) =>
    postForm(
      { action: ACTION_PATHS[action], csrfToken: csrfTokens[action] },
      html`${hidden && html`<input type="hidden" name="${hidden[0]}" value="${hidden[1]}">`}
<button class="other small"${label !== undefined && html` aria-label="${label}"`}>${text}</button>`,
    )

  const showSession = ({ sessionId, device, createdDate, lastUsedDate }: ShownSession, app: string) => html`<li>
<div><p>${nameDevice(device)}</p>
<p class="quiet">Signed in ${showAgo(createdDate, now)}, last used ${showAgo(lastUsedDate, now)}</p></div>
${button('endSession', 'End', `End ${app} on ${nameDevice(device)}`, ['sessionId', sessionId])}
</li>`

  const showConsent = ({ sinceDate, allowedDate }: ShownApp) =>
    allowedDate === null
      ? html`You were enrolled ${showAgo(sinceDate, now)}, and are asked when you first sign in there.`
      : html`You consented ${showAgo(allowedDate, now)}.`

  const showApp = (app: ShownApp) => html`<article class="app">
<div class="row">
<div><h3>${nameOf(app.name)}</h3>
<p class="quiet">${app.owner !== null && html`By ${app.owner}. `}${showConsent(app)}</p></div>
${button('withdraw', 'Withdraw consent', `Withdraw consent to ${app.name}`, ['clientId', app.clientId])}
</div>
${
  app.sessions.length === 0
    ? html`<p class="quiet">Not signed in anywhere just now.</p>`
    : html`<ul class="rows">${app.sessions.map((session) => showSession(session, app.name))}</ul>`
}
</article>`

  const showBrowser = ({ browserId, device, createdDate, isCurrent }: ShownBrowser) => html`<li>
<div><p>${nameDevice(device)}${isCurrent && html` <span class="badge">This one</span>`}</p>
<p class="quiet">Signed in ${showAgo(createdDate, now)}</p></div>
${!isCurrent && button('endBrowser', 'End', `End the sign-in in ${nameDevice(device)}`, ['browserId', browserId])}
</li>`

  return html`<section class="card wide">
<h1>Your apps and devices</h1>
${noticeBox(notice)}
<div class="row">
<p>You are signed in as ${name === '' ? html`<strong>${nameOf(handle)}</strong>` : html`<strong>${nameOf(name)}</strong> (${nameOf(handle)})`}. <a href="/account/password">Change password</a> · <a href="/device">Connect a device</a></p>
${button('signOut', 'Sign out', undefined)}
</div>
</section>
<section class="card wide" aria-labelledby="apps">
<h2 id="apps">Apps</h2>
${
  apps.length === 0
    ? html`<p class="quiet">You have not allowed any app yet.</p>`
    : html`<p class="quiet">Each of them sees your profile, the profiles of your friends, your lessons with it and what it keeps about you itself; none sees your password.</p>
${apps.map(showApp)}`
}
</section>
<section class="card wide" aria-labelledby="browsers">
<h2 id="browsers">Browsers</h2>
<p class="quiet">Where you are signed in to Groundschool itself.</p>
<ul class="rows">${browsers.map(showBrowser)}</ul>
<div class="row">
<p class="quiet">Something looks strange? This ends all sessions in all apps, and all other browsers. Passkeys stay: look through them below, and remove those that you do not know.</p>
${button('endAll', 'Sign out everywhere else', undefined)}
</div>
</section>
${passkeys}`
}
