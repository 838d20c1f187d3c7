import { type PasskeyBoxes, passkeyBoxes } from '../account/password-page.ts'
import { checkField, type KeyOf, ownPasswordField, textField } from '../fields.ts'
import { type Circle, circlePath, fullName, type Known, showRow } from '../friends/friends-page.ts'
import { type Html, html, nameOf } from '../html.ts'
import { alertBox, noticeBox, postForm } from '../layout.ts'
import { countryField } from '../profiles/countries.ts'
import { CHILDREN, childPasswordFields, type ShownChild } from './children-page.ts'

/** Where each form goes. */
export const CHILD_FORMS = {
  decisions: '/account/children/decisions',
  names: '/account/children/names',
  email: '/account/children/email',
  password: '/account/children/password',
  leave: '/account/children/leave',
  delete: '/account/children/delete',
} as const
export type ChildForm = keyof typeof CHILD_FORMS

export interface ChildPage {
  readonly child: ShownChild
  /** What was typed in vain, in place of what is kept. */
  readonly typed?: Partial<Pick<ShownChild, 'firstName' | 'lastName' | 'country' | 'email'>> | undefined
  readonly circle: Circle
  /** Requests that wait for an answer: the first of them. */
  readonly received: readonly Known[]
  /** Of the child. */
  readonly passkeys: PasskeyBoxes
  readonly minLength: number
  readonly keyOf: KeyOf
  readonly notice?: string | undefined
  readonly problem?: { readonly form: ChildForm; readonly sentence: string } | undefined
}

/** One child: what a parent decides for it. */
export function childPage(page: ChildPage): Html {
  const { child, typed, circle, received, passkeys, minLength, keyOf, notice, problem } = page
  const name = fullName(child)
  const form = (which: ChildForm, body: Html) =>
    postForm(
      { action: CHILD_FORMS[which], csrfToken: keyOf(CHILD_FORMS[which]) },
      html`<input type="hidden" name="handle" value="${child.handle}">
${body}`,
    )
  const isWrong = (which: ChildForm) => problem?.form === which
  const problemOf = (which: ChildForm) => alertBox(isWrong(which) ? problem?.sentence : undefined)
  const fields = { ...child, ...typed }

  return html`<section class="card wide">
<h1>${nameOf(name)}</h1>
${noticeBox(notice)}
<p>${nameOf(child.handle)}, born ${child.dateOfBirth}. You decide for this account until the 13th birthday.</p>
<p><a href="${circlePath(circle, '')}">Friends and requests</a> · <a href="${CHILDREN}">All children</a></p>
</section>
${
  received.length > 0 &&
  html`<section class="card wide" aria-labelledby="received">
<h2 id="received">Friend requests to answer (${child.friendRequests})</h2>
<p class="quiet">Whoever is declined is not told, and is not heard again for 30 days.</p>
<ul class="rows">${received.map((known) => showRow('received', known, circle, keyOf))}</ul>
</section>`
}
<section class="card wide" aria-labelledby="decisions">
<h2 id="decisions">What you decide</h2>
${problemOf('decisions')}
${form(
  'decisions',
  html`${checkField({ name: 'publicSearch', label: 'Users of the apps that the child uses can find it, and ask to be friends', isChecked: child.publicSearch })}
${checkField({ name: 'cameraDisabled', label: 'Apps keep the camera off', isChecked: child.parentFlags.cameraDisabled })}
${checkField({ name: 'proximityFriends', label: 'Apps may let the child meet friends who are near', isChecked: child.parentFlags.proximityFriends })}
<p class="quiet">Apps are told the last two, and must keep to them.</p>
<div class="buttons"><button>Save decisions</button></div>`,
)}
</section>
<section class="card wide" aria-labelledby="names">
<h2 id="names">Name and country</h2>
${problemOf('names')}
${form(
  'names',
  html`${textField({ id: 'first-name', name: 'firstName', label: 'First name', value: fields.firstName, maxLength: 100, isFirst: isWrong('names') })}
${textField({ id: 'last-name', name: 'lastName', label: 'Last name', value: fields.lastName, maxLength: 100 })}
${countryField('country', fields.country)}
<div class="buttons"><button>Save name and country</button></div>`,
)}
</section>
<section class="card wide" aria-labelledby="e-mail">
<h2 id="e-mail">E-mail address</h2>
<p>${child.email === '' ? 'There is none, so nobody gets a link when the password is forgotten.' : html`Messages about this account go to <strong>${child.email}</strong>, and so do links for a new password. When you change it, the old address is told.`}</p>
${problemOf('email')}
${form(
  'email',
  html`${textField({ id: 'email', name: 'email', label: 'New e-mail address', type: 'email', value: fields.email, maxLength: 254, isVerbatim: true, hint: 'Yours, or the child’s own. Empty: no messages.' })}
${ownPasswordField('email-password', { isFirst: isWrong('email') })}
<div class="buttons"><button>Change e-mail address</button></div>`,
)}
</section>
<section class="card wide" aria-labelledby="password">
<h2 id="password">Password of the child</h2>
<p class="quiet">With a new one, the child is signed out everywhere.</p>
${problemOf('password')}
${form(
  'password',
  html`${childPasswordFields(minLength, true)}
${passkeyBoxes(passkeys)}
${ownPasswordField('set-password', { isFirst: isWrong('password') })}
<div class="buttons"><button>Set password</button></div>`,
)}
</section>
<section class="card wide" aria-labelledby="end">
<h2 id="end">No longer here</h2>
${problemOf('leave')}
<details${isWrong('leave') && html` open`}>
<summary>Stop looking after this child</summary>
<p>The other parents go on. You cannot come back by yourself: an operator would have to add you. The last parent cannot stop.</p>
${form('leave', html`<div class="buttons"><button class="other">Stop looking after ${nameOf(name)}</button></div>`)}
</details>
${problemOf('delete')}
<details${isWrong('delete') && html` open`}>
<summary>Delete this account</summary>
<p>Profile, pictures, friends, sessions and everything that apps keep about the child are gone for good, and nobody can bring them back.</p>
${form(
  'delete',
  html`${ownPasswordField('delete-password', { isFirst: isWrong('delete') })}
<div class="buttons"><button>Delete ${nameOf(name)} for good</button></div>`,
)}
</details>
</section>`
}
