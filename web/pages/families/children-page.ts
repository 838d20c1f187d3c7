import { type KeyOf, textField } from '../fields.ts'
import { fullName } from '../friends/friends-page.ts'
import { type Html, html, nameOf } from '../html.ts'
import { alertBox, noticeBox, postForm } from '../layout.ts'

export const CHILDREN = '/account/children'
export const CHILD = '/account/children/child'

export const childPath = (handle: string): string => `${CHILD}?${new URLSearchParams({ handle })}`

export interface ShownChild {
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
  readonly dateOfBirth: string
  readonly country: string
  readonly email: string
  readonly publicSearch: boolean
  readonly parentFlags: { readonly cameraDisabled: boolean; readonly proximityFriends: boolean }
  readonly friendRequests: number
}

/** What was typed about a new child. */
export interface NewChild {
  readonly handle?: string | undefined
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly dateOfBirth?: string | undefined
}

export interface ChildrenPage {
  readonly children: readonly ShownChild[]
  readonly isAdult: boolean
  readonly minLength: number
  readonly keyOf: KeyOf
  readonly notice?: string | undefined
  readonly problem?: string | undefined
  readonly typed?: NewChild | undefined
}

const showChild = (child: ShownChild): Html => html`<li>
<div><p><a href="${childPath(child.handle)}">${nameOf(fullName(child))}</a></p>
<p class="quiet">${nameOf(child.handle)}, born ${child.dateOfBirth}${
  child.friendRequests > 0 &&
  html`, <strong>${child.friendRequests} friend ${child.friendRequests === 1 ? 'request' : 'requests'} to answer</strong>`
}</p></div>
</li>`

/** The new password of a child, which may stay empty where there is none yet. */
export const childPasswordFields = (minLength: number, isRequired: boolean): Html =>
  html`${textField({ id: 'new-password', name: 'new_password', label: 'Password for the child', type: 'password', autocomplete: 'new-password', minLength, maxLength: 1000, isRequired, hint: `At least ${minLength} characters. ${isRequired ? '' : 'Empty: the child cannot sign in yet.'}`.trim() })}
${textField({ id: 'again', name: 'again', label: 'The same password again', type: 'password', autocomplete: 'new-password', minLength, maxLength: 1000, isRequired })}`

/** The children whom one looks after, and the form for a new one. */
export const childrenPage = ({
  children,
  isAdult,
  minLength,
  keyOf,
  notice,
  problem,
  typed = {},
}: ChildrenPage): Html => html`<section class="card wide">
<h1>Children</h1>
${noticeBox(notice)}
<p class="quiet">You decide for a child until it is 13: who finds it, who its friends are, and what apps are told about camera and meeting nearby.</p>
${children.length === 0 ? html`<p>You look after no child here.</p>` : html`<ul class="rows">${children.map(showChild)}</ul>`}
</section>
${
  isAdult
    ? html`<section class="card wide" aria-labelledby="add">
<h2 id="add">Add a child</h2>
<p>Makes an account for a child under 13. Nobody finds it until you turn public search on.</p>
${alertBox(problem)}
${postForm(
  { action: CHILDREN, csrfToken: keyOf(CHILDREN) },
  html`${textField({ id: 'handle', name: 'handle', label: 'Handle', value: typed.handle ?? '', maxLength: 31, isVerbatim: true, isRequired: true, isFirst: problem !== undefined, hint: '1 to 30 letters from a to z, digits, dots, dashes or underscores. Better not the full name.' })}
${textField({ id: 'first-name', name: 'firstName', label: 'First name', value: typed.firstName ?? '', maxLength: 100 })}
${textField({ id: 'last-name', name: 'lastName', label: 'Last name', value: typed.lastName ?? '', maxLength: 100 })}
${textField({ id: 'date-of-birth', name: 'dateOfBirth', label: 'Date of birth', type: 'date', value: typed.dateOfBirth ?? '', isRequired: true, hint: 'It cannot be changed later.' })}
${childPasswordFields(minLength, false)}
<div class="buttons"><button>Add child</button></div>`,
)}
</section>`
    : html`<section class="card wide"><p>Only an adult can look after a child here.</p></section>`
}`
