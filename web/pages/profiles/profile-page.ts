import { checkField, type KeyOf, ownPasswordField, textField } from '../fields.ts'
import { type Html, html, nameOf } from '../html.ts'
import { alertBox, noticeBox, postForm } from '../layout.ts'
import { countryField, countryName } from './countries.ts'

export const PROFILE = '/account/profile'
export const SEARCH_FORM = '/account/profile/search'
export const EMAIL_FORM = '/account/profile/email'

const LINE = 100

/** What the forms show: what is kept, or what somebody has typed in vain. */
export interface ProfileFields {
  readonly firstName: string
  readonly lastName: string
  readonly country: string
  readonly gender: string
  readonly position: string
  readonly publicSearch: boolean
  readonly email: string
}

export interface ProfilePage {
  readonly fields: ProfileFields
  /** The e-mail address that is kept, whatever was typed. */
  readonly email: string
  readonly isChild: boolean
  readonly keyOf: KeyOf
  readonly notice?: string | undefined
  /** What is wrong, and with which form. */
  readonly problem?: { readonly form: string; readonly sentence: string } | undefined
  /** Picture and cover, from their own room. */
  readonly pictures: Html
}

/** What one says about oneself. */
export function profilePage({ fields, email, isChild, keyOf, notice, problem, pictures }: ProfilePage): Html {
  const form = (action: string, body: Html) => postForm({ action, csrfToken: keyOf(action) }, body)
  const problemOf = (action: string) => alertBox(problem?.form === action ? problem.sentence : undefined)
  const isWrong = (action: string) => problem?.form === action

  return html`<section class="card wide">
<h1>Your profile</h1>
${noticeBox(notice)}
<p class="quiet">Apps that you have allowed see it, and so do their users who may see you. Everything here may stay empty.</p>
${problemOf(PROFILE)}
${
  isChild &&
  html`<p>Your name is <strong>${nameOf(`${fields.firstName} ${fields.lastName}`.trim() || 'not said')}</strong>, your country <strong>${countryName(fields.country) || 'not said'}</strong>. A parent decides this for you until you are 13.</p>`
}
${form(
  PROFILE,
  html`${
    !isChild &&
    html`${textField({ id: 'first-name', name: 'firstName', label: 'First name', value: fields.firstName, maxLength: LINE, autocomplete: 'given-name', isFirst: isWrong(PROFILE) })}
${textField({ id: 'last-name', name: 'lastName', label: 'Last name', value: fields.lastName, maxLength: LINE, autocomplete: 'family-name' })}
${countryField('country', fields.country)}`
  }
${textField({ id: 'gender', name: 'gender', label: 'Gender', value: fields.gender, maxLength: LINE, autocomplete: 'sex', hint: 'In your own words.' })}
${textField({ id: 'position', name: 'position', label: 'Position', value: fields.position, maxLength: LINE, autocomplete: 'organization-title', hint: 'What you do, such as student pilot.' })}
<div class="buttons"><button>Save profile</button></div>`,
)}
</section>
${pictures}
<section class="card wide" aria-labelledby="search">
<h2 id="search">Who finds you</h2>
<p>With public search, other users of the apps that you use find you by your name or handle and can ask to be your friend. Without it, you are in no search and nobody new can ask.</p>
${problemOf(SEARCH_FORM)}
${
  isChild
    ? html`<p>Public search is <strong>${fields.publicSearch ? 'on' : 'off'}</strong>. A parent decides this for you until you are 13.</p>`
    : form(
        SEARCH_FORM,
        html`${checkField({ name: 'publicSearch', label: 'Let others find me', isChecked: fields.publicSearch })}
<div class="buttons"><button>Save search setting</button></div>`,
      )
}
</section>
<section class="card wide" aria-labelledby="e-mail">
<h2 id="e-mail">E-mail address</h2>
<p>${email === '' ? 'There is none, so nobody can send you a link when you forget your password.' : html`Messages about your account go to <strong>${email}</strong>.`}${!isChild && email !== '' && ' When you change it, the old address is told.'}</p>
${problemOf(EMAIL_FORM)}
${
  isChild
    ? html`<p>A parent decides this for you until you are 13.</p>`
    : form(
        EMAIL_FORM,
        html`${textField({ id: 'email', name: 'email', label: 'New e-mail address', type: 'email', value: fields.email, maxLength: 254, autocomplete: 'email', isVerbatim: true, hint: 'Empty: no messages.' })}
${ownPasswordField('email-password', { isFirst: isWrong(EMAIL_FORM) })}
<div class="buttons"><button>Change e-mail address</button></div>`,
      )
}
</section>`
}
